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

// graphFindingsFunction lists likely mistakes in the graph of a definition.
type graphFindingsFunction struct{}

func (graphFindingsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "graph_findings"
}

func (graphFindingsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Lists likely mistakes in an agent's conversation flow.",
		MarkdownDescription: `Lists likely mistakes in an agent's conversation flow, such as dangling links and unreachable nodes. Use the
result in checks, postconditions, and tests. The function sends no requests.

It returns a list of objects, sorted by ` + "`kind`" + ` in the order of the table below, then by ` + "`id`" + ` and ` + "`title`" + `. The list is empty
if there are no findings. Each object has these attributes, which are never null:

- ` + "`kind`" + `: One of the kinds in the table below.
- ` + "`id`" + `: ID of the link, node, entry point, or variable. Empty if there is none, and for ` + "`graph_not_understood`" + `.
- ` + "`title`" + `: Title of the node, name of the variable, or type of the entry point. For a dangling link with one end in the graph, this
  is the title of the node, or the type of the entry point, at that end. The title is a single line, and is empty if there is none. A
  title of more than 60 characters is truncated to 60 characters, followed by an ellipsis.
- ` + "`message`" + `: Description of the finding in one sentence.

| Kind | Meaning |
|---|---|
| ` + "`dangling_link`" + ` | The link names a source or target that is not in the graph. |
| ` + "`unreachable_node`" + ` | No path of links and jumps leads from an entry point to the node. |
| ` + "`entrypoint_without_link`" + ` | No link starts at the entry point, and the entry point contains neither the ID of a link, for example in ` + "`outgoingEdgeId`" + `, nor the ID of a node or item. |
| ` + "`duplicate_id`" + ` | Two or more elements of the same type (links, nodes, variables, or entry points) have the same ID. |
| ` + "`unused_variable`" + ` | Nothing in the definition uses the variable. |
| ` + "`graph_not_understood`" + ` | The function cannot report some kinds of findings for this graph. The message gives the reason. |

The API does not document the structure of a node, so the function makes these assumptions:

1. A node, which the API's links call a group, is an object with an ` + "`id`" + `. The ` + "`groupId`" + ` of a link's target is the ID of a node.
2. An object with an ` + "`id`" + ` inside a node, such as a block, is an item of that node. The ` + "`blockId`" + ` of a link's source is the ID of an
   item or of an entry point. A link whose source is an item starts at the item's node.
3. A string inside a node that equals the ID of another node is a jump to that node.
4. A node is also reachable if a string in an entry point, or in the definition outside ` + "`graph`" + `, equals its ID, or if the node
   or one of its items has the type ` + "`start`" + `.
5. A variable is used if a string in the definition, other than in the variable's own ` + "`id`" + ` and ` + "`name`" + `, equals its ID or name, or contains
   either of them in quotation marks or inside ` + "`{{...}}`" + `.

The function ignores mentions of variables and nodes in canvas notes and in ` + "`telemetry`" + `, which contains the settings of
the results table. If nothing in the definition fits an assumption about nodes, links, or variables, the function skips the
findings that depend on the assumption. For example, if it finds no use of any variable, it does not report any variable as
unused. If the graph is not empty and none of the links leads to the ID of any node, the function reports only
` + "`graph_not_understood`" + ` and duplicate IDs of links, variables, and entry points.`,
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
		Summary: "Draws an agent's conversation flow as a Mermaid flowchart.",
		MarkdownDescription: `Draws an agent's conversation flow as a [Mermaid](https://mermaid.js.org) flowchart. The function returns the
flowchart's text, which GitHub and GitLab render if you enclose it in a ` + "`mermaid`" + ` code block in Markdown, for example in a pull
request, merge request, or README file. The function sends no requests.

| In the diagram | In the graph |
|---|---|
| Rounded shape | Entry point |
| Rectangle | Node, labeled with its title or, if it has none, the first 12 characters of its ID |
| Dashed rectangle | Node that cannot be reached from an entry point |
| Red hexagon | Missing source or target of a link |
| Solid arrow | Link, labeled with the text of the item that it starts at, if there is one. An item is an element of a node, such as a button. |
| Dotted arrow | Jump: a string in a node that equals the ID of another node |

The same definition always produces the same text, so you can compare diagrams line by line. If a node changes, only its own
lines change, along with the style of any nodes that become reachable or unreachable.

Titles and item texts are truncated to 60 characters and escaped, so they cannot add links, HTML, or directives to the
diagram. The function returns an error if the diagram would have more than 50,000 characters or 500 arrows, because Mermaid
does not render larger diagrams.

The function makes the same assumptions about the graph as [` + "`graph_findings`" + `](https://registry.terraform.io/providers/convo/convo/latest/docs/functions/graph_findings). It does not draw nodes without an ID.`,
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
		MarkdownDescription: "An agent's definition as JSON: the `definition_json` attribute of `convo_agent`, or " +
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
		advice = ". If it is a YAML file, pass jsonencode(yamldecode(file(...)))"
	case errors.Is(err, flow.ErrNotObject), errors.Is(err, flow.ErrNoGraph):
		advice = ". Pass the whole definition, such as the definition_json attribute of convo_agent. Do not pass part of a definition, or an API " +
			"response that contains one"
	}
	return function.NewArgumentFuncError(0, err.Error()+advice)
}
