// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// NewFlowDiagramFunction returns the function flow_diagram.
func NewFlowDiagramFunction() function.Function {
	return &providerFunction{"flow_diagram", function.Definition{
		Summary: "Draws an agent's conversation flow as a Mermaid flowchart.",
		MarkdownDescription: "Draws an agent's conversation flow as a [Mermaid](https://mermaid.js.org) flowchart. " +
			"GitHub and GitLab render the flowchart in a `mermaid` code block.",
		Parameters: []function.Parameter{
			definitionParameter(),
		},
		VariadicParameter: function.StringParameter{
			Name:           "before",
			AllowNullValue: true,
			MarkdownDescription: "Earlier definition as JSON or YAML. If it is null or omitted, the diagram does not show changes. Pass at most " +
				"one earlier definition.",
		},
		Return: function.StringReturn{},
	}, flowDiagram}
}

// flowDiagram draws the graph of a definition.
func flowDiagram(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var definition *string
	var before []*string
	if err := arguments.Get(ctx, &definition, &before); err != nil {
		return nil, err
	}
	if len(before) > 1 {
		return nil, function.NewArgumentFuncError(2, "pass at most one earlier definition")
	}
	later, failure := parseDefinition(0, definition)
	earlier, failureBefore := parseEarlier(1, append(before, nil)[0])
	if err := cmp.Or(failure, failureBefore); err != nil {
		return nil, err
	}
	return flow.Diagram(later, earlier), nil
}
