// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// workspaceAuditRead reads a workspace with its members and agents, and each
// agent's definition and statistics, in one data source, because Terraform's
// own time for a plan grows with the square of the number of data source
// instances.
//
// The structure of its result is for expressions and differs from the API.
// Agents are flat, and their lists and maps are never null.
func workspaceAuditRead() read {
	return read{
		name: "workspace_audit",
		noun: "workspace audit",
		description: "Retrieves a workspace and its members, together with the agents in the workspace that the token belongs to. For each " +
			"agent, the result contains selected attributes of the definition and, optionally, statistics and likely mistakes in the conversation flow.",
		arguments: attributes{
			"workspace_id": idArgument(workspaceIDDescription + " It does not select the agents, which always come from the token's workspace."),
			"agent_query":  queryArgument("Query parameters for the request that lists the agents, as in the `query` argument of `convo_agents`."),
			"agent_ids": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "IDs of the agents to audit. The read fails if any of these agents is missing from the service's list. " +
					"An empty set audits no agents. Defaults to all agents that the service lists.",
				Validators: []validator.Set{
					noNulls{},
					setvalidator.ValueStringsAre(pathSegment()),
				},
			},
			"stats_periods": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Periods for which to retrieve statistics. Each period requires one request per agent. Must be one or more of " +
					periodsInCode() + ". By default, no statistics are retrieved.",
				Validators: []validator.Set{
					noNulls{},
					validPeriods{},
				},
			},
			"definitions": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to read the agents' definitions. This requires one request per agent. If false, `labels` and " +
					"`graph_findings` are empty, and `current_user_mode`, `domain`, `entrypoint_count`, `is_archived`, `is_locked`, " +
					"`link_count`, `memory_count`, `node_count`, `revision`, `risk_score`, and `workspace_ref` are null. Defaults " +
					"to `true`.",
			},
			"include_graph_findings": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to list likely mistakes in the agents' conversation flows, as the `graph_findings` function does. This " +
					"requires no additional requests. Conflicts with `definitions = false`. Defaults to `false`.",
				Validators: []validator.Bool{requiresDefinitions{}},
			},
		},
		results: attributes{
			"workspace":      computedObject("Details of the workspace.", workspaceAttributes()),
			"members":        computedObjects(membersDescription, memberAttributes()),
			"emails_by_role": emailsByRoleAttribute(),
			"agents":         computedObjectMap("Map of agent IDs to the audited agents. Any attribute of an agent can be null, except lists and maps.", auditedAgentAttributes()),
			"problems": computedObjects("Reads that failed for individual agents; problems in the lists of agents and members, such as an agent "+
				"without an ID; and agents whose published state differs between the list and the definition. Sorted by agent and operation.", problemAttributes()),
			"summary": computedObject("Totals for the audited agents and all members.", summaryAttributes()),
		},
		fetch: func(ctx context.Context, c *connection, arguments values) (values, diag.Diagnostics) {
			return newAudit(ctx, c, arguments).fetch(ctx)
		},
	}
}

// definitionPart is an attribute of an audited agent that comes from its
// definition.
type definitionPart struct {
	// place is the path of the value in the definition, in attribute names.
	place     string
	attribute schema.Attribute
}

// definitionParts are the parts of a definition that an audit keeps.
func definitionParts() map[string]definitionPart {
	return map[string]definitionPart{
		"revision": {"ref.revision", computedString("Revision of the definition.")},
		"labels":   {"profile.labels", computedStrings("Labels of the agent.")},
		"is_published": {"exposure.state.published", computedBool("Whether the agent is published, according to its definition or, if the " +
			"definition was not read, according to the list of agents.")},
		"is_archived":      {"exposure.state.archived", computedBool("Whether the agent is archived.")},
		"is_locked":        {"exposure.state.locked", computedBool("Whether the agent is locked.")},
		"domain":           {"exposure.access.domain", computedString("Domain of the agent.")},
		"risk_score":       {"safeguards.risk_score", computedNumber(riskScoreDescription)},
		"workspace_ref":    {"tenancy.workspace_ref", computedString(workspaceRefDescription)},
		"node_count":       {"graph.nodes_count", computedNumber("Number of nodes in the graph.")},
		"link_count":       {"graph.links_count", computedNumber("Number of links in the graph.")},
		"memory_count":     {"graph.memory_count", computedNumber("Number of variables.")},
		"entrypoint_count": {"graph.entrypoints_count", computedNumber("Number of entry points in the graph.")},
	}
}

