// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import "math/big"

// Stats has the counters of a convo.AgentStats, and a percentage that is computed from
// them. Counters are nil if they are unknown.
type Stats struct {
	TotalViews        *big.Float `json:"total_views" tfsdk:"total_views"`
	TotalStarts       *big.Float `json:"total_starts" tfsdk:"total_starts"`
	TotalCompleted    *big.Float `json:"total_completed" tfsdk:"total_completed"`
	CompletionPercent *big.Float `json:"completion_percent" tfsdk:"completion_percent"`
}

// NewStats returns counters with the percentage of started sessions that were completed,
// rounded down. It is nil if none were started. A fraction would lengthen the plan of an
// audit of 10,000 agents by a sixth, because Terraform holds it with 512 bits.
func NewStats(views, starts, completed *big.Float) Stats {
	stats := Stats{TotalViews: views, TotalStarts: starts, TotalCompleted: completed}
	if starts == nil || completed == nil {
		return stats
	}
	// Integers, so that no agent reaches a threshold by rounding.
	started, _ := starts.Int64()
	if started > 0 {
		ended, _ := completed.Int64()
		stats.CompletionPercent = new(big.Float).SetInt64(ended * 100 / started)
	}
	return stats
}
