// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var _ function.Function = (*graphFindingsFunction)(nil)

// NewGraphFindingsFunction returns the function graph_findings.
func NewGraphFindingsFunction() function.Function { return &graphFindingsFunction{} }

type graphFindingsFunction struct{}

func (f *graphFindingsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "graph_findings"
}

func (f *graphFindingsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Lists likely mistakes in an agent's conversation flow.",
		MarkdownDescription: "Lists likely mistakes in an agent's conversation flow, such as links to missing nodes.",
		Parameters: []function.Parameter{
			definitionParameter("Agent's definition"),
		},
		Return: function.ListReturn{ElementType: schema.NestedAttributeObject{Attributes: graphFindingAttributes()}.Type()},
	}
}

// Run lists likely mistakes in the graph of a definition.
func (f *graphFindingsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text *string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	parsed, failure := parseDefinition(0, text)
	if failure != nil {
		resp.Error = failure
		return
	}
	resp.Error = resp.Result.Set(ctx, flow.Analyze(parsed).Findings)
}
