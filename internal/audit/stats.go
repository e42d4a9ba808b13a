// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"math/big"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// Stats has counters, which are nil if they are unknown, and a percentage of them.
type Stats struct {
	api.AgentStats
	CompletionPercent *big.Float `json:"completion_percent" tfsdk:"completion_percent"`
}

// NewStats returns counters with the percentage of started sessions that were completed,
// rounded down. It is nil if none were started. A fraction would lengthen the plan of an
// audit of 10,000 agents by a sixth, because Terraform holds it with 512 bits.
func NewStats(counters api.AgentStats) Stats {
	stats := Stats{AgentStats: counters}
	if stats.TotalStarts == nil || stats.TotalCompleted == nil {
		return stats
	}
	// Integers, so that no agent reaches a threshold by rounding.
	started, _ := stats.TotalStarts.Int64()
	if started > 0 {
		ended, _ := stats.TotalCompleted.Int64()
		stats.CompletionPercent = new(big.Float).SetInt64(ended * 100 / started)
	}
	return stats
}
