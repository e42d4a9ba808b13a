// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// attributes are the attributes of a schema or an object by their names.
type attributes = map[string]schema.Attribute

// read describes what can be read with given arguments: one schema and the
// function that fills it. The server serves every read as a data source and as
// an ephemeral resource.
type read struct {
	// name follows "convo_" in the type's name.
	name string
	// noun completes "Unable to read ...".
	noun        string
	description string
	arguments   attributes
	results     attributes
	// fetch reads the object that the arguments name. Without an error, it returns
	// a value for every result.
	fetch func(context.Context, *connection, values) (values, diag.Diagnostics)
}

// operations lists all read operations of the API.
func operations() []operation {
	return []operation{
		workspaceOperation(),
		membersOperation(),
		agentsOperation(),
		agentOperation(),
		agentStatsOperation(),
	}
}

// reads lists all reads of the provider: one for each operation, and those that
// combine operations.
func reads() []read {
	reads := []read{workspaceAuditRead()}
	for _, o := range operations() {
		reads = append(reads, o.read())
	}
	return reads
}

// schema returns the schema of the read's data source.
func (r read) schema() schema.Schema {
	return schema.Schema{MarkdownDescription: r.description, Attributes: union(r.arguments, r.results)}
}

// run reads the object that a configuration names and returns the configuration
// with the results.
func (r read) run(ctx context.Context, c *connection, config tftypes.Value) (tftypes.Value, diag.Diagnostics) {
	arguments := objectOf(config)
	if arguments == nil || !config.IsFullyKnown() {
		fault := &faultError{errors.New("the arguments are not known")}
		return tftypes.Value{}, diag.Diagnostics{c.failure(subject{noun: r.noun}, "read", fault)}
	}
	results, diags := r.fetch(ctx, c, arguments)
	if diags.HasError() {
		return tftypes.Value{}, diags
	}
	// A clone, because the map belongs to the configuration.
	state := maps.Clone(arguments)
	maps.Copy(state, results)
	return tftypes.NewValue(config.Type(), map[string]tftypes.Value(state)), diags
}

// union returns the attributes of several schemas as one.
func union(parts ...attributes) attributes {
	all := attributes{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// typesOf returns the types of attributes by their names.
func typesOf(ctx context.Context, all attributes) map[string]tftypes.Type {
	types := make(map[string]tftypes.Type, len(all))
	for name, attribute := range all {
		types[name] = attribute.GetType().TerraformType(ctx)
	}
	return types
}

// objectType returns the type of an object with the attributes.
func objectType(ctx context.Context, all attributes) tftypes.Object {
	return tftypes.Object{AttributeTypes: typesOf(ctx, all)}
}
