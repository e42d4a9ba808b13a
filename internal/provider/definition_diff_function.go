// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// NewDefinitionDiffFunction returns the function definition_diff.
func NewDefinitionDiffFunction() function.Function {
	return &providerFunction{"definition_diff", function.Definition{
		Summary:             "Lists the differences between two definitions of an agent.",
		MarkdownDescription: "Lists the differences between two definitions of an agent. Nodes, links, and other elements are matched by ID.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "definition",
				AllowNullValue:      true, // so that parseDefinition explains it
				MarkdownDescription: "Later definition as JSON or YAML, such as `definition_json` of `convo_agent`, or `file(...)`.",
			},
			function.StringParameter{
				Name:                "before",
				AllowNullValue:      true,
				MarkdownDescription: "Earlier definition as JSON or YAML. If it is null, everything in the later definition is `added`.",
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
	}, definitionDiff}
}

// definitionDiff lists what differs between two definitions.
func definitionDiff(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var text, before *string
	if err := arguments.Get(ctx, &text, &before); err != nil {
		return nil, err
	}
	later, failure := parseDefinition(0, text)
	earlier, failureBefore := parseEarlier(1, before)
	if err := cmp.Or(failure, failureBefore); err != nil {
		return nil, err
	}
	changes := flow.Diff(earlier, later)
	return append([]definition.Difference{}, changes...), nil // Not nil, which would be null.
}
