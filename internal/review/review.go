// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package review writes a report in Markdown on conversations that changed, and
// tells new findings from earlier ones. It accepts any names and texts: none of
// them changes the structure of the report.
package review

import (
	"maps"
	"regexp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
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
	// Errors has a line for each definition that cannot be read, or one if there are no
	// definitions. It is never nil.
	Errors []string `tfsdk:"errors"`
}

// New reviews definitions, which are JSON or YAML texts by agent. Before has the earlier
// definitions, and only agents that differ from these are reviewed. If it is nil, all
// are. What cannot be read does not prevent the review of the others.
func New(definitions, before map[string]string) *Report {
	all := map[string]string{}
	maps.Copy(all, definitions)
	maps.Copy(all, before)
	d := &document{Report: Report{Findings: []Finding{}, Errors: []string{}}}
	if len(all) == 0 {
		d.Errors = append(d.Errors, "There are no definitions.")
	}
	for _, agent := range slices.Sorted(maps.Keys(all)) {
		text, exists := definitions[agent]
		earlier, existed := before[agent]
		if !exists {
			d.section(agent, "The agent was deleted.\n")
			continue
		}
		after, err := definition.Parse([]byte(text))
		switch {
		case err != nil:
			d.Errors = append(d.Errors, oneline.Text(agent, maxText)+": "+oneline.Text(err.Error(), maxText))
		case before == nil:
			d.review(agent, after, definition.Definition{}, "")
		case !existed:
			d.review(agent, after, definition.Definition{}, "The agent is new.\n\n")
		case text != earlier:
			d.compare(agent, after, earlier)
		}
	}
	d.Markdown = d.summary() + d.sections.String()
	return &d.Report
}

// compare reviews an agent if its conversation differs from that of the earlier definition.
func (d *document) compare(agent string, after definition.Definition, earlier string) {
	before, err := definition.Parse([]byte(earlier))
	if err != nil {
		d.review(agent, after, definition.Definition{}, "The earlier definition is invalid, so changes are unknown.\n\n")
		return
	}
	changes := slices.DeleteFunc(flow.Diff(before, after), func(c definition.Difference) bool {
		return c.Part == "field" && unedited.MatchString(c.Path)
	})
	if len(changes) > 0 {
		d.review(agent, after, before, listChanges(changes))
	}
}

// unedited matches the paths of documented fields that change without an edit of the
// conversation: publishing may change the revision, and viewing results the tables.
var unedited = regexp.MustCompile(`^(?:ref\.revision$|timestamps\.updated$|telemetry\.tables\.(?:order|visibility|width)(?:[.[]|$))`)
