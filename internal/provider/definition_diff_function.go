// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var _ function.Function = (*definitionDiffFunction)(nil)

// NewDefinitionDiffFunction returns the function definition_diff.
func NewDefinitionDiffFunction() function.Function { return &definitionDiffFunction{} }

type definitionDiffFunction struct{}

func (f *definitionDiffFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "definition_diff"
}

func (f *definitionDiffFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Lists the differences between two definitions of an agent.",
		MarkdownDescription: "Lists the differences between two definitions of an agent.",
		Parameters: []function.Parameter{
			definitionParameter("Later definition"),
			function.StringParameter{
				Name:           "before",
				AllowNullValue: true,
				MarkdownDescription: "Earlier definition as JSON, such as `file(...)`. To read YAML, use `jsonencode(yamldecode(file(...)))`. If it is null, " +
					"everything in the later definition is `added`.",
			},
		},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"change":    types.StringType,
			"part":      types.StringType,
			"id":        types.StringType,
			"title":     types.StringType,
			"path":      types.StringType,
			"before":    types.StringType,
			"after":     types.StringType,
			"is_layout": types.BoolType,
		}}},
	}
}

// Run lists what differs between two definitions.
func (f *definitionDiffFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text, before *string
	if resp.Error = req.Arguments.Get(ctx, &text, &before); resp.Error != nil {
		return
	}
	later, earlier, failure := parseDefinitions(text, before)
	if failure != nil {
		resp.Error = failure
		return
	}
	resp.Error = resp.Result.Set(ctx, flow.Diff(earlier, later))
}
