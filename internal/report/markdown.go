// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

const (
	// maxRows is the maximum number of rows of a table.
	maxRows = 100
	// maxList is the number of bytes after which a list in a cell ends.
	maxList = 2000
	// maxCharted is the maximum number of agents in the chart, and maxLabel that of
	// characters of their names.
	maxCharted = 10
	maxLabel   = 30

	// maxHash is the maximum number of characters of a hash.
	maxHash = 8

	noEmail = "no email address"
	noRole  = "no role"
)

// document is the text of a report.
type document struct{ text strings.Builder }

// table writes a table with so many rows, of which it shows the first, and then
// how many there are. Columns that begin with a colon are aligned right.
func (d *document) table(noun string, columns []string, count int, row func(int) []escaped) {
	for _, column := range columns {
		d.text.WriteString("| " + strings.TrimPrefix(column, ":") + " ")
	}
	d.text.WriteString("|\n")
	for _, column := range columns {
		d.text.WriteString(map[bool]string{true: "|--:", false: "|---"}[strings.HasPrefix(column, ":")])
	}
	d.text.WriteString("|\n")
	for i := range min(count, maxRows) {
		for _, cell := range row(i) {
			d.text.WriteString("| " + string(cell) + " ")
		}
		d.text.WriteString("|\n")
	}
	if count > maxRows {
		fmt.Fprintf(&d.text, "\nThe table shows %d of %d %s.\n", maxRows, count, noun)
	}
}

// list returns the first of the texts, and how many there are.
func list(texts []string) escaped {
	if len(texts) == 0 {
		return markdown("")
	}
	result := markdown(texts[0])
	for i, text := range texts[1:] {
		if len(result) > maxList {
			return result + escaped(fmt.Sprintf(", … (%d of %d)", i+1, len(texts)))
		}
		result += ", " + markdown(text)
	}
	return result
}

func (r *Report) write(a *audit, findings []Finding, comparison string) string {
	d := &document{}
	fmt.Fprintf(&d.text, "# Audit of %s\n\n", markdown(cmp.Or(a.Workspace.Name, value(a.Workspace.ID))))
	fmt.Fprintf(&d.text, "**%s, %s**\n\n", counted(len(r.Errors), "error"), counted(len(r.Warnings), "warning"))
	d.findings(findings)
	d.text.WriteString("\n## Changes since the last record\n\n")
	d.changes(r.Changes, comparison)
	d.unreadable(a)
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

func (d *document) findings(findings []Finding) {
	if len(findings) == 0 {
		d.text.WriteString("✅ The workspace complies with all rules.\n")
		return
	}
	levels := map[string]escaped{"error": "❌\u00a0Error", "warning": "⚠️\u00a0Warning"}
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Level, b.Level) })
	d.table("findings", []string{"Severity", "Rule", "Finding"}, len(findings), func(i int) []escaped {
		f := findings[i]
		return []escaped{levels[f.Level], markdown(f.Rule), markdown(f.Message)}
	})
}

func (d *document) changes(changes []Change, comparison string) {
	if len(changes) == 0 {
		d.text.WriteString(comparison + "\n")
		return
	}
	d.table("changes", []string{"What", "ID", "Before", "Now"}, len(changes), func(i int) []escaped {
		c := changes[i]
		before, after := value(c.Before), value(c.After)
		switch c.What {
		case "member":
			c.ID = cmp.Or(c.ID, noEmail)
			before, after = role(c.Before), role(c.After)
		case "agent definition":
			before, after = flow.Line(before, maxHash), flow.Line(after, maxHash)
		}
		return []escaped{markdown(c.What), markdown(c.ID), markdown(before), markdown(after)}
	})
}

// role returns a member's roles, or an empty text for someone who is not a member.
func role(text *string) string {
	if text == nil {
		return ""
	}
	return cmp.Or(*text, noRole)
}

