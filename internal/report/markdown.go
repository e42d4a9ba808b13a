// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxCharted is the maximum number of agents in the chart, and maxLabel that of
	// characters of their names.
	maxCharted = 10
	maxLabel   = 30

	noEmail = "no email address"
	noRole  = "no role"
)

// document is the text of a report.
type document struct{ text strings.Builder }

func (r *Report) write(a *audit.Audit, findings []Finding, changes []audit.Change) string {
	d := &document{}
	fmt.Fprintf(&d.text, "# Audit of %s\n\n", markdown(cmp.Or(a.Workspace.Name, a.Workspace.ID)))
	fmt.Fprintf(&d.text, "**%s, %s**\n\n", counted(len(r.Errors), "error"), counted(len(r.Warnings), "warning"))
	d.findings(findings)
	d.text.WriteString("\n## Missing data\n\n")
	d.missing(a)
	d.text.WriteString("\n## Changes since the last record\n\n")
	d.changes(changes)
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
		d.text.WriteString("There are no findings.\n")
		return
	}
	levels := map[string]string{"error": "❌\u00a0Error", "warning": "⚠️\u00a0Warning"}
	t := table{noun: "findings", columns: []string{"Severity", "Rule", "Finding"}, maxBytes: 2 * maxBytes}
	for _, f := range findings {
		t.add(f.Rule, levels[f.Level], markdown(f.Rule), markdown(f.Message))
	}
	d.table(t)
}

func (d *document) changes(changes []audit.Change) {
	switch {
	case changes == nil:
		d.text.WriteString("There is no earlier record of this workspace.\n")
		return
	case len(changes) == 0:
		d.text.WriteString("There are no changes.\n")
		return
	}
	var access, other []audit.Change
	for _, c := range changes {
		if c.IsAccess() {
			access = append(access, c)
		} else {
			other = append(other, c)
		}
	}
	d.text.WriteString("### Access\n\n")
	d.changeTable(access)
	d.text.WriteString("\n### Other changes\n\n")
	d.changeTable(other)
	if slices.ContainsFunc(other, func(c audit.Change) bool { return c.What == audit.ChangedDefinition }) {
		d.text.WriteString("\nThe function definition\\_diff shows what changed between two definitions.\n")
	}
}

func (d *document) changeTable(changes []audit.Change) {
	if len(changes) == 0 {
		d.text.WriteString("There are no changes.\n")
		return
	}
	t := table{noun: "changes", columns: []string{"What", "Name", "ID", "Before", "Now"}, maxBytes: maxBytes}
	for _, c := range changes {
		if c.What == audit.ChangedMember {
			c.ID = cmp.Or(c.ID, noEmail)
		}
		before, after := whereDifferent(textOf(c.Before), textOf(c.After))
		t.add(c.What, markdown(c.What), markdown(c.Name), markdown(c.ID), markdown(before), markdown(after))
	}
	d.table(t)
}

// textOf returns "" for nil.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (d *document) agents(a *audit.Audit) {
	if len(a.Agents) == 0 {
		d.text.WriteString("There are no agents.\n")
		return
	}
	columns := []string{"Agent", "ID", "State", ":Revision", "Labels"}
	ids := slices.Sorted(maps.Keys(a.Agents))
	period := a.Period()
	if period != "" {
		fmt.Fprintf(&d.text, "Sessions in the period %s, with the share of started sessions that were completed:\n\n", markdown(period))
		columns = append(columns, ":Starts", ":Completed", ":Rate")
	}
	starts := make(map[string]float64, len(ids))
	for id, agent := range a.Agents {
		starts[id], _ = agent.Stats[period].Starts.Float64() // Infinite if it is too large.
	}
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(starts[y], starts[x]) })
	t := table{noun: "agents", columns: columns, maxBytes: maxBytes}
	for _, id := range ids {
		agent := a.Agents[id]
		revision, labels := audit.Unknown, audit.Unknown
		if agent.Revision != nil {
			revision = *agent.Revision
		}
		if agent.DefinitionHash != nil {
			labels = markdownList(agent.Labels)
		}
		cells := []string{markdown(agent.Name), markdown(id), markdown(agent.State()), markdown(revision), labels}
		switch {
		case period == "":
		case a.HasStats(agent):
			cells = append(cells, statsCells(agent.Stats[period])...)
		default:
			cells = append(cells, audit.Unknown, audit.Unknown, audit.Unknown)
		}
		t.add("", cells...)
	}
	d.table(t)
	d.chart(a, ids, starts)
}

