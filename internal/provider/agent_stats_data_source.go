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
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*agentStatsDataSource)(nil)

// NewAgentStatsDataSource returns the data source convo_agent_stats.
func NewAgentStatsDataSource() datasource.DataSource { return &agentStatsDataSource{} }

// agentStatsDataSource reads the counters of an agent (specification, "Get
// agent statistics").
type agentStatsDataSource struct{ apiDataSource }

func (d *agentStatsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_stats"
}

func (d *agentStatsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := statsAttributes()
	attributes["agent_id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: agentIDArgumentDescription,
		Validators:          []validator.String{validID()},
	}
	attributes["period"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Period of the statistics. Must be one of " + periodsInCode() + ". By default, the service uses an " +
			"undocumented period.",
		Validators: []validator.String{stringvalidator.OneOf(convo.StatsPeriods()...)},
	}
	attributes["query"] = queryAttribute("Further query parameters for the request.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves an agent's view, start, and completion counts for a period.",
		Attributes:          attributes,
	}
}

func (d *agentStatsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var agentID string
	var period types.String
	var query map[string]string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("agent_id"), &agentID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("period"), &period)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("query"), &query)...)
	if resp.Diagnostics.HasError() || !d.data.ready("Unable to read agent statistics", &resp.Diagnostics) {
		return
	}
	t := statsTarget(agentID)
	stats, err := readAgentStats(ctx, d.data.client, agentID, period.ValueString(), query)
	if err != nil {
		resp.Diagnostics.Append(t.readError(err))
		return
	}
	resp.Diagnostics.Append(stats.warnings(t)...)
	resp.Diagnostics.Append(setState(&resp.State, stats.values)...)
}

// readAgentStats reads the counters of an agent and returns a value for each of
// statsAttributes.
func readAgentStats(ctx context.Context, client *convo.Client, agentID, period string, query map[string]string) (*result, error) {
	response, err := client.AgentStats(ctx, agentID, period, query)
	if err != nil {
		return nil, err
	}
	stats, err := decodeObject(ctx, client, response, "stats", counterAttributes())
	if err != nil {
		return nil, err
	}
	missing := missingValues(stats, "total_views", "total_starts", "total_completed")
	stats["completion_percent"], err = completionPercent(stats)
	if err != nil {
		return nil, err
	}
	return &result{values: stats, missing: missing}, nil
}

// statsTarget is the statistics of an agent.
func statsTarget(agentID string) target {
	t := agentTarget("agent statistics", agentID)
	t.badRequest = "Check the value of the period argument against the service's message above. If the message rejects the name of the query " +
		"parameter instead of its value, set stats_period_parameter in the provider block to the name that the service uses. The API does " +
		"not document this name."
	t.notFound = "An agent that was never published may have no statistics."
	return t
}

// periodsInCode lists the periods as "`today`, ..., or `allTime`".
func periodsInCode() string {
	periods := convo.StatsPeriods()
	last := len(periods) - 1
	return "`" + strings.Join(periods[:last], "`, `") + "`, or `" + periods[last] + "`"
}

// counterAttributes are the fields of "Agent statistics" in the API.
func counterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"total_views":     schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of views."},
		"total_starts":    schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of started sessions."},
		"total_completed": schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of completed sessions."},
	}
}

// statsAttributes are the counters and the attribute that is computed from
// them.
func statsAttributes() map[string]schema.Attribute {
	attributes := counterAttributes()
	attributes["completion_percent"] = schema.NumberAttribute{
		Computed:            true,
		MarkdownDescription: "Percentage of started sessions that were completed, rounded down. Null if none were started.",
	}
	return attributes
}

// completionPercent returns the percentage of completed sessions, or null if no
// session was started. It is rounded, because the fraction would lengthen the plan
// of an audit of 10,000 agents by a sixth: Terraform holds a number that is not
// exact in binary with 512 bits.
func completionPercent(counters map[string]tftypes.Value) (tftypes.Value, error) {
	starts, err := valueAt[*big.Float](counters["total_starts"])
	if err != nil {
		return tftypes.Value{}, err
	}
	completed, err := valueAt[*big.Float](counters["total_completed"])
	if err != nil {
		return tftypes.Value{}, err
	}
	if starts == nil || completed == nil || starts.Cmp(big.NewFloat(1)) < 0 {
		return tftypes.NewValue(tftypes.Number, nil), nil
	}
	// Exact integers, so that no agent reaches a threshold by rounding.
	started, _ := starts.Int(nil)
	percent, _ := completed.Int(nil)
	percent.Mul(percent, big.NewInt(100)).Div(percent, started)
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetInt(percent)), nil
}
