// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package review writes a report in Markdown on conversations that changed, and
// tells new findings from earlier ones. It accepts any names and texts: none of
// them changes the structure of the report.
package review

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Finding is a finding of package flow in an agent.
type Finding struct {
	Agent   string `tfsdk:"agent"`
	Kind    string `tfsdk:"kind"`
	ID      string `tfsdk:"id"`
	Title   string `tfsdk:"title"`
	Message string `tfsdk:"message"`
	// IsNew reports that the earlier definition does not have the finding.
	IsNew bool `tfsdk:"is_new"`
}

// Report is the result of a review.
type Report struct {
	// Markdown is the report, which ends with a line break.
	Markdown string `tfsdk:"markdown"`
	// Findings are those of the reviewed agents. It is never nil.
	Findings []Finding `tfsdk:"findings"`
	// Errors has a line for each of the first definitions that cannot be read, or one if
	// there are no definitions. It is never nil.
	Errors []string `tfsdk:"errors"`
}

// New reviews definitions, which are JSON or YAML texts by agent. Before has the earlier
// definitions, and only agents that differ from these are reviewed. If it is nil, all
// are. What cannot be read does not prevent the review of the others.
func New(definitions, before map[string]string) *Report {
	all := slices.AppendSeq(slices.Collect(maps.Keys(definitions)), maps.Keys(before))
	slices.Sort(all)
	agents := slices.Compact(slices.Clone(all))
	d := &document{findings: []Finding{}, errors: []string{}}
	if len(agents) == 0 {
		d.errors = append(d.errors, "There are no definitions.")
	}
	d.areUnrelated = len(definitions) > 0 && len(before) > 0 && len(agents) == len(all)
	for _, agent := range agents {
		text, exists := definitions[agent]
		earlier, existed := before[agent]
		if !exists {
			d.section(agent, "The agent was deleted.\n")
			continue
		}
		after, err := definition.Parse([]byte(text))
		switch {
		case err != nil:
			d.errors = append(d.errors, oneline.Text(agent, maxPath)+": "+reason(err))
		case before == nil:
			d.review(agent, after, definition.Definition{}, "")
		case !existed:
			d.review(agent, after, definition.Definition{}, "The agent is new.\n\n")
		case text != earlier:
			d.compare(agent, earlier, after)
		}
	}
	return &Report{d.markdown(), d.findings, oneline.First(d.errors, maxErrors)}
}

// reason returns the error of a definition. The text of a file is empty, too, if a
// configuration replaces what Terraform cannot read with "".
func reason(err error) string {
	if errors.Is(err, definition.ErrEmpty) {
		return "the definition is empty, or its file is not UTF-8"
	}
	return oneline.Text(err.Error(), maxText)
}

// unedited matches the paths of documented fields that change without an edit of the
// conversation: publishing may change the revision, and viewing results the tables.
var unedited = regexp.MustCompile(`^(?:ref\.revision$|timestamps\.updated$|telemetry\.tables\.(?:order|visibility|width)(?:[.[]|$))`)

func conversationChanges(changes []definition.Change) []definition.Change {
	return slices.DeleteFunc(changes, func(c definition.Change) bool { return c.Part == "field" && unedited.MatchString(c.Path) })
}
