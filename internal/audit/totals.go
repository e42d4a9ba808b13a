// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"math/big"
)

// Stats has the counters of a convo.AgentStats, and a percentage that is computed from
// them. Counters are nil if they are unknown.
type Stats struct {
	TotalViews        *big.Float `json:"total_views" tfsdk:"total_views"`
	TotalStarts       *big.Float `json:"total_starts" tfsdk:"total_starts"`
	TotalCompleted    *big.Float `json:"total_completed" tfsdk:"total_completed"`
	CompletionPercent *big.Float `json:"completion_percent" tfsdk:"completion_percent"`
}

// Summary has totals. A total is nil if its value is not known for any of the agents.
type Summary struct {
	Agents        int              `json:"agents" tfsdk:"agents"`
	Published     *int             `json:"published" tfsdk:"published"`
	Archived      *int             `json:"archived" tfsdk:"archived"`
	Locked        *int             `json:"locked" tfsdk:"locked"`
	ForeignAgents *int             `json:"foreign_agents" tfsdk:"foreign_agents"`
	Problems      int              `json:"problems" tfsdk:"problems"`
	Members       int              `json:"members" tfsdk:"members"`
	GraphFindings *int             `json:"graph_findings" tfsdk:"graph_findings"`
	Stats         map[string]Stats `json:"stats" tfsdk:"stats"`
}

// Summarize sets the summary.
func (a *Audit) Summarize() {
	a.Summary = &Summary{
		Agents:    len(a.Agents),
		Members:   len(a.Members),
		Problems:  len(a.Problems),
		Published: a.count(func(agent *Agent) *bool { return agent.IsPublished }),
		Archived:  a.count(func(agent *Agent) *bool { return agent.IsArchived }),
		Locked:    a.count(func(agent *Agent) *bool { return agent.IsLocked }),
		ForeignAgents: a.count(func(agent *Agent) *bool {
			if valueOf(a.Workspace.ID) == "" || valueOf(agent.WorkspaceRef) == "" {
				return nil
			}
			return new(!a.Workspace.is(*agent.WorkspaceRef))
		}),
		Stats: map[string]Stats{},
	}
	if valueOf(a.IncludeGraphFindings) {
		a.Summary.GraphFindings = a.total(func(agent *Agent) (int, bool) {
			return len(agent.GraphFindings), agent.DefinitionHash != nil
		})
	}
	for _, period := range a.StatsPeriods {
		a.Summary.Stats[period] = a.totalStats(period)
	}
}

// count counts the agents of which something is true.
func (a *Audit) count(flag func(*Agent) *bool) *int {
	return a.total(func(agent *Agent) (int, bool) {
		isTrue := flag(agent)
		if valueOf(isTrue) {
			return 1, true
		}
		return 0, isTrue != nil
	})
}

// total adds up a number over the agents. The total is nil if the number is not known of any
// agent, but 0 if there are no agents.
func (a *Audit) total(number func(*Agent) (n int, isKnown bool)) *int {
	total, isAnyKnown := 0, len(a.Agents) == 0
	for _, agent := range a.Agents {
		if n, isKnown := number(agent); isKnown {
			total += n
			isAnyKnown = true
		}
	}
	if !isAnyKnown {
		return nil
	}
	return &total
}

// totalStats adds up the counters of a period.
func (a *Audit) totalStats(period string) Stats {
	total := func(counter func(Stats) *big.Float) *big.Float {
		var sum *big.Float
		if len(a.Agents) == 0 {
			sum = new(big.Float)
		}
		for _, id := range a.SortedIDs() { // In one order, because sums are rounded.
			if n := counter(a.Agents[id].Stats[period]); n != nil {
				sum = cmp.Or(sum, new(big.Float))
				sum.Add(sum, n)
			}
		}
		return sum
	}
	return NewStats(
		total(func(s Stats) *big.Float { return s.TotalViews }),
		total(func(s Stats) *big.Float { return s.TotalStarts }),
		total(func(s Stats) *big.Float { return s.TotalCompleted }),
	)
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
