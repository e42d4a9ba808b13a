// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	_ "embed" // For the description.
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

var _ function.Function = graphFindingsFunction{}

//go:embed graph_findings_function.md
var graphFindingsDescription string

func newGraphFindingsFunction() function.Function { return graphFindingsFunction{} }

// graphFindingsFunction lists likely mistakes in the graph of a definition.
type graphFindingsFunction struct{}

func (graphFindingsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "graph_findings"
}

func (graphFindingsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Lists likely mistakes in an agent's conversation flow.",
		MarkdownDescription: strings.TrimSpace(graphFindingsDescription),
		Parameters:          []function.Parameter{definitionParameter()},
		Return:              function.ListReturn{ElementType: findingType()},
	}
}

func (graphFindingsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var definition string
	if resp.Error = req.Arguments.Get(ctx, &definition); resp.Error != nil {
		return
	}
	graph, err := flow.Parse([]byte(definition))
	if err != nil {
		resp.Error = definitionError(0, err)
		return
	}
	findings := []finding{} // Not nil, because the result without findings is an empty list, not null.
	for _, f := range graph.Findings() {
		ids := append([]string{}, f.IDs...) // Not nil for the same reason.
		findings = append(findings, finding{Kind: string(f.Kind), ID: f.ID, IDs: ids, Title: f.Title, Message: f.Message})
	}
	resp.Error = resp.Result.Set(ctx, findings)
}

// finding is an element of the result of graph_findings.
type finding struct {
	Kind    string   `tfsdk:"kind"`
	ID      string   `tfsdk:"id"`
	IDs     []string `tfsdk:"ids"`
	Title   string   `tfsdk:"title"`
	Message string   `tfsdk:"message"`
}

func findingType() attr.Type {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"kind": types.StringType, "id": types.StringType, "ids": types.ListType{ElemType: types.StringType}, "title": types.StringType,
		"message": types.StringType,
	}}
}

func definitionParameter() function.Parameter {
	return function.StringParameter{
		Name: "definition",
		MarkdownDescription: "An agent's definition as JSON: the `definition_json` attribute of `convo_agent`, or " +
			"`jsonencode(yamldecode(file(...)))` for a YAML file.",
	}
}

// definitionError is an error at the argument. Terraform prepends the name of
// the parameter and a colon, and appends a period.
func definitionError(argument int64, err error) *function.FuncError {
	advice := ""
	switch {
	case errors.Is(err, flow.ErrNotJSON):
		advice = ". If it is a YAML file, pass jsonencode(yamldecode(file(...)))"
	case errors.Is(err, flow.ErrNotObject), errors.Is(err, flow.ErrNoGraph):
		advice = ". Pass the whole definition, such as the definition_json attribute of convo_agent. Do not pass part of a definition, or an API " +
			"response that contains one"
	}
	return function.NewArgumentFuncError(argument, err.Error()+advice)
}
