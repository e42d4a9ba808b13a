// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var (
	_ function.Function = graphFindingsFunction{}
	_ function.Function = flowDiagramFunction{}
)

func newGraphFindingsFunction() function.Function { return graphFindingsFunction{} }

func newFlowDiagramFunction() function.Function { return flowDiagramFunction{} }

// graphFindingsFunction lists the mistakes in the graph of a definition.
type graphFindingsFunction struct{}

func (graphFindingsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "graph_findings"
}

func (graphFindingsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Lists mistakes in the conversation of an agent.",
		MarkdownDescription: `Lists mistakes in the conversation of an agent, for checks, postconditions and tests. The function
sends no requests and requires no provider configuration.

The result is a list of objects, sorted by kind in the order of the table below, then by ` + "`id` and `title`" + `. It is empty if
nothing was found. Each object has these attributes, none of which is null:

- ` + "`kind`" + `: Kind of finding. One of the kinds in the table below.
- ` + "`id`" + `: ID of the link, node, entry point or variable. Empty if it has none.
- ` + "`title`" + `: Title of the node, name of the variable or type of the entry point. For a link, the title of the end that
  exists. A single line of at most 60 characters, and empty if there is no title.
- ` + "`message`" + `: Description of the finding in one sentence.

| Kind | Meaning |
|---|---|
| ` + "`dangling_link`" + ` | The link comes from, or leads to, something that is not in the graph. |
| ` + "`unreachable_node`" + ` | No links or jumps lead from an entry point to the node. |
| ` + "`entrypoint_without_link`" + ` | No link belongs to the entry point. |
| ` + "`duplicate_id`" + ` | Several links, nodes, variables or entry points have the same ID. |
| ` + "`unused_variable`" + ` | The variable is not used. |
| ` + "`graph_not_understood`" + ` | The assumptions below do not hold for this graph, or it has no entry points. The message lists the kinds that are not reported. |

The API does not document the shape of a node. The findings therefore rest on these assumptions:

1. A node is an object with an ` + "`id`" + `, and the target of a link is that ID.
2. Everything with an ` + "`id`" + ` inside a node belongs to that node. A link comes from the node that its source belongs to.
3. Text inside a node that equals the ID of another node is a jump to that node.
4. A variable is used if its ID or its name occurs as a whole text, in ` + "`{{...}}`" + ` or in quotes.

An assumption is applied only if it holds at least once in the graph.`,
		Parameters: []function.Parameter{definitionParameter()},
		Return:     function.ListReturn{ElementType: findingType()},
	}
}

func (graphFindingsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var definition string
	if resp.Error = req.Arguments.Get(ctx, &definition); resp.Error != nil {
		return
	}
	graph, err := flow.Parse([]byte(definition))
	if err != nil {
		resp.Error = definitionError(err)
		return
	}
	findings := []finding{} // Not nil, because the result without findings is an empty list, not null.
	for _, f := range graph.Findings() {
		findings = append(findings, finding{Kind: string(f.Kind), ID: f.ID, Title: f.Title, Message: f.Message})
	}
	resp.Error = resp.Result.Set(ctx, findings)
}

// flowDiagramFunction draws the graph of a definition.
type flowDiagramFunction struct{}

func (flowDiagramFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "flow_diagram"
}

func (flowDiagramFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Draws the conversation of an agent as a Mermaid diagram.",
		MarkdownDescription: `Draws the conversation of an agent as a [Mermaid](https://mermaid.js.org) flowchart, which GitHub and
GitLab render in pull requests, job summaries and Markdown files. The function sends no requests and requires no provider
configuration.

| In the diagram | In the graph |
|---|---|
| Rounded shape | Entry point |
| Rectangle | Node, with its title or the first 12 characters of its ID |
| Dashed rectangle | Node that cannot be reached from an entry point |
| Red hexagon | Missing source or target of a link |
| Solid arrow | Link, with the text of the item that it comes from, if any |
| Dotted arrow | Jump |

The same definition always returns the same text. If one node changes, only its lines change, and the style of nodes that
become reachable or unreachable.

Titles and items are truncated to 60 characters. They are escaped, so that they cannot add links, HTML or directives to the
diagram. A diagram with more than 50,000 characters or 500 arrows causes an error, because Mermaid does not render it.

The function makes the same assumptions as [` + "`graph_findings`" + `](https://registry.terraform.io/providers/convo/convo/latest/docs/functions/graph_findings). Nodes without an ID are not drawn.`,
		Parameters: []function.Parameter{definitionParameter()},
		Return:     function.StringReturn{},
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
	diagram, err := graph.Diagram()
	if err != nil {
		resp.Error = definitionError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, diagram)
}

func definitionParameter() function.Parameter {
	return function.StringParameter{
		Name: "definition",
		MarkdownDescription: "JSON text of an agent's definition: `definition_json` of `convo_agent`, or " +
			"`jsonencode(yamldecode(file(...)))` for a YAML file.",
	}
}

// finding is an element of the result of graph_findings.
type finding struct {
	Kind    string `tfsdk:"kind"`
	ID      string `tfsdk:"id"`
	Title   string `tfsdk:"title"`
	Message string `tfsdk:"message"`
}

func findingType() attr.Type {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"kind": types.StringType, "id": types.StringType, "title": types.StringType, "message": types.StringType,
	}}
}

// definitionError is an error at the argument. Terraform prepends the name of
// the parameter and a colon, and appends a period.
func definitionError(err error) *function.FuncError {
	advice := ""
	switch {
	case errors.Is(err, flow.ErrNotJSON):
		advice = ". Pass a YAML file as jsonencode(yamldecode(file(...)))"
	case errors.Is(err, flow.ErrNotObject), errors.Is(err, flow.ErrNoGraph):
		advice = ". Pass the whole definition, such as definition_json of convo_agent, not a part of it and not the response around it"
	}
	return function.NewArgumentFuncError(0, err.Error()+advice)
}
