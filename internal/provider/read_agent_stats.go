// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"

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
		description: "Retrieves an agent's view, start, and completion counts for a period.",
		arguments: attributes{
			"agent_id": idArgument("ID of the agent, as listed by `convo_agents`."),
			"period": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Period of the statistics. Must be one of " + periodsInCode() + ". If you omit this argument, the service uses its own " +
					"default period, which the API does not document.",
				Validators: []validator.String{validPeriods{}},
			},
		},
		idArgument: "agent_id",
		invalid: "Check the value of the period argument against the service's message above. If the message rejects the name of the query parameter instead of " +
			"its value, set stats_period_parameter in the provider block to the name that the service uses. The API does not document " +
			"this name.",
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
	return computedNumber("Fraction of started sessions that were completed, from 0 to 1, rounded to four decimal places. Null if no " +
		"sessions were started.")
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
	short := new(big.Float).SetInt(rounded) // with 64 bits, or more if the integer has more
	return tftypes.NewValue(tftypes.Number, short.Quo(short, big.NewFloat(scale)))
}
