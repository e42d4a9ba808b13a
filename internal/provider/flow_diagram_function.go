// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var _ function.Function = (*flowDiagramFunction)(nil)

// NewFlowDiagramFunction returns the function flow_diagram.
func NewFlowDiagramFunction() function.Function { return &flowDiagramFunction{} }

type flowDiagramFunction struct{}

func (f *flowDiagramFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "flow_diagram"
}

func (f *flowDiagramFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Draws an agent's conversation flow as a Mermaid flowchart.",
		MarkdownDescription: "Draws an agent's conversation flow as a [Mermaid](https://mermaid.js.org) flowchart. " +
			"GitHub and GitLab render the flowchart in a `mermaid` code block.",
		Parameters: []function.Parameter{
			definitionParameter("Agent's definition"),
		},
		VariadicParameter: function.StringParameter{
			Name:           "before",
			AllowNullValue: true,
			MarkdownDescription: "Earlier definition as JSON. If it is null or omitted, the diagram does not show changes. Pass at most " +
				"one earlier definition.",
		},
		Return: function.StringReturn{},
	}
}

// Run draws the graph of a definition.
func (f *flowDiagramFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var definition *string
	var before []*string
	if resp.Error = req.Arguments.Get(ctx, &definition, &before); resp.Error != nil {
		return
	}
	if len(before) > 1 {
		resp.Error = function.NewArgumentFuncError(2, "pass at most one earlier definition")
		return
	}
	// What is omitted is null.
	before = append(before, nil)
	later, earlier, failure := parseDefinitions(definition, before[0])
	if failure != nil {
		resp.Error = failure
		return
	}
	resp.Error = resp.Result.Set(ctx, flow.Diagram(later, earlier))
}
