// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/report"
)

var _ function.Function = (*auditReportFunction)(nil)

// NewAuditReportFunction returns the function audit_report.
func NewAuditReportFunction() function.Function { return &auditReportFunction{} }

type auditReportFunction struct{}

func (f *auditReportFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "audit_report"
}

func (f *auditReportFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Checks an audit, and writes a Markdown report.",
		MarkdownDescription: "Checks an audit with built-in rules and your own policies, and writes a Markdown report with findings and changes.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "audit",
				MarkdownDescription: "Result of `convo_workspace_audit` as JSON, such as `jsonencode(data.convo_workspace_audit.this)`.",
			},
			function.ObjectParameter{
				Name: "record",
				AttributeTypes: map[string]attr.Type{
					"record":   types.StringType,
					"changes":  types.ListType{ElemType: auditChange().Type()},
					"accepted": types.MapType{ElemType: types.StringType},
				},
				AllowNullValue:      true,
				MarkdownDescription: "The resource `convo_audit_record`, such as `convo_audit_record.this`. If it is null, nothing is compared.",
			},
			function.ListParameter{
				Name: "policies",
				ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
					"level": types.StringType, "rule": types.StringType, "id": types.StringType, "message": types.StringType,
				}},
				MarkdownDescription: "Findings of your own [policies](#policies).",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"markdown": types.StringType,
			"errors":   types.ListType{ElemType: types.StringType},
			"warnings": types.ListType{ElemType: types.StringType},
			"findings": types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"level": types.StringType, "rule": types.StringType, "id": types.StringType, "name": types.StringType, "message": types.StringType,
				"key": types.StringType, "reason": types.StringType,
			}}},
		}},
	}
}

// Run writes the report of an audit. The audit is JSON text, because Terraform takes several
// times as long to pass it as an object.
func (f *auditReportFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var record *audit.History
	var own []*audit.OwnFinding
	if resp.Error = req.Arguments.Get(ctx, &text, &record, &own); resp.Error != nil {
		return
	}
	parsed, err := audit.Parse(text)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, "the value "+err.Error()+". Pass jsonencode(data.convo_workspace_audit.NAME)")
		return
	}
	assessment, err := audit.Assess(parsed, record, own)
	switch {
	case errors.Is(err, audit.ErrRecord):
		resp.Error = function.NewArgumentFuncError(1, strings.TrimSuffix(recordAdvice, "."))
		return
	case err != nil:
		resp.Error = function.NewArgumentFuncError(2, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, report.New(assessment))
}
