// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// read is something that can be read by arguments. How it is served, as a
// data source or otherwise, is the same for all of them.
type read struct {
	// name follows "convo_" in the type's name.
	name string
	// noun is what is read, as in "Unable to read agent".
	noun        string
	description string
	arguments   map[string]schema.Attribute
	results     map[string]schema.Attribute
	// fetch reads what the arguments ask for. Unless there is an error it
	// returns every result.
	fetch func(context.Context, *convo.Client, arguments) (map[string]tftypes.Value, diag.Diagnostics)
}

// reads are all reads of the provider.
func reads() []read {
	return []read{
		workspaceQuery().read(),
		membersQuery().read(),
		agentsQuery().read(),
		agentQuery().read(),
		agentStatsQuery().read(),
		workspaceAuditRead(),
	}
}

// schema returns the schema of the read's data source.
func (r read) schema() schema.Schema {
	attributes := maps.Clone(r.arguments)
	maps.Copy(attributes, r.results)
	return schema.Schema{MarkdownDescription: r.description, Attributes: attributes}
}

// run reads what a configuration asks for and returns it with the results.
func (r read) run(ctx context.Context, client *convo.Client, config tftypes.Value) (tftypes.Value, diag.Diagnostics) {
	var diags diag.Diagnostics
	var arguments map[string]tftypes.Value
	if err := config.As(&arguments); err != nil || !config.IsFullyKnown() {
		diags.AddError("Unable to read "+r.noun, "The arguments are not known.")
		return tftypes.Value{}, diags
	}
	results, diags := r.fetch(ctx, client, arguments)
	if diags.HasError() {
		return tftypes.Value{}, diags
	}
	// A clone, because the map is the configuration's own.
	values := maps.Clone(arguments)
	maps.Copy(values, results)
	return tftypes.NewValue(config.Type(), values), diags
}

// typesOf returns the types of attributes by their names.
func typesOf(ctx context.Context, attributes map[string]schema.Attribute) map[string]tftypes.Type {
	types := make(map[string]tftypes.Type, len(attributes))
	for name, attribute := range attributes {
		types[name] = attribute.GetType().TerraformType(ctx)
	}
	return types
}
