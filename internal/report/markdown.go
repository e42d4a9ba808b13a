// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxRows is the maximum number of rows of a table.
	maxRows = 100
	// maxCharted is the maximum number of agents in the chart, and maxLabel that of
	// characters of their names.
	maxCharted = 10
	maxLabel   = 30
	// maxHash is the maximum number of characters of a hash.
	maxHash = 8

	noEmail = "no email address"
)

// document is the text of a report.
type document struct{ text strings.Builder }

func (r *Report) write(a *audit, findings []Finding, comparison string) string {
	d := &document{}
	fmt.Fprintf(&d.text, "# Audit of %s\n\n", markdown(cmp.Or(a.Workspace.Name, value(a.Workspace.ID))))
	fmt.Fprintf(&d.text, "**%s, %s**\n\n", counted(len(r.Errors), "error"), counted(len(r.Warnings), "warning"))
	d.findings(findings)
	if len(a.Problems) > 0 {
		fmt.Fprintf(&d.text, "\nThe audit has %s.\n", counted(len(a.Problems), "problem"))
	}
	d.text.WriteString("\n## Changes since the last record\n\n")
	d.changes(r.Changes, comparison)
	d.text.WriteString("\n## Agents\n\n")
	d.agents(a)
	d.text.WriteString("\n## Members\n\n")
	d.members(a)
	d.text.WriteString("\n## Totals\n\n")
	d.totals(a)
	return d.text.String()
}

func counted(count int, noun string) string {
	if count != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", count, noun)
}

// table writes a table with so many rows, of which it shows the first, and then
// how many there are. Columns that begin with a colon are aligned right.
func (d *document) table(noun string, columns []string, count int, row func(int) []string) {
	header, rule := "|", "|"
	for _, column := range columns {
		name, right := strings.CutPrefix(column, ":")
		header += " " + name + " |"
		if right {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	d.text.WriteString(header + "\n" + rule + "\n")
	for i := range min(count, maxRows) {
		d.text.WriteString("| " + strings.Join(row(i), " | ") + " |\n")
	}
	if count > maxRows {
		fmt.Fprintf(&d.text, "\nThe table shows %d of %d %s.\n", maxRows, count, noun)
	}
}

func (d *document) findings(findings []Finding) {
	if len(findings) == 0 {
		d.text.WriteString("There are no findings.\n")
		return
	}
	levels := map[string]string{"error": "❌\u00a0Error", "warning": "⚠️\u00a0Warning"}
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Level, b.Level) })
	d.table("findings", []string{"Severity", "Rule", "Finding"}, len(findings), func(i int) []string {
		f := findings[i]
		return []string{levels[f.Level], markdown(f.Rule), markdown(f.Message)}
	})
}

func (d *document) changes(changes []Change, comparison string) {
	if len(changes) == 0 {
		d.text.WriteString(comparison + "\n")
		return
	}
	d.table("changes", []string{"What", "ID", "Before", "Now"}, len(changes), func(i int) []string {
		c := changes[i]
		before, after := value(c.Before), value(c.After)
		switch c.What {
		case "member":
			c.ID = cmp.Or(c.ID, noEmail)
		case "agent definition":
			before, after = oneline.Text(before, maxHash), oneline.Text(after, maxHash)
		}
		return []string{markdown(c.What), markdown(c.ID), markdown(before), markdown(after)}
	})
}

func (d *document) agents(a *audit) {
	if len(a.Agents) == 0 {
		d.text.WriteString("There are no agents.\n")
		return
	}
	columns := []string{"Agent", "ID", "State", ":Revision", "Labels"}
	ids := slices.Sorted(maps.Keys(a.Agents))
	period := a.period()
	if period != "" {
		fmt.Fprintf(&d.text, "Sessions in the period %s, with the share of started sessions that were completed:\n\n", markdown(period))
		columns = append(columns, ":Starts", ":Completed", ":Rate")
	}
	starts := make(map[string]float64, len(ids))
	for id, agent := range a.Agents {
		starts[id], _ = agent.Stats[period].Starts.Float64()
	}
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(starts[y], starts[x]) })
	d.table("agents", columns, len(ids), func(i int) []string {
		agent := a.Agents[ids[i]]
		state := agent.state()
		if a.unreadable(agent) && agent.IsPublished != nil {
			state += ", otherwise " + unknown
		}
		row := []string{markdown(agent.Name), markdown(ids[i]), markdown(state), markdown(value(agent.Revision)), markdownList(agent.Labels)}
		if period != "" {
			row = append(row, agent.Stats[period].cells()...)
		}
		return row
	})
	ids = slices.DeleteFunc(ids[:min(len(ids), maxCharted)], func(id string) bool { return starts[id] <= 0 })
	d.chart(a, ids)
}

func (s stats) cells() []string {
	percent := s.Percent.String()
	if percent != "" {
		percent += "%"
	}
	return []string{markdown(s.Starts.String()), markdown(s.Completed.String()), markdown(percent)}
}

// chart draws the sessions of some agents. Mermaid requires different labels, and
// no special characters in them.
func (d *document) chart(a *audit, ids []string) {
	if len(ids) == 0 {
		return
	}
	var labels, starts, completed []string
	for i, id := range ids {
		agent := a.Agents[id]
		s := agent.Stats[a.period()]
		labels = append(labels, `"`+chartLabel(i+1, cmp.Or(agent.Name, id))+`"`)
		starts = append(starts, s.Starts.String())
		completed = append(completed, cmp.Or(s.Completed, "0").String())
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

func (d *document) members(a *audit) {
	roles := slices.Sorted(maps.Keys(a.EmailsByRole))
	if len(roles) == 0 {
		d.text.WriteString("There are no members.\n")
		return
	}
	d.table("roles", []string{"Role", ":Number", "Email addresses"}, len(roles), func(i int) []string {
		emails := slices.Clone(a.EmailsByRole[roles[i]])
		for i, email := range emails {
			emails[i] = cmp.Or(email, noEmail)
		}
		return []string{markdown(roles[i]), strconv.Itoa(len(emails)), markdownList(emails)}
	})
}

func (d *document) totals(a *audit) {
	s := a.Summary
	columns := []string{":Members", ":Agents", ":Published", ":Archived", ":Locked"}
	var row []string
	for _, count := range []json.Number{s.Members, s.Agents, s.Published, s.Archived, s.Locked} {
		row = append(row, markdown(count.String()))
	}
	if period := a.period(); period != "" {
		columns = append(columns, ":Starts", ":Completed", ":Rate")
		row = append(row, s.Stats[period].cells()...)
	}
	d.table("totals", columns, 1, func(int) []string { return row })
}