func statsCells(s audit.Stats) []string {
	percent := s.Percent.String()
	if percent != "" {
		percent += "%"
	}
	return []string{markdown(s.Starts.String()), markdown(s.Completed.String()), markdown(percent)}
}

// chart draws the sessions of the agents with the most sessions. Mermaid requires
// different labels, no special characters in them, and numbers that it can scale.
func (d *document) chart(a *audit.Audit, ids []string, startsOf map[string]float64) {
	const maxNumber = 1e15
	tooLarge := 0
	var labels, starts, completed []string
	for _, id := range ids {
		agent := a.Agents[id]
		s := agent.Stats[a.Period()]
		done, _ := s.Completed.Float64()
		switch {
		case startsOf[id] <= 0 || len(labels) == maxCharted:
		case math.Max(startsOf[id], done) > maxNumber:
			tooLarge++
		default:
			labels = append(labels, `"`+chartLabel(len(labels)+1, cmp.Or(agent.Name, id))+`"`)
			starts = append(starts, s.Starts.String())
			completed = append(completed, cmp.Or(s.Completed, "0").String())
		}
	}
	if tooLarge > 0 {
		fmt.Fprintf(&d.text, "\nThe chart omits %s, because the number of sessions is too large.\n", counted(tooLarge, "agent"))
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

func (d *document) members(a *audit.Audit) {
	emailsByRole := maps.Clone(a.EmailsByRole)
	if emails, found := emailsByRole[""]; found {
		delete(emailsByRole, "")
		emailsByRole[noRole] = slices.Concat(emails, emailsByRole[noRole])
	}
	roles := slices.Sorted(maps.Keys(emailsByRole))
	if len(roles) == 0 {
		d.text.WriteString("There are no members.\n")
		return
	}
	t := table{noun: "roles", columns: []string{"Role", ":Number", "Email addresses"}, maxBytes: maxBytes}
	for _, role := range roles {
		emails := slices.Clone(emailsByRole[role])
		for i, email := range emails {
			emails[i] = cmp.Or(email, noEmail)
		}
		t.add("", markdown(role), strconv.Itoa(len(emails)), markdownList(emails))
	}
	d.table(t)
}

func (d *document) totals(a *audit.Audit) {
	columns := []string{":Members", ":Agents", ":Published", ":Archived", ":Locked"}
	cells := []string{markdown(a.Summary.Members.String()), markdown(a.Summary.Agents.String())}
	var published, archived, locked []*bool
	for _, agent := range a.Agents {
		published = append(published, agent.IsPublished)
		archived = append(archived, agent.IsArchived)
		locked = append(locked, agent.IsLocked)
	}
	for _, flags := range [][]*bool{published, archived, locked} {
		count, missing := 0, 0
		for _, flag := range flags {
			switch {
			case flag == nil:
				missing++
			case *flag:
				count++
			}
		}
		cells = append(cells, markdown(total(a, strconv.Itoa(count), missing)))
	}
	if period := a.Period(); period != "" {
		columns = append(columns, ":Starts", ":Completed", ":Rate")
		s := a.Summary.Stats[period]
		missing := len(agentsWithout(a, a.HasStats))
		cells = append(cells, markdown(total(a, s.Starts.String(), missing)), markdown(total(a, s.Completed.String(), missing)), statsCells(s)[2])
	}
	t := table{noun: "totals", columns: columns, maxBytes: maxBytes}
	t.add("", cells...)
	d.table(t)
}

// total says of how many agents a total is known, unless it is known of all.
func total(a *audit.Audit, count string, missing int) string {
	switch {
	case count == "":
		return audit.Unknown
	case missing == 0:
		return count
	case missing == len(a.Agents):
		return audit.Unknown
	}
	return fmt.Sprintf("%s (%d of %d known)", count, len(a.Agents)-missing, len(a.Agents))
}
