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

	"github.com/convo/terraform-provider-convo/internal/audit"
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
			auditParameter(),
			function.ListParameter{
				Name:        "findings",
				ElementType: stringsObject("level", "rule", "message"),
				MarkdownDescription: "Results of your own rules. `level` must be `error` or `warning`, `rule` is the name of the rule, and " +
					"`message` is a sentence.",
			},
			function.ListParameter{
				Name:                "changes",
				ElementType:         auditChangeType,
				AllowNullValue:      true,
				MarkdownDescription: "`changes` from `audit_record`, or null if there is no earlier record.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"markdown": types.StringType,
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

// auditReportChangeModel is an element of the argument changes.
type auditReportChangeModel struct {
	What   *string `tfsdk:"what"`
	ID     *string `tfsdk:"id"`
	Name   *string `tfsdk:"name"`
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
}

func (f *auditReportFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var findingModels []*auditReportFindingModel
	var changeModels []*auditReportChangeModel
	resp.Error = req.Arguments.Get(ctx, &text, &findingModels, &changeModels)
	if resp.Error != nil {
		return
	}
	parsed, err := audit.Parse(text)
	if err != nil {
		resp.Error = auditArgumentError(err)
		return
	}
	var findings []report.Finding
	for i, m := range findingModels {
		if m == nil || m.Level == nil || m.Rule == nil || m.Message == nil {
			resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("the finding with index %d, or one of its attributes, is null", i))
			return
		}
		findings = append(findings, report.Finding{Level: *m.Level, Rule: *m.Rule, Message: *m.Message})
	}
	var changes []audit.Change // nil for null
	if changeModels != nil {
		changes = []audit.Change{}
	}
	for _, m := range changeModels {
		m := valueOf(m)
		changes = append(changes, audit.Change{What: valueOf(m.What), ID: valueOf(m.ID), Name: valueOf(m.Name), Before: m.Before, After: m.After})
	}
	result, err := report.New(parsed, findings, changes)
	switch {
	case errors.Is(err, report.ErrLevel):
		resp.Error = function.NewArgumentFuncError(1, err.Error())
	case err != nil:
		resp.Error = function.NewFuncError(err.Error())
	default:
		resp.Error = resp.Result.Set(ctx, result)
	}
}
