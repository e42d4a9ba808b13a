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
		derived: attributes{"completion_percent": completionPercentAttribute()},
		derive:  func(results values) values { return values{"completion_percent": completionPercent(results)} },
		request: func(ctx context.Context, client *convo.Client, arguments values) (*convo.Response, error) {
			return client.AgentStats(ctx, arguments.text("agent_id"), arguments.text("period"), nil)
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

func completionPercentAttribute() schema.NumberAttribute {
	return computedNumber("Percentage of started sessions that were completed, rounded down to a whole number. Null if no sessions were started.")
}

// completionPercent returns the percentage of completed sessions, or null if it
// is undefined. A fraction would lengthen Terraform's plan of an audit of 10,000
// agents by a sixth, because Terraform holds a decimal that is not exact in
// binary with 512 bits, and formats it three times whenever it stores it.
func completionPercent(counters values) tftypes.Value {
	starts, completed := numberOf(counters["total_starts"]), numberOf(counters["total_completed"])
	if starts == nil || completed == nil || starts.Sign() <= 0 {
		return tftypes.NewValue(tftypes.Number, nil)
	}
	percent := new(big.Rat).Quo(rational(completed), rational(starts))
	percent.Mul(percent, big.NewRat(100, 1))
	// The denominator is positive, so that the Euclidean division rounds down.
	return tftypes.NewValue(tftypes.Number, new(big.Float).SetInt(new(big.Int).Div(percent.Num(), percent.Denom())))
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