// unreadable says how many agents the changes cannot include.
func (d *document) unreadable(a *audit) {
	count := 0
	for _, agent := range a.Agents {
		if a.definitionsRead() && agent.DefinitionHash == nil {
			count++
		}
	}
	if count > 0 {
		fmt.Fprintf(&d.text, "\nChanges are unknown for %s whose definitions could not be read. The record keeps their previous values.\n", counted(count, "agent"))
	}
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
		ids = busiest(a, ids)
	}
	d.table("agents", columns, len(ids), func(i int) []escaped {
		agent := a.Agents[ids[i]]
		state := stateOf(agent, a.definitionsRead())
		row := []escaped{markdown(agent.Name), markdown(ids[i]), markdown(state), markdown(value(agent.Revision)), list(agent.Labels)}
		if period != "" {
			row = append(row, agent.Stats[period].cells()...)
		}
		return row
	})
	d.chart(a, ids)
}

// stateOf describes the state of an agent. Without its definition, only the list
// of agents says whether it is published.
func stateOf(a agent, definitions bool) string {
	state := recordedAgent{Published: a.IsPublished, Archived: a.IsArchived, Locked: a.IsLocked}.state()
	if definitions && a.DefinitionHash == nil && a.IsPublished != nil {
		state += ", otherwise " + unknown
	}
	return state
}

func (s stats) cells() []escaped {
	percent := s.Percent.String()
	if percent != "" {
		percent += "%"
	}
	return []escaped{markdown(s.Starts.String()), markdown(s.Completed.String()), markdown(percent)}
}

// busiest sorts IDs by the number of started sessions, in descending order.
func busiest(a *audit, ids []string) []string {
	starts := make(map[string]float64, len(ids))
	for _, id := range ids {
		starts[id] = number(a.Agents[id].Stats[a.period()].Starts)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(starts[b], starts[a]) })
	return ids
}

// number returns a number, or 0 for an empty one. One that is too large is
// infinite.
func number(n json.Number) float64 {
	value, _ := strconv.ParseFloat(n.String(), 64)
	return value
}

// chart draws the agents with the most sessions. Mermaid requires different
// labels, and no special characters in them.
func (d *document) chart(a *audit, ids []string) {
	var labels, starts, completed []string
	for _, id := range ids[:min(len(ids), maxCharted)] {
		s := a.Agents[id].Stats[a.period()]
		if count := number(s.Starts); count <= 0 || count > math.MaxInt64 || number(s.Completed) > math.MaxInt64 {
			continue
		}
		labels = append(labels, `"`+chartLabel(len(labels)+1, cmp.Or(a.Agents[id].Name, id))+`"`)
		starts = append(starts, decimal(s.Starts))
		completed = append(completed, decimal(s.Completed))
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
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-' || r == '\ufb02' })
	return flow.Line(fmt.Sprintf("%d. %s", position, strings.Join(words, " ")), maxLabel)
}

// decimal returns a number without an exponent.
func decimal(n json.Number) string { return strconv.FormatFloat(max(number(n), 0), 'f', -1, 64) }

func (d *document) members(a *audit) {
	roles := slices.Sorted(maps.Keys(a.EmailsByRole))
	if len(roles) == 0 {
		d.text.WriteString("There are no members.\n")
		return
	}
	d.table("roles", []string{"Role", ":Number", "Email addresses"}, len(roles), func(i int) []escaped {
		emails := a.EmailsByRole[roles[i]]
		named := make([]string, len(emails))
		for i, email := range emails {
			named[i] = cmp.Or(email, noEmail)
		}
		return []escaped{markdown(cmp.Or(roles[i], noRole)), markdown(strconv.Itoa(len(emails))), list(named)}
	})
}

func (d *document) totals(a *audit) {
	s := a.Summary
	columns := []string{":Members", ":Agents", ":Published", ":Archived", ":Locked"}
	var row []escaped
	for _, count := range []json.Number{s.Members, s.Agents, s.Published, s.Archived, s.Locked} {
		row = append(row, markdown(count.String()))
	}
	if period := a.period(); period != "" {
		columns = append(columns, ":Starts", ":Completed", ":Rate")
		row = append(row, s.Stats[period].cells()...)
	}
	d.table("totals", columns, 1, func(int) []escaped { return row })
}
