// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes the report of an audit. It accepts any names: none of them changes
// the structure of the report.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/markdown"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Report is the result of the function audit_report.
type Report struct {
	// Markdown ends with a line break. It contains nothing that changes by itself, such as
	// counters or the time of the audit, so that a plan of an unchanged workspace is empty.
	Markdown string `tfsdk:"markdown"`
	// Errors and Warnings are the findings in the same order as in Markdown, each as its
	// keys on lines of their own, and an indented line. Equal findings are one.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
	// Findings are those of the audit.
	Findings []audit.Finding `tfsdk:"findings"`
}

// New returns the report of an audit.
func New(a *audit.Assessment) *Report {
	return &Report{
		Markdown: write(a),
		Errors:   a.Lines(audit.LevelError),
		Warnings: a.Lines(audit.LevelWarning),
		Findings: a.Findings,
	}
}

const (
	// maxReport is the maximum number of bytes, so that the report and the errors fit
	// into a comment on GitHub (64 KiB).
	maxReport = 45_000

	// maxTable is the maximum number of bytes of most tables, so that most reports have all
	// sections, and maxAgents that of the agents, whose access a person confirms.
	maxTable  = 4500
	maxAgents = 12_000

	// maxKeys is the maximum number of keys of equal findings, and maxUnneeded that of keys that match
	// no finding.
	maxKeys     = 5
	maxUnneeded = 20

	advice = "[What to do when an audit fails](" + audit.Guides + "/when-an-audit-fails.md).\n\n"
)

func write(a *audit.Assessment) string {
	// Accepted changes stand in the tables of changes, which are the same in the next report.
	rows := slices.DeleteFunc(a.Rows(), func(row *audit.Row) bool { return row.IsOnce && row.Level == audit.LevelAccepted })
	name := cmp.Or(api.ValueOf(a.Workspace.Name), api.ValueOf(a.Workspace.ID))
	report := "# Audit of " + markdown.Text(name) + "\n\n" + verdict(a, rows) + findings(a, rows)
	var tooLong []string
	const room = 250 // For the sentence about the sections that are omitted.
	sections := []struct{ title, text string }{
		{"Changes of access", changes(a, true)},
		{"Other changes", changes(a, false)},
		{"Accepted", accepted(a, rows)},
		{"Missing data", missing(a)},
		{"Members", members(a.Audit)},
		{"Agents", agents(a.Audit)},
	}
	for _, section := range sections {
		switch {
		case section.text == "":
		case len(report)+len(section.text) > maxReport-room:
			tooLong = append(tooLong, section.title)
		default:
			report += "\n## " + section.title + "\n\n" + section.text
		}
	}
	if len(tooLong) > 0 {
		report += "\nThese sections are omitted, because the report would be too long: " +
			strings.Join(tooLong, ", ") + ".\n"
	}
	return report
}

// verdict says whether the audit passed.
func verdict(a *audit.Assessment, rows []*audit.Row) string {
	counts := map[string]int{}
	for _, row := range rows {
		counts[row.Level] += row.Count
	}
	text := fmt.Sprintf("%s, %s, %d accepted**\n\n", oneline.Count(counts[audit.LevelError], "error"),
		oneline.Count(counts[audit.LevelWarning], "warning"), counts[audit.LevelAccepted])
	if a.IsRed() {
		return "**❌ Failed: " + text + advice
	}
	return "**✅ Passed: " + text
}

// when returns a time without fractions of a second, in Markdown.
func when(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return markdown.Text(at)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// levels are those of the findings that are not accepted.
var levels = map[string]string{
	audit.LevelError:   "❌\u00a0Error",
	audit.LevelWarning: "⚠️\u00a0Warning",
}

// findings lists the errors and warnings.
func findings(a *audit.Assessment, rows []*audit.Row) string {
	lasting, title := "", "Rule"
	if a.HasRecord { // Without one, nothing can be accepted. A key begins with the rule.
		lasting = "A key accepts its finding as long as it is in `accepted`, or only once where the table says so.\n\n"
		title = "Accept as"
	}
	t := markdown.NewTable("findings", 2*maxTable, "Level", "Concerns", "Finding", title)
	for _, row := range rows {
		if level, found := levels[row.Level]; found {
			keys := code(row.Keys, maxKeys)
			if row.IsOnce {
				keys += "<br>once"
			}
			t.Add(row.Count, level, concerns(row), markdown.LongText(row.Message), keys)
		}
	}
	if t.All == 0 {
		return "There are no errors and no warnings.\n"
	}
	return lasting + t.String()
}

// accepted lists the accepted findings that last, and the keys that match none.
func accepted(a *audit.Assessment, rows []*audit.Row) string {
	t := markdown.NewTable("findings", maxTable, "Rule", "Concerns", "Finding", "Reason")
	for _, row := range rows {
		if row.Level == audit.LevelAccepted {
			t.Add(row.Count, markdown.Text(row.Rule), concerns(row), markdown.LongText(row.Message), markdown.Text(row.Reason))
		}
	}
	var paragraphs []string
	if t.All > 0 {
		paragraphs = append(paragraphs, t.String())
	}
	if len(a.Unneeded) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf(
			"These keys in the argument accepted match no finding: %s. Remove those that are not for later findings.\n",
			code(a.Unneeded, maxUnneeded)))
	}
	return strings.Join(paragraphs, "\n")
}

