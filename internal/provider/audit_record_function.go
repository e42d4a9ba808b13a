// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	_ "embed" // For the description.
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

var _ function.Function = (*auditRecordFunction)(nil)

//go:embed audit_record_function.md
var auditRecordDescription string

// NewAuditRecordFunction returns the function audit_record.
func NewAuditRecordFunction() function.Function { return &auditRecordFunction{} }

// auditChangeType is a change of an audit, as audit_report takes it, too.
var auditChangeType = stringsObject("what", "id", "name", "before", "after")

// auditRecordFunction compares an audit with the record of an earlier one. The
// audit is JSON text, because Terraform takes several times as long to pass it as
// an object.
type auditRecordFunction struct{}

func (f *auditRecordFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "audit_record"
}

func (f *auditRecordFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Returns a record of an audit, and the changes since an earlier record.",
		MarkdownDescription: auditRecordDescription,
		Parameters: []function.Parameter{
			auditParameter(),
			function.StringParameter{
				Name:                "previous",
				AllowNullValue:      true,
				MarkdownDescription: "`record` of an earlier audit, or null if there is none.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"record":  types.StringType,
			"changes": types.ListType{ElemType: auditChangeType},
		}},
	}
}

func (f *auditRecordFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var previous *string
	resp.Error = req.Arguments.Get(ctx, &text, &previous)
	if resp.Error != nil {
		return
	}
	parsed, err := audit.Parse(text)
	if err != nil {
		resp.Error = auditArgumentError(err)
		return
	}
	comparison, err := audit.Compare(parsed, previous)
	switch {
	case errors.Is(err, audit.ErrRecord):
		resp.Error = function.NewArgumentFuncError(1, err.Error()+". Pass the record of an earlier audit_record, or null to begin a new record. If it comes from a file, delete the file")
	case err != nil:
		resp.Error = function.NewFuncError(err.Error())
	default:
		resp.Error = resp.Result.Set(ctx, comparison)
	}
}

// auditParameter is the first parameter of a function for audits.
func auditParameter() function.StringParameter {
	return function.StringParameter{
		Name:                "audit",
		MarkdownDescription: "Result of `convo_workspace_audit` as JSON, such as `jsonencode(data.convo_workspace_audit.this)`.",
	}
}

func auditArgumentError(err error) *function.FuncError {
	return function.NewArgumentFuncError(0, err.Error()+". Pass jsonencode(data.convo_workspace_audit.NAME)")
}

// stringsObject is the type of an object whose attributes are strings.
func stringsObject(names ...string) types.ObjectType {
	attributes := map[string]attr.Type{}
	for _, name := range names {
		attributes[name] = types.StringType
	}
	return types.ObjectType{AttrTypes: attributes}
}
