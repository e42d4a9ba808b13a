// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes Markdown: the report of an audit, and the tables and texts that
// it consists of. It accepts any names: none of them changes the structure of the
// report.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Report is the report of an audit.
type Report struct {
	// Markdown ends with a line break. It contains nothing that changes without a change of
	// the workspace.
	Markdown string `tfsdk:"markdown"`
	// Statistics is Markdown with what changes by itself. It is empty if the audit has no
	// statistics.
	Statistics string `tfsdk:"statistics"`
	// Errors and Warnings are the findings in the same order as in Markdown, each as its
	// keys on lines of their own, and an indented line. Equal findings are one.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
}

// New returns the report of an audit.
func New(a *audit.Assessment) *Report {
	return &Report{Markdown: write(a), Statistics: statistics(a.Audit), Errors: a.Lines(audit.LevelError), Warnings: a.Lines(audit.LevelWarning)}
}

const (
	// maxReport is the maximum number of bytes, so that the report and the statistics fit
	// into a comment on GitHub (64 KiB).
	maxReport = 53_000

	// maxAgents is the maximum number of bytes of the agents, whose access a person confirms.
	maxAgents = 15_000

	// maxKeys is the maximum number of keys that match no finding.
	maxKeys = 20

	noEmail = "no email address"
	noRole  = "no role"
)

// document is the text of a report.
type document struct{ text strings.Builder }

