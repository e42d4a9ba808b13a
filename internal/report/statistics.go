// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// statistics returns the sessions of the agents and totals.
func statistics(a *audit.Audit) string {
	period := a.Period()
	if period == "" {
		return ""
	}
	d := &document{}
	fmt.Fprintf(&d.text, "# Statistics of %s\n\nSessions in the period %s, with the share of started sessions that were completed:\n\n", nameOf(a), markdown(period))
	ids := slices.Sorted(maps.Keys(a.Agents))
	starts := func(id string) *big.Float { return cmp.Or(a.Agents[id].Stats[period].TotalStarts, new(big.Float)) }
	slices.SortStableFunc(ids, func(x, y string) int { return starts(y).Cmp(starts(x)) })
	t := table{noun: "agents", columns: []string{"Agent", "ID", ":Starts", ":Completed", ":Rate"}, maxBytes: maxBytes}
	t.omitted = max(0, len(ids)-maxRows)
	for _, id := range ids[:len(ids)-t.omitted] {
		agent, cells := a.Agents[id], []string{audit.Unknown, audit.Unknown, audit.Unknown}
		if a.HasStats(agent) {
			cells = statsCells(agent.Stats[period])
		}
		t.add("", append([]string{markdown(textOf(agent.Name)), markdown(id)}, cells...)...)
	}
	d.table(t)
	total := statsCells(a.Summary.Stats[period])
	fmt.Fprintf(&d.text, "\nTotal: %s started, %s completed (%s), known of %d of %d agents.\n", total[0], total[1], total[2],
		len(ids)-len(agentsWithout(a, a.HasStats)), len(ids))
	return d.text.String()
}

func statsCells(s audit.Stats) []string {
	percent := strings.TrimPrefix(digits(s.CompletionPercent)+"%", "%")
	return []string{markdown(digits(s.TotalStarts)), markdown(digits(s.TotalCompleted)), markdown(percent)}
}

// digits are those of a number, or "" if it is unknown.
func digits(n *big.Float) string {
	if n == nil {
		return ""
	}
	return n.Text('f', -1)
}
