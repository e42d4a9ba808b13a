// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxCharted is the maximum number of agents in the chart, and maxLabel that of
// characters of their names.
const (
	maxCharted = 10
	maxLabel   = 30
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
	starts := func(id string) float64 { return number(a.Agents[id].Stats[period].TotalStarts) }
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(starts(y), starts(x)) })
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
	d.chart(a, ids)
	d.text.WriteString("\n")
	d.totals(a)
	return d.text.String()
}

func statsCells(s audit.Stats) []string {
	percent := digits(s.CompletionPercent)
	if percent != "" {
		percent += "%"
	}
	return []string{markdown(digits(s.TotalStarts)), markdown(digits(s.TotalCompleted)), markdown(percent)}
}

// digits are those of a number, or "" if it is unknown.
func digits(n *big.Float) string {
	if n == nil {
		return ""
	}
	return n.Text('f', -1)
}

// number is 0 if it is unknown, and infinite if it is too large.
func number(n *big.Float) float64 {
	if n == nil {
		return 0
	}
	f, _ := n.Float64()
	return f
}

// chart draws the sessions of the first agents, which have the most. Mermaid requires
// different labels, and no special characters in them.
func (d *document) chart(a *audit.Audit, ids []string) {
	var labels, starts, completed []string
	for i, id := range ids[:min(len(ids), maxCharted)] {
		agent := a.Agents[id]
		s := agent.Stats[a.Period()]
		if number(s.TotalStarts) <= 0 {
			break
		}
		labels = append(labels, `"`+chartLabel(i+1, cmp.Or(textOf(agent.Name), id))+`"`)
		starts = append(starts, digits(s.TotalStarts))
		completed = append(completed, cmp.Or(digits(s.TotalCompleted), "0"))
	}
	if len(labels) == 0 {
		return
	}
	fmt.Fprintf(&d.text, `
~~~mermaid
---
config:
  themeVariables:
    xyChart:
      plotColorPalette: "#a5c8ff, #1f6feb"
---
xychart-beta horizontal
    title "Started sessions (light) and completed sessions (dark)"
    x-axis [%s]
    y-axis "Sessions" 0 --> %s
    bar [%s]
    bar [%s]
~~~
`, strings.Join(labels, ", "), starts[0], strings.Join(starts, ", "), strings.Join(completed, ", "))
}

func chartLabel(position int, name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-' })
	return oneline.Text(fmt.Sprintf("%d. %s", position, strings.Join(words, " ")), maxLabel)
}

func (d *document) totals(a *audit.Audit) {
	flag := func(count *int, of func(*audit.Agent) *bool) string {
		if count == nil {
			return audit.Unknown
		}
		return total(a, strconv.Itoa(*count), func(agent *audit.Agent) bool { return of(agent) != nil })
	}
	cells := []string{
		strconv.Itoa(a.Summary.Members), strconv.Itoa(a.Summary.Agents),
		flag(a.Summary.Published, func(agent *audit.Agent) *bool { return agent.IsPublished }),
		flag(a.Summary.Archived, func(agent *audit.Agent) *bool { return agent.IsArchived }),
		flag(a.Summary.Locked, func(agent *audit.Agent) *bool { return agent.IsLocked }),
	}
	stats := a.Summary.Stats[a.Period()]
	cells = append(cells, total(a, digits(stats.TotalStarts), a.HasStats), total(a, digits(stats.TotalCompleted), a.HasStats), statsCells(stats)[2])
	t := table{noun: "totals", columns: []string{":Members", ":Agents", ":Published", ":Archived", ":Locked", ":Starts", ":Completed", ":Rate"}, maxBytes: maxBytes}
	t.add("", cells...)
	d.table(t)
}

// total says of how many agents a total is known, unless it is known of all.
func total(a *audit.Audit, count string, isKnown func(*audit.Agent) bool) string {
	switch missing := len(agentsWithout(a, isKnown)); {
	case count == "":
		return audit.Unknown
	case missing > 0:
		count = fmt.Sprintf("%s (%d of %d known)", count, len(a.Agents)-missing, len(a.Agents))
	}
	return markdown(count)
}
