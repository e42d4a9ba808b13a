// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes Markdown: the report of an audit, and the tables and texts that
// it consists of. It accepts any names: none of them changes the structure of the
// report.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxLines is the maximum number of errors or warnings, maxLine that of characters of
	// each, maxConcerned that of a rule or of the objects that it concerns, and maxName that
	// of the name of one.
	maxLines     = 50
	maxLine      = 1500
	maxConcerned = 400
	maxName      = 60
)

// Report is the report of an audit.
type Report struct {
	// Markdown ends with a line break.
	Markdown string `tfsdk:"markdown"`
	// Errors and Warnings describe the findings in the same order as in the report, each
	// on one line. Equal findings are one.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
}

// New returns the report of an audit.
func New(a *audit.Assessment) *Report {
	groups := group(a)
	return &Report{Markdown: write(a, groups), Errors: lines(a, groups, audit.LevelError), Warnings: lines(a, groups, audit.LevelWarning)}
}

// Errors returns only the errors of a report.
func Errors(a *audit.Assessment) []string { return lines(a, group(a), audit.LevelError) }

// findingGroup has findings that are equal except for what they concern.
type findingGroup struct {
	audit.Finding // the first of them

	concerned []string // names with IDs
}

// group merges equal findings, except for those with keys of their own, which must all be
// shown. Of these, the ones about closed agents are the last of their level, so that the
// others stay if a table is cut.
func group(a *audit.Assessment) []*findingGroup {
	type key struct{ level, rule, message, reason, own string }
	var groups []*findingGroup
	known := map[key]*findingGroup{}
	for _, f := range a.Findings {
		k := key{f.Level, f.Rule, f.Message, f.Reason, ""}
		if f.HasOwnKey() {
			k.own = f.Key
		}
		if known[k] == nil {
			known[k] = &findingGroup{Finding: f}
			groups = append(groups, known[k])
		}
		if f.ID != "" {
			known[k].concerned = append(known[k].concerned, title(f.Name, f.ID))
		}
	}
	levels := []string{audit.LevelError, audit.LevelWarning, audit.LevelAccepted}
	position := func(g *findingGroup) int {
		return 2*slices.Index(levels, g.Level) + rank(g.HasOwnKey() && isClosed(a, g.ID))
	}
	slices.SortStableFunc(groups, func(x, y *findingGroup) int { return cmp.Compare(position(x), position(y)) })
	return groups
}

// title is a name with its ID. A long name must not hide the others in a list.
func title(name, id string) string {
	name = oneline.Text(name, maxName)
	if name == "" || name == id {
		return id
	}
	return name + " (" + id + ")"
}

// lines returns the findings of a level, each as one line for a log.
func lines(a *audit.Assessment, groups []*findingGroup, level string) []string {
	texts := []string{}
	for _, g := range groups {
		if g.Level != level {
			continue
		}
		line := oneline.Text(g.Rule, maxConcerned) + ": "
		if len(g.concerned) > 0 {
			line += oneline.Text(strings.Join(oneline.First(g.concerned, 5), ", "), maxConcerned) + ": "
		}
		line += oneline.Text(g.Message, maxText)
		if a.HasRecord {
			line += " [accept as " + oneline.Text(g.acceptedAs(), maxConcerned) + "]"
		}
		texts = append(texts, plain(line, maxLine))
	}
	return oneline.First(texts, maxLines)
}

// acceptedAs returns the key that accepts the findings of the group.
func (g *findingGroup) acceptedAs() string {
	if len(g.concerned) > 1 {
		return g.Rule + "/ID"
	}
	return g.Key
}

// sortedByImportance returns the changes of closed agents last, so that the others stay if
// a table is cut.
func sortedByImportance(a *audit.Assessment, changes []audit.Change) []audit.Change {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(x, y audit.Change) int { return cmp.Compare(rank(isClosed(a, x.ID)), rank(isClosed(a, y.ID))) })
	return changes
}

// isClosed reports whether an agent is listed, and known not to be published or shared.
func isClosed(a *audit.Assessment, id string) bool {
	agent, found := a.Agents[id]
	return found && agent.IsPublished != nil && !agent.IsOpen()
}

func rank(isLater bool) int {
	if isLater {
		return 1
	}
	return 0
}

func counted(count int, noun string) string {
	if count != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", count, noun)
}
