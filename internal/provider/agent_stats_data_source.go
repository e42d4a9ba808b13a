// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*agentStatsDataSource)(nil)

// NewAgentStatsDataSource returns the data source convo_agent_stats.
func NewAgentStatsDataSource() datasource.DataSource {
	return &agentStatsDataSource{apiDataSource{name: "agent_stats"}}
}

// agentStatsDataSource reads the counters of an agent (getAgentStats).
type agentStatsDataSource struct{ apiDataSource }

// agentStatsModel has the attributes of convo_agent_stats.
type agentStatsModel struct {
	AgentID string  `tfsdk:"agent_id"`
	Period  *string `tfsdk:"period"`
	audit.Stats
}

func (d *agentStatsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := statsAttributes()
	all["agent_id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "ID of the agent, as listed by `convo_agents`.",
		Validators:          []validator.String{checkFunc(checkID)},
	}
	all["period"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Period of the statistics. Must be one of `" + strings.Join(convo.StatsPeriods, "`, `") + "`. By default, the service chooses the period.",
		Validators:          []validator.String{stringvalidator.OneOf(convo.StatsPeriods...)},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves the numbers of an agent's views, starts, and completions in a period.",
		Attributes:          all,
	}
}

func (d *agentStatsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *agentStatsModel) diag.Diagnostics {
		messages := statsMessages(model.AgentID)
		stats, err := d.client.AgentStats(ctx, model.AgentID, api.ValueOf(model.Period))
		if err != nil {
			return messages.readError(err)
		}
		model.Stats = audit.NewStats(*stats)
		return messages.missingValues(jsonvalue.Missing(stats))
	})
}

// statsMessages are those of a read of statistics.
func statsMessages(agentID string) operationMessages {
	m := agentMessages("agent statistics", agentID)
	m.rejected = "Check the value of the period argument against the service's message above. If the message rejects the name of the query " +
		"parameter instead of its value, set stats_period_parameter in the provider block to the name that the service uses. The API does " +
		"not document this name."
	m.notFound += " An agent that was never published may have no statistics."
	return m
}

func statsAttributes() attributes {
	return attributes{
		"total_views":        numberAttribute("Number of views."),
		"total_starts":       numberAttribute("Number of started sessions."),
		"total_completed":    numberAttribute("Number of completed sessions."),
		"completion_percent": numberAttribute("Percentage of started sessions that were completed, rounded down. Null if none were started."),
	}
}
