// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package review writes a report in Markdown on conversations that changed, and
// tells new findings from earlier ones. It accepts any names and texts: none of
// them changes the structure of the report.
package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxInvalid is the maximum number of invalid definitions that an error names.
const maxInvalid = 20

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
}

// New reviews definitions, which are JSON texts by agent. Before has the earlier
// definitions, and only agents that differ from these are reviewed. If it is nil,
// all are.
func New(definitions, before map[string]string) (*Report, error) {
	parsed, err := parse(definitions)
	if err != nil {
		return nil, err
	}
	agents := slices.AppendSeq(slices.Collect(maps.Keys(definitions)), maps.Keys(before))
	slices.Sort(agents)
	d := &document{findings: []Finding{}}
	for _, agent := range slices.Compact(agents) {
		after := parsed[agent]
		text, existed := before[agent]
		switch {
		case after == nil:
			d.section(agent, "The agent was deleted.\n")
		case before == nil:
			d.review(agent, after, nil, "")
		case !existed:
			d.review(agent, after, nil, "The agent is new.\n\n")
		case text != definitions[agent]:
			d.compare(agent, text, after)
		}
	}
	return &Report{d.markdown(), d.findings}, nil
}

// parse returns the definitions, or an error that names the invalid ones.
func parse(definitions map[string]string) (map[string]*flow.Definition, error) {
	parsed := map[string]*flow.Definition{}
	var invalid []string
	for _, agent := range slices.Sorted(maps.Keys(definitions)) {
		definition, err := flow.Parse([]byte(definitions[agent]))
		if err != nil {
			invalid = append(invalid, fmt.Sprintf("  - %s: %v", oneline.Text(agent, maxName), err))
		}
		parsed[agent] = definition
	}
	if len(invalid) > 0 {
		return nil, fmt.Errorf("some definitions are invalid:\n%s\nTo show the error in a YAML file, run "+
			`"terraform console", and enter yamldecode(file("FILE"))`, strings.Join(oneline.First(invalid, maxInvalid), "\n"))
	}
	return parsed, nil
}

// conversationChanges leaves out fields that change without an edit of the conversation.
func conversationChanges(changes []flow.Change) []flow.Change {
	return slices.DeleteFunc(changes, func(c flow.Change) bool {
		field, _, _ := strings.Cut(c.Path, ".")
		return c.Part == "field" && slices.Contains([]string{"timestamps", "ref", "telemetry"}, field)
	})
}

// findingsIn returns the findings of an agent. All are new if before is nil.
func findingsIn(agent string, after, before *flow.Definition) []Finding {
	known := map[string]int{} // Several findings can have the same key.
	if before != nil {
		for _, f := range before.Findings() {
			known[key(f)]++
		}
	}
	var findings []Finding
	for _, f := range after.Findings() {
		known[key(f)]--
		findings = append(findings, Finding{agent, f.Kind, f.ID, f.Title, f.Message, known[key(f)] < 0})
	}
	return findings
}

// key tells findings apart, except those in elements without an ID. A finding about
// an undefined variable has the ID of a node, which can use several variables.
func key(f flow.Finding) string {
	if f.Kind == flow.UndefinedVariable {
		return f.Kind + f.Title
	}
	return f.Kind + f.ID
}