// auditedAgentAttributes are the fields of an agent summary, the parts of the
// definition, and the other values of an agent.
func auditedAgentAttributes() attributes {
	parts := attributes{}
	for name, part := range definitionParts() {
		parts[name] = part.attribute
	}
	return union(agentSummaryAttributes(), parts, attributes{
		"current_user_mode": computedString(userModeDescription),
		"graph_findings": computedObjects("Likely mistakes in the agent's conversation flow, as returned by the `graph_findings` function. Empty "+
			"unless `include_graph_findings` is true.", graphFindingAttributes()),
		"stats": computedObjectMap("Map of each of the `stats_periods` to the agent's statistics. If the statistics could not be read, their "+
			"attributes are null.", auditedStatsAttributes()),
	})
}

func graphFindingAttributes() attributes {
	return attributes{
		"kind": computedString("Kind of finding, such as `dangling_link`. For all kinds, see the `graph_findings` function."),
		"id":   computedString("ID of the link, node, entry point, or variable. Empty if there is none."),
		"title": computedString("Title of the node, name of the variable, or type of the entry point. For a dangling link with one end in the graph, " +
			"title of the node or type of the entry point at that end. Empty if there is none."),
		"message": computedString("Description of the finding in one sentence."),
	}
}

// auditedStatsAttributes are the counters of a period and their percentage.
func auditedStatsAttributes() attributes {
	return union(counterAttributes(), attributes{"completion_percent": completionPercentAttribute()})
}

func problemAttributes() attributes {
	return attributes{
		"agent_id":  computedString("ID of the agent. Null if the problem concerns a list rather than an agent."),
		"operation": computedString("Operation in which the problem occurred, such as `read agent` or `read agent statistics (last7Days)`."),
		"status": computedNumber("HTTP status of the response to a failed read. A status of 200 means that the request succeeded, but the response " +
			"does not match the documented API. Null if no read failed, or if there was no response."),
		"code":    computedString("Error code that the service returned. Null if there is none."),
		"message": computedString("Message that the service returned, or a description of the problem."),
	}
}

func summaryAttributes() attributes {
	return attributes{
		"agents":    computedNumber("Number of audited agents."),
		"published": computedNumber("Number of published agents."),
		"archived":  computedNumber("Number of archived agents, among those whose definition was read. Null if `definitions` is false."),
		"locked":    computedNumber("Number of locked agents, among those whose definition was read. Null if `definitions` is false."),
		"foreign_agents": computedNumber("Number of agents whose `workspace_ref` matches neither the workspace's ID nor its slug. Agents whose " +
			"`workspace_ref` is null are not counted. Null if `definitions` is false."),
		"problems":       computedNumber("Number of elements in `problems`."),
		"members":        computedNumber("Number of members."),
		"graph_findings": computedNumber("Total number of graph findings for all audited agents. Null unless `include_graph_findings` is true."),
		"members_by_role": schema.MapAttribute{
			Computed:            true,
			ElementType:         types.NumberType,
			MarkdownDescription: "Map of each role to the number of its members. Members without a role are counted under the key `\"\"`.",
		},
		"stats": computedObjectMap("Map of each of the `stats_periods` to the total statistics of the audited agents whose statistics were read.",
			auditedStatsAttributes()),
	}
}

// noNulls rejects sets that contain null.
type noNulls struct{}

func (noNulls) Description(context.Context) string               { return "must not contain null" }
func (v noNulls) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (noNulls) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if slices.ContainsFunc(req.ConfigValue.Elements(), attr.Value.IsNull) {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), "The set must not contain null. Remove the null element.")
	}
}

// requiresDefinitions rejects true if definitions is false.
type requiresDefinitions struct{}

func (requiresDefinitions) Description(context.Context) string {
	return "must not be true if definitions is false"
}

func (v requiresDefinitions) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (requiresDefinitions) ValidateBool(ctx context.Context, req validator.BoolRequest, resp *validator.BoolResponse) {
	var definitions types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("definitions"), &definitions)...)
	if req.ConfigValue.ValueBool() && !definitions.IsUnknown() && !definitions.IsNull() && !definitions.ValueBool() {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()),
			"Graph findings require the agents' definitions, but the definitions argument is false. Set it to true, or remove "+
				"include_graph_findings.")
	}
}
