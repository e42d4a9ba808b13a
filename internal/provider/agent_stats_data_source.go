// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*agentStatsDataSource)(nil)

// NewAgentStatsDataSource returns the data source convo_agent_stats.
func NewAgentStatsDataSource() datasource.DataSource { return &agentStatsDataSource{} }

// agentStatsDataSource reads the counters of an agent (specification, "Get
// agent statistics").
type agentStatsDataSource struct{ apiDataSource }

// agentStatsModel has the attributes of convo_agent_stats.
type agentStatsModel struct {
	AgentID string            `tfsdk:"agent_id"`
	Period  *string           `tfsdk:"period"`
	Query   map[string]string `tfsdk:"query"`
	agentStats
}

// agentStats is "Agent statistics" in the API, and a percentage that is computed
// from it.
type agentStats struct {
	TotalViews        *big.Float `json:"totalViews" tfsdk:"total_views" required:"true"`
	TotalStarts       *big.Float `json:"totalStarts" tfsdk:"total_starts" required:"true"`
	TotalCompleted    *big.Float `json:"totalCompleted" tfsdk:"total_completed" required:"true"`
	CompletionPercent *big.Float `json:"-" tfsdk:"completion_percent"`
}

func (d *agentStatsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_stats"
}

func (d *agentStatsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := statsAttributes()
	attributes["agent_id"] = agentIDAttribute()
	attributes["period"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Period of the statistics. Must be one of " + periodsInCode() + ". If you omit it, the service chooses the period.",
		Validators:          []validator.String{stringvalidator.OneOf(convo.StatsPeriods()...)},
	}
	attributes["query"] = queryAttribute("Additional query parameters, for services that require them.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves an agent's view, start, and completion counts for a period.",
		Attributes:          attributes,
	}
}

func (d *agentStatsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model agentStatsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stats, caveats, err := readAgentStats(ctx, d.client, model.AgentID, valueOf(model.Period), model.Query)
	resp.Diagnostics.Append(d.statsMessages(model.AgentID).ofRead(caveats, err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.agentStats = *stats
	d.setState(ctx, resp, &model)
}

// readAgentStats reads the statistics of an agent for a period, or for the
// service's default period if it is empty.
func readAgentStats(ctx context.Context, client *convo.Client, agentID, period string, query map[string]string) (*agentStats, caveats, error) {
	response, err := client.AgentStats(ctx, agentID, period, query)
	if err != nil {
		return nil, caveats{}, err
	}
	defer response.Close()
	var body struct {
		Stats *agentStats `json:"stats" required:"true"`
	}
	if err := response.Decode(&body); err != nil {
		return nil, caveats{}, err
	}
	body.Stats.CompletionPercent = body.Stats.computeCompletion()
	return body.Stats, caveats{missing: jsonvalue.Missing(body.Stats, "tfsdk")}, nil
}

// statsMessages are those of a read of statistics.
func (d *providerData) statsMessages(agentID string) messages {
	m := d.agentMessages("agent statistics", agentID)
	m.badRequest = "Check the value of the period argument against the service's message above. If the message rejects the name of the query " +
		"parameter instead of its value, set stats_period_parameter in the provider block to the name that the service uses. The API does " +
		"not document this name."
	m.notFound = "An agent that was never published may have no statistics."
	return m
}

// periodsInCode lists the periods as "`today`, ..., or `allTime`".
func periodsInCode() string {
	periods := convo.StatsPeriods()
	last := len(periods) - 1
	return "`" + strings.Join(periods[:last], "`, `") + "`, or `" + periods[last] + "`"
}

func statsAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"total_views":     schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of views."},
		"total_starts":    schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of started sessions."},
		"total_completed": schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of completed sessions."},
		"completion_percent": schema.NumberAttribute{
			Computed:            true,
			MarkdownDescription: "Percentage of started sessions that were completed, rounded down. Null if none were started.",
		},
	}
}

// computeCompletion returns the percentage of completed sessions, or nil if no
// session was started. It is rounded, because the fraction would lengthen the plan
// of an audit of 10,000 agents by a sixth: Terraform holds a number that is not
// exact in binary with 512 bits.
func (s *agentStats) computeCompletion() *big.Float {
	if s.TotalStarts == nil || s.TotalCompleted == nil {
		return nil
	}
	// Exact integers, so that no agent reaches a threshold by rounding.
	started, _ := s.TotalStarts.Int(nil)
	if started.Sign() <= 0 {
		return nil
	}
	percent, _ := s.TotalCompleted.Int(nil)
	percent.Mul(percent, big.NewInt(100)).Div(percent, started)
	return new(big.Float).SetInt(percent)
}
