// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/review"
)

// NewReviewReportFunction returns the function review_report.
func NewReviewReportFunction() function.Function {
	return &providerFunction{"review_report", function.Definition{
		Summary: "Writes a Markdown report on changes to agents' definitions, and on likely mistakes in them.",
		MarkdownDescription: "Writes a Markdown report on changes to agents' definitions, and on likely mistakes in them, for a job summary or a " +
			"comment.",
		Parameters: []function.Parameter{
			function.MapParameter{
				Name:                "definitions",
				ElementType:         types.StringType,
				MarkdownDescription: "Definitions as JSON or YAML, such as `file(...)`. Each key is an agent's ID, a file name, or another name.",
			},
			function.MapParameter{
				Name:           "before",
				ElementType:    types.StringType,
				AllowNullValue: true,
				MarkdownDescription: "Earlier definitions with the same keys. If a definition is missing or null, the agent is new. If the map is null, nothing is compared: " +
					"the report contains all agents, and all findings are new.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"markdown": types.StringType,
			"findings": types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"agent":   types.StringType,
				"kind":    types.StringType,
				"id":      types.StringType,
				"title":   types.StringType,
				"message": types.StringType,
				"is_new":  types.BoolType,
			}}},
			"errors": types.ListType{ElemType: types.StringType},
		}},
	}, reviewReport}
}

// reviewReport writes the review of definitions.
func reviewReport(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var definitions, before map[string]*string
	if err := arguments.Get(ctx, &definitions, &before); err != nil {
		return nil, err
	}
	// null means that the agent is new.
	maps.DeleteFunc(before, func(_ string, text *string) bool { return text == nil })
	// An empty definition is reported.
	return review.New(texts(definitions), texts(before)), nil
}
