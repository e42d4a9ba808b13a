// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/markdown"
)

// statistics returns the sessions of the agents and totals.
func statistics(a *audit.Audit) string {
	period := a.Period()
	if period == "" {
		return ""
	}
	ids := a.SortedIDs()
	slices.SortStableFunc(ids, func(x, y string) int {
		return startsOf(a.Agents[y].Stats[period]).Cmp(startsOf(a.Agents[x].Stats[period]))
	})
	t := markdown.NewTable("agents", maxTable, "Agent", "ID", ":Starts", ":Completed", ":Rate")
	shown := ids[:min(len(ids), markdown.MaxRows)]
	t.Omitted = len(ids) - len(shown)
	for _, id := range shown {
		agent := a.Agents[id]
		counts := []string{audit.Unknown, audit.Unknown, audit.Unknown}
		if a.HasStats(agent) {
			counts = statsCells(agent.Stats[period])
		}
		cells := []string{
			markdown.Text(textOf(agent.Name)),
			markdown.Text(id),
		}
		t.Add("", append(cells, counts...)...)
	}
	total := statsCells(a.Summary.Stats[period])
	known := len(ids) - len(agentsWithout(a, a.HasStats))
	title := "# Statistics of " + nameOf(a) + "\n\nSessions in the period " + markdown.Text(period) +
		", with the share of started sessions that were completed:\n\n"
	totals := fmt.Sprintf("\nTotal: %s started, %s completed (%s), known of %d of %d agents.\n",
		total[0], total[1], total[2], known, len(ids))
	return title + t.String() + totals
}

func startsOf(s audit.Stats) *big.Float {
	return cmp.Or(s.TotalStarts, new(big.Float))
}

func statsCells(s audit.Stats) []string {
	return []string{
		digits(s.TotalStarts, ""),
		digits(s.TotalCompleted, ""),
		digits(s.CompletionPercent, "%"),
	}
}

// digits are those of a number with a unit.
func digits(n *big.Float, unit string) string {
	if n == nil {
		return "–"
	}
	return markdown.Text(n.Text('f', -1) + unit)
}
