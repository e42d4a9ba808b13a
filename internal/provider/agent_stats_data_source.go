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

func newAgentStatsDataSource() datasource.DataSource { return &agentStatsDataSource{} }

// agentStatsDataSource reads the counters of an agent (specification, "Get
// agent statistics").
type agentStatsDataSource struct{ apiDataSource }

func (d *agentStatsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_stats"
}

func (d *agentStatsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves an agent's view, start, and completion counts for a period.",
		Attributes: mergeAttributes(statsAttributes(), map[string]schema.Attribute{
			"agent_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: agentIDArgumentDescription,
				Validators:          []validator.String{validID()},
			},
			"period": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Period of the statistics. Must be one of " + periodsInCode() + ". By default, the service uses an " +
					"undocumented period.",
				Validators: []validator.String{stringvalidator.OneOf(convo.StatsPeriods()...)},
			},
			"query": queryAttribute("Further query parameters for the request."),
		}),
	}
}

func (d *agentStatsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.ready("Unable to read agent statistics", &resp.Diagnostics) {
		return
	}
	var agentID string
	var period types.String
	var query map[string]string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("agent_id"), &agentID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("period"), &period)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("query"), &query)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stats, err := readAgentStats(ctx, d.client, agentID, period.ValueString(), query)
	d.respond(resp, statsTarget(agentID), stats, err)
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
	return mergeAttributes(counterAttributes(), map[string]schema.Attribute{
		"completion_percent": schema.NumberAttribute{
			Computed:            true,
			MarkdownDescription: "Percentage of started sessions that were completed, rounded down. Null if none were started.",
		},
	})
}

// completionPercent returns the percentage of completed sessions, or null if it
// is undefined. A fraction would lengthen Terraform's plan of an audit of 10,000
// agents by a sixth, because Terraform holds a decimal that is not exact in
// binary with 512 bits, and formats it three times whenever it stores it.
func completionPercent(counters map[string]tftypes.Value) (tftypes.Value, error) {
	undefined := tftypes.NewValue(tftypes.Number, nil)
	starts, err := valueAt[*big.Float](counters["total_starts"])
	if err != nil {
		return undefined, err
	}
	completed, err := valueAt[*big.Float](counters["total_completed"])
	if err != nil || starts == nil || completed == nil || starts.Sign() <= 0 {
		return undefined, err
	}
	percent := new(big.Rat).Quo(rational(completed), rational(starts))
	percent.Mul(percent, big.NewRat(100, 1))
	// The denominator is positive, so that the Euclidean division rounds down.
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetInt(new(big.Int).Div(percent.Num(), percent.Denom()))), nil
}

// rational returns the shortest decimal of a number, which is the one that the
// service sent, or nearly so for a sum of fractions. Counts do not need the way
// through text, which is slow.
func rational(number *big.Float) *big.Rat {
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return new(big.Rat).SetInt64(n)
	}
	r, _ := new(big.Rat).SetString(number.Text('g', -1))
	return r
}
