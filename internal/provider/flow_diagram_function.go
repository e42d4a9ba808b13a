// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	_ "embed" // For the description.
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var _ function.Function = flowDiagramFunction{}

//go:embed flow_diagram_function.md
var flowDiagramDescription string

func newFlowDiagramFunction() function.Function { return flowDiagramFunction{} }

// flowDiagramFunction draws the graph of a definition.
type flowDiagramFunction struct{}

func (flowDiagramFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "flow_diagram"
}

func (flowDiagramFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Draws an agent's conversation flow as a Mermaid flowchart.",
		MarkdownDescription: strings.TrimSpace(flowDiagramDescription),
		Parameters:          []function.Parameter{definitionParameter()},
		Return:              function.StringReturn{},
	}
}

func (flowDiagramFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var definition string
	if resp.Error = req.Arguments.Get(ctx, &definition); resp.Error != nil {
		return
	}
	graph, err := flow.Parse([]byte(definition))
	if err != nil {
		resp.Error = definitionError(err)
		return
	}
	diagram, err := graph.Diagram(nil)
	if err != nil {
		resp.Error = definitionError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, diagram)
}
