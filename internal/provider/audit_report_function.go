// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	_ "embed" // For the description.
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/report"
)

var _ function.Function = (*auditReportFunction)(nil)

//go:embed audit_report_function.md
var auditReportDescription string

// NewAuditReportFunction returns the function audit_report.
func NewAuditReportFunction() function.Function { return &auditReportFunction{} }

// auditReportFunction writes the report of an audit. The audit is JSON text,
// because Terraform takes several times as long to pass it as an object.
type auditReportFunction struct{}

func (f *auditReportFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "audit_report"
}

func (f *auditReportFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Writes a Markdown report of an audit.",
		MarkdownDescription: auditReportDescription,
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "audit",
				MarkdownDescription: "Result of `convo_workspace_audit` as JSON, such as `jsonencode(data.convo_workspace_audit.this)`.",
			},
			function.ListParameter{
				Name:        "findings",
				ElementType: stringsObject("level", "rule", "message"),
				MarkdownDescription: "Results of your own rules. `level` must be `error` or `warning`, `rule` is the name of the rule, and " +
					"`message` is a sentence.",
			},
			function.StringParameter{
				Name:                "previous",
				AllowNullValue:      true,
				MarkdownDescription: "`record` of the previous report, or null if there is none.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"markdown": types.StringType,
			"record":   types.StringType,
			"changes":  types.ListType{ElemType: stringsObject("what", "id", "before", "after")},
			"errors":   types.ListType{ElemType: types.StringType},
			"warnings": types.ListType{ElemType: types.StringType},
		}},
	}
}

// auditReportFindingModel is an element of the argument findings. In a list from
// expressions, any value can be null.
type auditReportFindingModel struct {
	Level   *string `tfsdk:"level"`
	Rule    *string `tfsdk:"rule"`
	Message *string `tfsdk:"message"`
}

func (f *auditReportFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var audit string
	var models []*auditReportFindingModel
	var previous *string
	resp.Error = req.Arguments.Get(ctx, &audit, &models, &previous)
	if resp.Error != nil {
		return
	}
	var findings []report.Finding
	for i, m := range models {
		if m == nil || m.Level == nil || m.Rule == nil || m.Message == nil {
			resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("the finding with index %d, or one of its attributes, is null", i))
			return
		}
		findings = append(findings, report.Finding{Level: *m.Level, Rule: *m.Rule, Message: *m.Message})
	}
	result, err := report.New(audit, findings, previous)
	switch {
	case errors.Is(err, report.ErrAudit):
		resp.Error = function.NewArgumentFuncError(0, err.Error()+". Pass jsonencode(data.convo_workspace_audit.NAME)")
	case errors.Is(err, report.ErrLevel):
		resp.Error = function.NewArgumentFuncError(1, err.Error())
	case errors.Is(err, report.ErrRecord):
		resp.Error = function.NewArgumentFuncError(2, err.Error()+". Pass the record of an earlier audit_report, or null to begin a new record. If it comes from a file, delete the file")
	case err != nil:
		resp.Error = function.NewFuncError(err.Error())
	default:
		resp.Error = resp.Result.Set(ctx, result)
	}
}

// stringsObject is the type of an object whose attributes are strings.
func stringsObject(names ...string) types.ObjectType {
	attributes := map[string]attr.Type{}
	for _, name := range names {
		attributes[name] = types.StringType
	}
	return types.ObjectType{AttrTypes: attributes}
}
