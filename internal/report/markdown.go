// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxCharted is the maximum number of agents in the chart, and maxLabel that of
	// characters of their names.
	maxCharted = 10
	maxLabel   = 30

	// maxReport is the maximum number of bytes, so that the report fits into a comment on
	// GitHub (64 KiB).
	maxReport = 63_000

	// maxKeys is the maximum number of keys that match no finding.
	maxKeys = 20

	noEmail = "no email address"
	noRole  = "no role"
)

// document is the text of a report.
type document struct{ text strings.Builder }

func write(a *audit.Assessment, groups []*findingGroup) string {
	d := &document{}
	var access, other []audit.Change
	for _, c := range a.Changes {
		if c.IsAccess {
			access = append(access, c)
		} else {
			other = append(other, c)
		}
	}
	fmt.Fprintf(&d.text, "# Audit of %s\n\n", markdown(cmp.Or(textOf(a.Workspace.Name), textOf(a.Workspace.ID))))
	d.verdict(a)
	d.findings(a, groups)
	var tooLong []string
	for _, section := range []struct {
		title string
		write func(*document)
	}{
		{"Changes of access", func(s *document) { s.changes(a, access); s.since(a) }},
		{"Other changes", func(s *document) { s.otherChanges(a, other) }},
		{"Accepted", func(s *document) { s.accepted(a, groups) }},
		{"Missing data", func(s *document) { s.missing(a) }},
		{"Earlier changes", func(s *document) { s.earlier(a) }},
		{"Agents", func(s *document) { s.agents(a.Audit) }},
		{"Members", func(s *document) { s.members(a.Audit) }},
		{"Totals", func(s *document) { s.totals(a.Audit) }},
	} {
		s := &document{}
		section.write(s)
		switch {
		case s.text.Len() == 0:
		case d.text.Len()+s.text.Len() > maxReport:
			tooLong = append(tooLong, section.title)
		default:
			fmt.Fprintf(&d.text, "\n## %s\n\n%s", section.title, s.text.String())
		}
	}
	if len(tooLong) > 0 {
		fmt.Fprintf(&d.text, "\nThese sections are omitted, because the report would be too long: %s.\n", strings.Join(tooLong, ", "))
	}
	return d.text.String()
}

// verdict says whether the audit passed.
func (d *document) verdict(a *audit.Assessment) {
	counts := map[string]int{}
	for _, f := range a.Findings {
		counts[f.Level]++
	}
	verdict := "✅ Passed"
	if counts[audit.LevelError] > 0 {
		verdict = "❌ Failed"
	}
	fmt.Fprintf(&d.text, "**%s: %s, %s, %d accepted**\n\n", verdict,
		counted(counts[audit.LevelError], "error"), counted(counts[audit.LevelWarning], "warning"), counts[audit.LevelAccepted])
}

// since says what the changes are between.
func (d *document) since(a *audit.Assessment) {
	fmt.Fprintf(&d.text, "\nThe audit was read at %s.", when(textOf(a.ReadAt)))
	if a.HasRecord && !a.Begins && len(a.Earlier) > 0 {
		fmt.Fprintf(&d.text, " It was compared with the record, which last changed at %s.", when(a.Earlier[0].At))
	}
	d.text.WriteString("\n")
}

