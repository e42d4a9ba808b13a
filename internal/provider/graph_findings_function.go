// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	_ "embed" // For the description.
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
	parsed, failure := parseDefinition(0, &definition)
	if failure != nil {
		resp.Error = failure
		return
	}
	findings := []finding{} // Not nil, because the result without findings is an empty list, not null.
	for _, f := range parsed.Findings() {
		findings = append(findings, newFinding(f))
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

func newFinding(f flow.Finding) finding {
	return finding{
		Kind:    string(f.Kind),
		ID:      f.ID,
		IDs:     append([]string{}, f.IDs...), // Not nil, because the list is never null.
		Title:   f.Title,
		Message: f.Message,
	}
}

func findingType() attr.Type {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"kind":    types.StringType,
		"id":      types.StringType,
		"ids":     types.ListType{ElemType: types.StringType},
		"title":   types.StringType,
		"message": types.StringType,
	}}
}