// concerns names the objects of a row.
func concerns(row *audit.Row) string {
	text := markdown.List(row.Concerned)
	if count := len(row.Concerned); count > 1 {
		text = fmt.Sprintf("%d: %s", count, text)
	}
	return text
}

// code returns the first keys as code, which can be copied. A key of a finding has no character that would
// end the code or the cell.
func code(keys []string, limit int) string {
	var texts []string
	for _, key := range keys {
		texts = append(texts, markdown.Code(key))
	}
	return oneline.List(texts, limit)
}

// missing says what nobody can see, beside the findings about failed reads, and the unknown values
// in the table of agents.
func missing(a *audit.Assessment) string {
	var paragraphs []string
	if a.AgentIDs != nil {
		paragraphs = append(paragraphs, "Only the agents in agent\\_ids were read.\n")
	}
	if len(a.NotListed) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("These recorded agents and members (%d) were not listed. "+
			"They stay in the record, because the list may be incomplete: %s.\n", len(a.NotListed), markdown.List(a.NotListed)))
	}
	if neverSent := a.NeverSent(); len(neverSent) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("No agent has a value for %s. If the service never returns these values, "+
			"nobody can see their changes.\n", markdown.List(neverSent)))
	}
	return strings.Join(paragraphs, "\n")
}

// changes lists the changes of access, or the others: the newest first, and those of closed agents
// last, so that these are cut first. Each has the time of the audit that found it. A report
// cannot know whether the apply after it records them.
func changes(a *audit.Assessment, isAccess bool) string {
	selected := slices.DeleteFunc(slices.Clone(a.Changes), func(c audit.Change) bool { return c.IsAccess != isAccess })
	switch {
	case !a.HasRecord && isAccess:
		return "There is no record to compare with.\n"
	case !a.HasRecord:
		return "" // The section before it says so.
	case len(selected) == 0:
		return "There are no changes.\n"
	}
	slices.SortStableFunc(selected, func(x, y audit.Change) int {
		return cmp.Or(cmp.Compare(y.At, x.At), cmp.Compare(a.Rank(x.ID), a.Rank(y.ID)))
	})
	t := markdown.NewTable("changes", maxTable, "Found", "What", "Name", "ID", "Before", "Now", "Reason")
	advice := ""
	for _, c := range selected {
		t.Add(1,
			when(c.At),
			markdown.Text(c.What),
			markdown.Text(c.Name),
			markdown.Text(c.ID),
			markdown.LongText(api.ValueOf(c.Before)),
			markdown.LongText(api.ValueOf(c.After)),
			markdown.Text(api.ValueOf(c.Reason)),
		)
		if c.What == audit.ChangedDefinition {
			advice = "\nThe audit does not store definitions. If you [keep them in Git](" + audit.Guides + "/recipes.md#keep-agent-definitions-in-git), " +
				"the function definition\\_diff shows what changed since then.\n"
		}
	}
	return t.String() + advice
}

// agents shows who can reach the agents where, and what they reach, closed agents last.
func agents(a *audit.Audit) string {
	if len(a.Agents) == 0 {
		return "There are no agents.\n"
	}
	ids := a.SortedIDs()
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(a.Rank(x), a.Rank(y)) })
	t := markdown.NewTable("agents", maxAgents,
		"Agent", "ID", "State", "Address", "Sharing", "Collaborators", "Hosts", "Credentials", "Labels")
	shown := ids[:min(len(ids), 200)] // At least as many as fit.
	t.All = len(ids) - len(shown)
	for _, id := range shown {
		agent := a.Agents[id]
		cells := []string{
			markdown.Text(api.ValueOf(agent.Name)),
			markdown.Text(id),
			markdown.Text(agent.State()),
			markdown.LongText(agent.Shown("url", "domain")),
		}
		for _, name := range []string{"is_shared", "collaborators_json", "external_hosts", "credentials_ref", "labels"} {
			cell := audit.Unknown
			if agent.DefinitionHash != nil {
				cell = markdown.LongText(agent.Shown(name))
			}
			cells = append(cells, cell)
		}
		t.Add(1, cells...)
	}
	return t.String()
}

func members(a *audit.Audit) string {
	if len(a.EmailsByRole) == 0 {
		return "There are no members.\n"
	}
	t := markdown.NewTable("roles", maxTable, "Role", "Number", "Email addresses")
	for _, role := range slices.Sorted(maps.Keys(a.EmailsByRole)) {
		var emails []string
		for _, email := range a.EmailsByRole[role] {
			emails = append(emails, cmp.Or(email, audit.NoAddress))
		}
		t.Add(1,
			markdown.Text(cmp.Or(role, "no role")),
			strconv.Itoa(len(emails)),
			markdown.List(emails),
		)
	}
	return t.String()
}