// when returns a time without fractions of a second, in Markdown.
func when(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return markdown(at)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func (d *document) findings(a *audit.Assessment, groups []*findingGroup) {
	levels := map[string]string{audit.LevelError: "❌\u00a0Error", audit.LevelWarning: "⚠️\u00a0Warning"}
	t := table{noun: "findings", columns: []string{"Level", "Concerns", "Finding", "Rule"}, maxBytes: 2 * maxBytes}
	if a.HasRecord { // Without one, nothing can be accepted. A key begins with the rule.
		t.columns[3] = "Accept as"
	}
	for _, g := range groups {
		rule := g.Rule
		if a.HasRecord {
			rule = g.acceptedAs()
		}
		if level := levels[g.Level]; level != "" {
			t.add(g.Rule, level, concerns(g), markdown(g.Message), code(rule))
		}
	}
	if len(t.rows) == 0 {
		d.text.WriteString("There are no errors and no warnings.\n")
		return
	}
	d.table(t)
}

// concerns names the objects of a group.
func concerns(g *findingGroup) string {
	if len(g.concerned) < 2 {
		return markdownList(g.concerned)
	}
	return fmt.Sprintf("%d: %s", len(g.concerned), markdownList(g.concerned))
}

// accepted lists the accepted findings, and the keys that match none.
func (d *document) accepted(a *audit.Assessment, groups []*findingGroup) {
	t := table{noun: "findings", columns: []string{"Rule", "Concerns", "Finding", "Reason"}, maxBytes: maxBytes}
	for _, g := range groups {
		if g.Level == audit.LevelAccepted {
			t.add(g.Rule, code(g.Rule), concerns(g), markdown(g.Message), markdown(g.Reason))
		}
	}
	if len(t.rows)+len(a.Unneeded) == 0 {
		return
	}
	if len(t.rows) > 0 {
		d.table(t)
	}
	if len(a.Unneeded) > 0 {
		if len(t.rows) > 0 {
			d.text.WriteString("\n")
		}
		var keys []string
		for _, key := range a.Unneeded {
			keys = append(keys, code(key))
		}
		fmt.Fprintf(&d.text, "These keys in the argument accepted match no finding: %s. Remove those that are not for later findings.\n",
			strings.Join(oneline.First(keys, maxKeys), ", "))
	}
}

func (d *document) changes(a *audit.Assessment, changes []audit.Change) {
	switch {
	case !a.HasRecord:
		d.text.WriteString("There is no record to compare with.\n")
	case a.Begins && len(changes) == 0:
		d.text.WriteString("The record begins with this audit, so there is nothing to compare with.\n")
	case len(changes) == 0:
		d.text.WriteString("There are no changes.\n")
	default:
		d.changeTable(sortedByImportance(a, changes), nil)
	}
}

// otherChanges lists the changes that do not concern access. Without a record, the section
// before it says that there is nothing to compare with.
func (d *document) otherChanges(a *audit.Assessment, changes []audit.Change) {
	if a.HasRecord {
		d.changes(a, changes)
	}
	if slices.ContainsFunc(changes, func(c audit.Change) bool { return c.What == audit.ChangedDefinition }) {
		d.text.WriteString("\nThe function definition\\_diff shows what changed between two definitions.\n")
	}
}

// earlier lists the changes that earlier audits found.
func (d *document) earlier(a *audit.Assessment) {
	if len(a.Earlier) > 0 {
		d.changeTable(a.Earlier, func(c audit.Change) string { return when(c.At) })
	}
}

// changeTable lists changes, with another column in front unless it is nil.
func (d *document) changeTable(changes []audit.Change, date func(audit.Change) string) {
	t := table{noun: "changes", columns: []string{"What", "Name", "ID", "Before", "Now"}, maxBytes: maxBytes}
	if date != nil {
		t.columns = append([]string{"Date"}, t.columns...)
	}
	for _, c := range changes {
		before, after := whereDifferent(textOf(c.Before), textOf(c.After))
		cells := []string{markdown(c.What), markdown(c.Name), markdown(c.ID), markdown(before), markdown(after)}
		if date != nil {
			cells = append([]string{date(c)}, cells...)
		}
		t.add(c.What, cells...)
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
		starts[id] = number(agent.Stats[period].TotalStarts)
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
			labels = markdownList(agent.LabelTexts())
		}
		cells := []string{markdown(textOf(agent.Name)), markdown(id), markdown(agent.State()), markdown(revision), labels}
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

// chart draws the sessions of the agents with the most sessions. Mermaid requires
// different labels, no special characters in them, and numbers that it can scale.
func (d *document) chart(a *audit.Audit, ids []string, startsOf map[string]float64) {
	const maxNumber = 1e15
	tooLarge := 0
	var labels, starts, completed []string
	for _, id := range ids {
		agent := a.Agents[id]
		s := agent.Stats[a.Period()]
		done := number(s.TotalCompleted)
		switch {
		case startsOf[id] <= 0 || len(labels) == maxCharted:
		case math.Max(startsOf[id], done) > maxNumber:
			tooLarge++
		default:
			labels = append(labels, `"`+chartLabel(len(labels)+1, cmp.Or(textOf(agent.Name), id))+`"`)
			starts = append(starts, digits(s.TotalStarts))
			completed = append(completed, cmp.Or(digits(s.TotalCompleted), "0"))
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
	cells := []string{strconv.Itoa(a.Summary.Members), strconv.Itoa(a.Summary.Agents)}
	for _, flag := range []struct {
		count *int
		of    func(*audit.Agent) *bool
	}{
		{a.Summary.Published, func(agent *audit.Agent) *bool { return agent.IsPublished }},
		{a.Summary.Archived, func(agent *audit.Agent) *bool { return agent.IsArchived }},
		{a.Summary.Locked, func(agent *audit.Agent) *bool { return agent.IsLocked }},
	} {
		count := ""
		if flag.count != nil {
			count = strconv.Itoa(*flag.count)
		}
		cells = append(cells, total(a, count, func(agent *audit.Agent) bool { return flag.of(agent) != nil }))
	}
	if period := a.Period(); period != "" {
		columns = append(columns, ":Starts", ":Completed", ":Rate")
		s := a.Summary.Stats[period]
		cells = append(cells, total(a, digits(s.TotalStarts), a.HasStats), total(a, digits(s.TotalCompleted), a.HasStats), statsCells(s)[2])
	}
	t := table{noun: "totals", columns: columns, maxBytes: maxBytes}
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
