// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// NewGraphFindingsFunction returns the function graph_findings.
func NewGraphFindingsFunction() function.Function {
	return &providerFunction{"graph_findings", function.Definition{
		Summary:             "Lists likely mistakes in an agent's conversation flow.",
		MarkdownDescription: "Lists likely mistakes in an agent's conversation flow, such as links to missing nodes.",
		Parameters: []function.Parameter{
			definitionParameter(),
		},
		Return: function.ListReturn{ElementType: schema.NestedAttributeObject{Attributes: graphFindingAttributes()}.Type()},
	}, graphFindings}
}

// graphFindings lists likely mistakes in the graph of a definition.
func graphFindings(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var text *string
	if err := arguments.Get(ctx, &text); err != nil {
		return nil, err
	}
	parsed, failure := parseDefinition(0, text)
	if failure != nil {
		return nil, failure
	}
	return flow.Analyze(parsed).Findings, nil
}
