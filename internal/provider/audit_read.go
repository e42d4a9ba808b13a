// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
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
		description: "Retrieves a workspace with its members and its agents, including an extract of each agent's definition and its " +
			"statistics.",
		arguments: attributes{
			"workspace_id": idArgument(workspaceIDDescription + " Does not select the agents, which are those of the token's workspace."),
			"agent_query":  queryArgument("Query parameters of the request for the list of agents, as in `query` of `convo_agents`."),
			"agent_ids": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "IDs of the agents to audit. The read fails if one of them is not in the list of agents. " +
					"An empty set audits no agents. Defaults to all agents in the list.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(pathSegment()),
				},
			},
			"stats_periods": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Periods of the statistics to retrieve, which requires one request per agent and period. Each must be one of `" +
					strings.Join(convo.StatsPeriods(), "`, `") + "`. Defaults to none.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					validPeriods{},
				},
			},
			"definitions": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to read the agents' definitions, which requires one request per agent. If false, attributes from the " +
					"definitions are null or empty. Defaults to `true`.",
			},
			"include_graph_findings": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to list mistakes in the agents' graphs, as the function `graph_findings` does. Sends no additional " +
					"requests. Conflicts with `definitions = false`. Defaults to `false`.",
				Validators: []validator.Bool{requiresDefinitions{}},
			},
		},
		results: attributes{
			"workspace":      computedObject("Record of the workspace.", workspaceAttributes()),
			"members":        computedObjects("List of members, sorted by email address, then name, then role.", memberAttributes()),
			"emails_by_role": emailsByRoleAttribute(),
			"agents":         computedObjectMap("Map of the audited agents by ID. Their lists and maps are never null.", auditedAgentAttributes()),
			"problems": computedObjects("List of reads that failed for a single agent, and of flaws in the lists, sorted by agent and "+
				"operation.", problemAttributes()),
			"summary": computedObject("Totals over the audited agents and all members.", summaryAttributes()),
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
		"is_published": {"exposure.state.published", computedBool("Whether the agent is published, according to its definition or, if that " +
			"was not read, to the list.")},
		"is_archived":      {"exposure.state.archived", computedBool("Whether the agent is archived.")},
		"is_locked":        {"exposure.state.locked", computedBool("Whether the agent is locked.")},
		"domain":           {"exposure.access.domain", computedString("Domain of the agent.")},
		"risk_score":       {"safeguards.risk_score", computedNumber(riskScoreDescription)},
		"workspace_ref":    {"tenancy.workspace_ref", computedString("Reference to the agent's workspace.")},
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
		"graph_findings": computedObjects("List of mistakes in the agent's graph, as returned by the function `graph_findings`. Empty unless "+
			"`include_graph_findings` is true.", graphFindingAttributes()),
		"stats": computedObjectMap("Statistics by period, with an entry for each of `stats_periods`. The counters of a period that could "+
			"not be read are null.", auditedStatsAttributes()),
	})
}

func graphFindingAttributes() attributes {
	return attributes{
		"kind":    computedString("Kind of finding, such as `dangling_link`. The function `graph_findings` documents all kinds."),
		"id":      computedString("ID of the link, node, entry point or variable. Empty if there is none."),
		"title":   computedString("Title or name that belongs to the ID. Empty if there is none."),
		"message": computedString("Description of the finding in one sentence."),
	}
}

// auditedStatsAttributes are the counters of a period and their rate.
func auditedStatsAttributes() attributes {
	return union(counterAttributes(), attributes{"completion_rate": completionRateAttribute()})
}

func problemAttributes() attributes {
	return attributes{
		"agent_id":  computedString("ID of the agent. Null for a problem of a list."),
		"operation": computedString("Operation that failed, such as `read agent` or `read agent statistics of last7Days`."),
		"status": computedNumber("HTTP status of the response. It is 200 for a response that does not conform to the API, and null if " +
			"there was no response."),
		"code":    computedString("Error code of the service. Null if there is none."),
		"message": computedString("Message of the service, or a description of the problem."),
	}
}

func summaryAttributes() attributes {
	return attributes{
		"agents":    computedNumber("Number of audited agents."),
		"published": computedNumber("Number of published agents."),
		"archived":  computedNumber("Number of archived agents among those whose definition was read. Null if `definitions` is false."),
		"locked":    computedNumber("Number of locked agents among those whose definition was read. Null if `definitions` is false."),
		"foreign_agents": computedNumber("Number of agents whose `workspace_ref` differs from the workspace's ID and slug. Null if " +
			"`definitions` is false."),
		"problems":       computedNumber("Number of elements in `problems`."),
		"members":        computedNumber("Number of members."),
		"graph_findings": computedNumber("Number of elements in the `graph_findings` of all agents. Null unless `include_graph_findings` is true."),
		"members_by_role": schema.MapAttribute{
			Computed:            true,
			ElementType:         types.NumberType,
			MarkdownDescription: "Number of members by role. Members without a role are counted under the key `\"\"`.",
		},
		"stats": computedObjectMap("Totals of the statistics by period, over the audited agents whose statistics were read.",
			auditedStatsAttributes()),
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
			"The value must not be true if definitions is false, because findings come from the definitions.")
	}
}
