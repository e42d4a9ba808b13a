// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// agentStatsQuery stands for "Get agent statistics" of the interface.
func agentStatsQuery() query {
	return query{
		name:        "agent_stats",
		noun:        "agent statistics",
		description: "Reads how often an agent was viewed, started and completed in a period.",
		arguments: map[string]schema.Attribute{
			"agent_id": idArgument("Identifier of the agent."),
			"period": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Period to count over: one of `" + strings.Join(convo.StatsPeriods(), "`, `") + "`. Not sent " +
					"when it is not set: the service then chooses. It travels in the query parameter that the provider's " +
					"`stats_period_parameter` names.",
				Validators: []validator.String{validPeriods{}},
			},
		},
		idArgument: "agent_id",
		target:     "agent",
		invalid: "Check the period. If the service does not understand it: the interface leaves open the name of the query " +
			"parameter that carries it, which the provider's stats_period_parameter sets.",
		envelope: "stats",
		enveloped: map[string]schema.Attribute{
			"total_views":     computedNumber("How often the agent was viewed."),
			"total_starts":    computedNumber("How often a session of the agent was started."),
			"total_completed": computedNumber("How often a session of the agent was completed."),
		},
		options: jsonvalue.Options{
			Required: []string{"stats", "stats.totalViews", "stats.totalStarts", "stats.totalCompleted"},
		},
		request: func(ctx context.Context, client *convo.Client, a arguments) (*convo.Response, error) {
			return client.AgentStats(ctx, a.text("agent_id"), a.text("period"))
		},
	}
}
