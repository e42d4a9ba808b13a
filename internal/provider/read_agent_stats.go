// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// agentStatsOperation describes "Get agent statistics" of the API.
func agentStatsOperation() operation {
	return operation{
		name:        "agent_stats",
		noun:        "agent statistics",
		description: "Retrieves the number of views, started sessions and completed sessions of an agent in a period.",
		arguments: attributes{
			"agent_id": idArgument("ID of the agent."),
			"period": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Period of the statistics. Must be one of `" + strings.Join(convo.StatsPeriods(), "`, `") + "`. The provider's " +
					"`stats_period_parameter` sets the name of its query parameter. Defaults to the service's period, which the API " +
					"does not document.",
				Validators: []validator.String{validPeriods{}},
			},
		},
		idArgument: "agent_id",
		invalid: "Compare period with the service's message above. If the service does not recognize the query parameter, set " +
			"stats_period_parameter in the provider block, because the API does not document its name.",
		object:       "stats",
		objectFields: counterAttributes(),
		options: jsonvalue.Options{
			Required: []string{"stats", "stats.totalViews", "stats.totalStarts", "stats.totalCompleted"},
		},
		derived: attributes{"completion_rate": completionRateAttribute()},
		derive:  func(results values) values { return values{"completion_rate": completionRate(results)} },
		request: func(ctx context.Context, client *convo.Client, arguments values) (*convo.Response, error) {
			return client.AgentStats(ctx, arguments.text("agent_id"), arguments.text("period"))
		},
	}
}

// counterAttributes are the fields of "Agent statistics" in the API.
func counterAttributes() attributes {
	return attributes{
		"total_views":     computedNumber("Number of views."),
		"total_starts":    computedNumber("Number of started sessions."),
		"total_completed": computedNumber("Number of completed sessions."),
	}
}

func completionRateAttribute() schema.NumberAttribute {
	return computedNumber("Share of the started sessions that were completed, from 0 to 1 and rounded to 4 decimal places. Null if no " +
		"session was started.")
}

// completionRate returns completed / starts of counters, or null if it is
// undefined.
func completionRate(counters values) tftypes.Value {
	starts, completed := numberOf(counters["total_starts"]), numberOf(counters["total_completed"])
	if starts == nil || completed == nil || starts.Sign() <= 0 {
		return tftypes.NewValue(tftypes.Number, nil)
	}
	const scale = 10_000
	rate := new(big.Float).SetPrec(512).Quo(completed, starts)
	rounded, _ := rate.Mul(rate, big.NewFloat(scale)).Add(rate, big.NewFloat(0.5)).Int(nil)
	// Its shortest decimal has at most 4 places, which is what Terraform receives
	// and parses, so that the rate equals a decimal in a configuration. With more
	// bits it would take eight times as long to write.
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetPrec(64).Quo(new(big.Float).SetInt(rounded), big.NewFloat(scale)))
}
