// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// workspaceAuditRead reads a workspace with its members and agents, and of
// each agent its definition and statistics, all in one. Terraform's own cost
// for a plan grows with the square of the number of data source instances.
func workspaceAuditRead() read {
	return read{
		name: "workspace_audit",
		noun: "workspace audit",
		description: "Reads a whole workspace at once: its record, its members, its agents and, of each agent, what an audit needs " +
			"of its definition and its statistics. One instance of this data source does the work of hundreds of " +
			"`convo_agent` and `convo_agent_stats`, and is much faster. What cannot be read for one agent is listed in `problems`, " +
			"with a warning; what concerns the whole workspace is an error.",
		arguments: map[string]schema.Attribute{
			"workspace_id": idArgument("Id or slug of the workspace. Its agents are those that the provider's token lists: " +
				"the interface lists agents for the token's workspace only."),
			"agent_query": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Query parameters to send with the request for the list of agents, as `query` of `convo_agents`. " +
					"Default: none.",
				Validators: []validator.Map{
					mapvalidator.NoNullValues(),
					mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"agent_ids": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Identifiers of the agents to audit. One that is not in the list of agents is an error. " +
					"An empty set means none. Default: all agents of the list.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(pathSegment()),
				},
			},
			"stats_periods": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Periods to read statistics for: any of `" + strings.Join(convo.StatsPeriods(), "`, `") +
					"`. Each takes one request for each agent. Default: none.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					validPeriods{},
				},
			},
			"definitions": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to read the definitions of the agents, which takes one request for each. If not, the attributes " +
					"that come from a definition are null. Default: `true`.",
			},
		},
		results: map[string]schema.Attribute{
			"workspace": computedObject("The workspace.", workspaceAttributes()),
			"members": computedObjects("The members, sorted by e-mail address, then name, then role.",
				memberAttributes()),
			"agents": schema.MapNestedAttribute{
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: auditedAgentAttributes()},
				MarkdownDescription: "The agents by their ids: the list's fields and what comes of the definition and the statistics.",
			},
			"problems": computedObjects("What could not be read for one agent, sorted by agent and operation. Empty when all is well.",
				problemAttributes()),
			"summary": computedObject("Counts over the audited agents and all members.", summaryAttributes()),
		},
		fetch: func(ctx context.Context, client *convo.Client, a arguments) (map[string]tftypes.Value, diag.Diagnostics) {
			return newAudit(ctx, client, a).fetch(ctx)
		},
	}
}

// auditedAgentAttributes are the fields of an agent summary and those of
// definitionParts.
func auditedAgentAttributes() map[string]schema.Attribute {
	attributes := agentSummaryAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"current_user_mode": computedString("Mode in which the user of the provider's token may use the agent: `guest`, `read` or `write`."),
		"revision":          computedString("Revision of the definition."),
		"labels":            computedStrings("Labels of the agent, in the order of the service."),
		"state": computedObject("State of the agent.", map[string]schema.Attribute{
			"published": computedBool("Whether the agent is published."),
			"archived":  computedBool("Whether the agent is archived."),
			"locked":    computedBool("Whether the agent is locked."),
		}),
		"access": computedObject("Where the agent is reached.", map[string]schema.Attribute{
			"url":    computedString("Address of the agent."),
			"domain": computedString("Domain of the agent."),
		}),
		"risk_score":       computedNumber("Risk score of the agent; the interface leaves its range open."),
		"workspace_ref":    computedString("Reference to the agent's workspace."),
		"node_count":       computedNumber("How many nodes the graph has."),
		"link_count":       computedNumber("How many links the graph has."),
		"memory_count":     computedNumber("How many variables the agent has."),
		"entrypoint_count": computedNumber("How many entry points the graph has."),
		"stats": schema.MapNestedAttribute{
			Computed:     true,
			NestedObject: schema.NestedAttributeObject{Attributes: agentStatsQuery().enveloped},
			MarkdownDescription: "Counters by period, one entry for each of `stats_periods`. The counters of a period that could not be " +
				"read are null.",
		},
	})
	return attributes
}

func problemAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"agent_id":  computedString("Identifier of the agent."),
		"operation": computedString("What could not be done, such as `read agent` or `read agent statistics of last7Days`."),
		"status":    computedNumber("HTTP status of the answer; 200 for an answer that is not as the interface describes it."),
		"code":      computedString("The service's error code. Null when it sent none."),
		"message":   computedString("The service's message, or what is wrong with its answer."),
	}
}

func summaryAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"agents":    computedNumber("How many agents were audited."),
		"published": computedNumber("How many of them are published, by their definition or, where that was not read, by the list."),
		"archived":  computedNumber("How many of them are archived, as far as their definitions were read. Null without definitions."),
		"locked":    computedNumber("How many of them are locked, as far as their definitions were read. Null without definitions."),
		"problems":  computedNumber("How many entries `problems` has."),
		"members":   computedNumber("How many members the workspace has."),
		"members_by_role": schema.MapAttribute{
			Computed:            true,
			ElementType:         types.NumberType,
			MarkdownDescription: "How many members have a role, by role. Members without one are counted under the empty string.",
		},
	}
}