func write(a *audit.Assessment) string {
	d := &document{}
	var access, other []audit.Change
	changes := slices.Clone(a.Changes) // The newest first, and those of closed agents last, so that others stay if the table is cut.
	slices.SortStableFunc(changes, func(x, y audit.Change) int {
		return cmp.Or(cmp.Compare(y.At, x.At), cmp.Compare(a.Rank(x.ID), a.Rank(y.ID)))
	})
	for _, c := range changes {
		if c.IsAccess {
			access = append(access, c)
		} else {
			other = append(other, c)
		}
	}
	fmt.Fprintf(&d.text, "# Audit of %s\n\n", nameOf(a.Audit))
	rows := a.Rows()
	d.verdict(a)
	d.findings(a, rows)
	var tooLong []string
	for _, section := range []struct {
		title string
		write func(*document)
	}{
		{"Changes of access", func(s *document) { s.changes(a, access) }},
		{"Other changes", func(s *document) { s.otherChanges(a, other) }},
		{"Accepted", func(s *document) { s.accepted(a, rows) }},
		{"Missing data", func(s *document) { s.missing(a) }},
		{"Members", func(s *document) { s.members(a.Audit) }},
		{"Agents", func(s *document) { s.agents(a.Audit) }},
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

// nameOf is the name or the ID of the workspace.
func nameOf(a *audit.Audit) string {
	return markdown(cmp.Or(textOf(a.Workspace.Name), textOf(a.Workspace.ID)))
}

// isShown reports whether the tables of findings have a finding. Warnings about changes, and what
// was accepted of them, stand in the tables of changes, which are the same in the next report.
func isShown(f audit.Finding) bool { return f.Level == audit.LevelError || !f.IsRecorded }

// verdict says whether the audit passed.
func (d *document) verdict(a *audit.Assessment) {
	counts := map[string]int{}
	for _, f := range a.Findings {
		if isShown(f) {
			counts[f.Level]++
		}
	}
	fmt.Fprintf(&d.text, "**%s: %s, %s, %d accepted**\n\n", map[bool]string{false: "✅ Passed", true: "❌ Failed"}[a.IsRed()],
		counted(counts[audit.LevelError], "error"), counted(counts[audit.LevelWarning], "warning"), counts[audit.LevelAccepted])
}

// when returns a time without fractions of a second, in Markdown.
func when(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return markdown(at)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// findings lists the errors and warnings.
func (d *document) findings(a *audit.Assessment, rows []*audit.Row) {
	levels := map[string]string{audit.LevelError: "❌\u00a0Error", audit.LevelWarning: "⚠️\u00a0Warning"}
	t := table{noun: "findings", columns: []string{"Level", "Concerns", "Finding", "Rule"}, maxBytes: 2 * maxBytes}
	if a.HasRecord { // Without one, nothing can be accepted. A key begins with the rule.
		t.columns = append(t.columns[:3], "Accept as", "The key accepts this")
	}
	for _, row := range rows {
		level := levels[row.Level]
		if level == "" || !isShown(row.Finding) {
			continue
		}
		cells := []string{level, concerns(row), markdownMessage(row.Message), code(a.ShownKeys(row)...)}
		if a.HasRecord {
			cells = append(cells, row.Lasts())
		}
		t.add(row.Rule, cells...)
	}
	if len(t.rows) == 0 {
		d.text.WriteString("There are no errors and no warnings.\n")
		return
	}
	d.table(t)
}

// concerns names the objects of a row.
func concerns(row *audit.Row) string {
	if len(row.Concerned) < 2 {
		return markdownList(row.Concerned)
	}
	return fmt.Sprintf("%d: %s", len(row.Concerned), markdownList(row.Concerned))
}

// accepted lists the accepted findings that last, and the keys that match none.
func (d *document) accepted(a *audit.Assessment, rows []*audit.Row) {
	t := table{noun: "findings", columns: []string{"Rule", "Concerns", "Finding", "Reason"}, maxBytes: maxBytes}
	for _, row := range rows {
		if row.Level == audit.LevelAccepted && isShown(row.Finding) {
			t.add(row.Rule, markdown(row.Rule), concerns(row), markdownMessage(row.Message), markdown(row.Reason))
		}
	}
	if len(t.rows) > 0 {
		d.table(t)
	}
	if len(a.Unneeded) == 0 {
		return
	}
	if len(t.rows) > 0 {
		d.text.WriteString("\n")
	}
	var keys []string
	for _, key := range a.Unneeded {
		keys = append(keys, markdown(key))
	}
	fmt.Fprintf(&d.text, "These keys in the argument accepted match no finding: %s. Remove those that are not for later findings.\n",
		strings.Join(oneline.First(keys, maxKeys), ", "))
}

// changes lists the changes with the times of the audits that found them. A report cannot know
// whether the apply after it records them.
func (d *document) changes(a *audit.Assessment, changes []audit.Change) {
	switch {
	case !a.HasRecord:
		d.text.WriteString("There is no record to compare with.\n")
		return
	case len(changes) == 0:
		d.text.WriteString("There are no changes.\n")
		return
	}
	t := table{noun: "changes", columns: []string{"Found", "What", "Name", "ID", "Before", "Now", "Reason"}, maxBytes: maxBytes}
	for _, c := range changes {
		what := markdown(c.What)
		if warning := c.Warning(); warning != "" {
			what += "<br>⚠️\u00a0" + markdown(warning)
		}
		t.add(c.What, when(c.At), what, markdown(c.Name), markdown(c.ID), markdownMessage(textOf(c.Before)), markdownMessage(textOf(c.After)), markdown(textOf(c.Reason)))
	}
	d.table(t)
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

// textOf returns "" for nil.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// agents shows who can reach the agents where, and what they reach, closed agents last.
func (d *document) agents(a *audit.Audit) {
	if len(a.Agents) == 0 {
		d.text.WriteString("There are no agents.\n")
		return
	}
	ids := slices.SortedFunc(maps.Keys(a.Agents), func(x, y string) int { return cmp.Or(cmp.Compare(a.Rank(x), a.Rank(y)), cmp.Compare(x, y)) })
	t := table{noun: "agents", columns: []string{"Agent", "ID", "State", "Address", "Sharing", "Collaborators", "Hosts", "Credentials", "Labels"}, maxBytes: maxAgents}
	t.omitted = max(0, len(ids)-maxRows)
	for _, id := range ids[:len(ids)-t.omitted] {
		agent := a.Agents[id]
		address := slices.DeleteFunc([]string{agent.Shown("url"), agent.Shown("domain")}, func(text string) bool { return text == "" })
		cells := []string{markdown(textOf(agent.Name)), markdown(id), markdown(agent.State()), markdownList(address)}
		if agent.DefinitionHash != nil {
			for _, name := range []string{"is_shared", "collaborators_json", "external_hosts", "credentials_ref", "labels"} {
				cells = append(cells, markdownMessage(agent.Shown(name)))
			}
		} else {
			cells = append(cells, audit.Unknown, audit.Unknown, audit.Unknown, audit.Unknown, audit.Unknown)
		}
		t.add("", cells...)
	}
	d.table(t)
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

func counted(count int, noun string) string {
	if count != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", count, noun)
}
