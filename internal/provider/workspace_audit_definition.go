// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// definitionAttribute is an attribute of an audited agent that comes from its
// definition.
type definitionAttribute struct {
	schema.Attribute
	// path leads to the value in the definition, in attribute names.
	path string
}

// definitionAttributes are the parts of a definition that an audit reads.
func definitionAttributes() map[string]definitionAttribute {
	return map[string]definitionAttribute{
		"revision": {path: "ref.revision", Attribute: schema.StringAttribute{Computed: true, MarkdownDescription: "Revision of the definition."}},
		"labels": {path: "profile.labels", Attribute: schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Labels of the agent.",
		}},
		"is_published": {path: "exposure.state.published", Attribute: schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the agent is published, according to its definition or, if that was not read, to the list of agents.",
		}},
		"is_archived":      {path: "exposure.state.archived", Attribute: schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is archived."}},
		"is_locked":        {path: "exposure.state.locked", Attribute: schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is locked."}},
		"domain":           {path: "exposure.access.domain", Attribute: schema.StringAttribute{Computed: true, MarkdownDescription: "Domain of the agent."}},
		"risk_score":       {path: "safeguards.risk_score", Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Risk score of the agent."}},
		"workspace_ref":    {path: "tenancy.workspace_ref", Attribute: schema.StringAttribute{Computed: true, MarkdownDescription: "Reference to the agent's workspace."}},
		"node_count":       {path: "graph.nodes#count", Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of nodes in the graph."}},
		"link_count":       {path: "graph.links#count", Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of links in the graph."}},
		"memory_count":     {path: "graph.memory#count", Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of variables."}},
		"entrypoint_count": {path: "graph.entrypoints#count", Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of entry points in the graph."}},
		"variables": {path: "graph.memory", Attribute: schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Variables of the agent, without their values. Empty unless `include_variables` is true.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"name":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the variable."},
				"is_session_variable": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the variable is a session variable."},
			}},
		}},
	}
}

// newDefinitionDecoder returns a decoder for the given parts of a definition.
func newDefinitionDecoder(ctx context.Context, parts map[string]definitionAttribute) (*jsonvalue.Decoder, error) {
	definition := map[string]tftypes.Type{}
	for _, part := range parts {
		types := definition
		groups := strings.Split(part.path, ".")
		for _, group := range groups[:len(groups)-1] {
			object, ok := types[group].(tftypes.Object)
			if !ok {
				object = tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
				types[group] = object
			}
			types = object.AttributeTypes
		}
		types[groups[len(groups)-1]] = typeOf(ctx, part)
	}
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"agent":             tftypes.Object{AttributeTypes: definition},
		"agent#hash":        tftypes.String,
		"current_user_mode": tftypes.String,
	}}
	// These parts change without an edit.
	return jsonvalue.NewDecoder(typ, "ref", "exposure", "tenancy", "timestamps", "safeguards")
}

// readDefinition reads the definition of an agent.
func (a *workspaceAudit) readDefinition(ctx context.Context, agent *auditedAgent) (*result, error) {
	response, err := a.client.Agent(ctx, agent.id, nil)
	if err != nil {
		return nil, err
	}
	fields, _, err := decode(a.client, a.definitionDecoder, response, "agent")
	if err != nil {
		return nil, err
	}
	definition := make(map[string]tftypes.Value, len(a.definitionParts)+2)
	definition["current_user_mode"] = fields["current_user_mode"]
	definition["definition_hash"] = fields["agent#hash"]
	for name, part := range a.definitionParts {
		if definition[name], err = attributeAt(fields["agent"], strings.Split(part.path, ".")...); err != nil {
			return nil, err
		}
	}
	if a.graphFindings.ValueBool() {
		agent.findings, err = flow.FindingsIn(response.Body, "agent")
		if err != nil {
			agent.findings = []flow.Finding{{Kind: flow.GraphNotUnderstood, Message: "The graph cannot be analyzed: " + err.Error() + "."}}
		}
	}
	agent.definition = definition
	return &result{missing: missingValues(definition, "current_user_mode")}, errors.Join(
		definition["is_published"].As(&agent.publishedInDefinition), definition["is_archived"].As(&agent.archived),
		definition["is_locked"].As(&agent.locked), definition["workspace_ref"].As(&agent.workspaceRef),
	)
}
