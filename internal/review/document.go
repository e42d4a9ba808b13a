// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package review

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/markdown"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// A comment on GitHub can have 65,536 characters, of which the errors and the new
// findings at the beginning need less. The limit of the diagrams leaves space for the
// rest of most reports.
const (
	maxErrors   = 20     // definitions that cannot be read
	maxSummary  = 50     // new findings at the beginning
	maxDiagrams = 40_000 // bytes of all diagrams
	maxLines    = 200    // changes or findings of an agent
	maxName     = 60     // characters of an agent's name
	maxText     = 300    // characters of a line
)

// document is a report while it is written.
type document struct {
	Report
	sections         strings.Builder
	agents, diagrams int // number of agents, and bytes of their diagrams
}

// section adds a section about an agent.
func (d *document) section(agent, text string) {
	d.agents++
	name := cmp.Or(oneline.Text(agent, maxName), "–")
	d.sections.WriteString("\n## " + markdown.Code(name) + "\n\n" + text)
}

// review adds a section with a diagram, the paragraphs about changes, and findings.
func (d *document) review(agent string, after, before definition.Definition, changes string) {
	diagram := flow.Diagram(after, before)
	if d.diagrams+len(diagram) > maxDiagrams {
		diagram = "The report is too long for this agent's diagram.\n"
	} else {
		d.diagrams += len(diagram)
		diagram = markdown.Block("mermaid", strings.TrimSuffix(diagram, "\n"))
	}
	list, isNew := flow.FindingsSince(after, before)
	var lines []string
	for i, f := range list {
		d.Findings = append(d.Findings, Finding{agent, f.Kind, f.ID, f.Title, f.Message, isNew[i]})
		line := f.Kind + ": " + f.Message
		if isNew[i] {
			line = "new: " + line
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{"No findings."}
	}
	d.section(agent, diagram+"\n"+changes+"Findings:\n\n"+block("text", lines, maxLines))
}

// summary returns the beginning of the report with the errors and the new findings, because
// the end may be cut off.
func (d *document) summary() string {
	var errors, findings []string
	for _, text := range d.Errors {
		errors = append(errors, "error: "+text)
	}
	for _, f := range d.Findings {
		if f.IsNew {
			findings = append(findings, f.Kind+" in "+oneline.Text(f.Agent, maxName)+": "+f.Message)
		}
	}
	text := "# Conversation Review\n"
	if len(errors) > 0 {
		text += fmt.Sprintf("\nErrors: %d.\n\n", len(errors)) + block("text", errors, maxErrors)
	}
	if d.agents > 0 {
		text += fmt.Sprintf("\nAgents: %d. New findings: %d. Earlier findings: %d.\n",
			d.agents, len(findings), len(d.Findings)-len(findings))
	} else if len(errors) == 0 {
		text += "\nThere is nothing to review.\n"
	}
	if len(findings) > 0 {
		text += "\n" + block("text", findings, maxSummary)
	}
	return text
}

// block returns a code block with the first lines. None may begin with a name or a text of
// a definition, because one that begins with backticks would end the block.
func block(language string, lines []string, limit int) string {
	return markdown.Block(language, strings.Join(oneline.First(lines, limit), "\n"))
}

// listChanges lists changes without those of the layout.
func listChanges(changes []definition.Difference) string {
	signs := map[string]string{"added": "+ ", "removed": "- ", "changed": "! "}
	var lines []string
	for _, c := range changes {
		if c.IsLayout {
			continue
		}
		line := signs[c.Change] + oneline.Text(strings.Join([]string{c.Part, c.ID, c.Title, c.Path}, " "), maxText)
		if c.Path != "" {
			line += excerpt("- ", c.Before, c.After) + excerpt("+ ", c.After, c.Before)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "There are no changes other than to the layout.\n\n"
	}
	return "Changes other than to the layout:\n\n" + block("diff", lines, maxLines) + "\n"
}

// excerpt returns a line with a value unless it is nil. It begins shortly before the
// value differs from the other one.
func excerpt(sign string, value, other *string) string {
	if value == nil {
		return ""
	}
	text := *value
	if other != nil {
		text = oneline.Difference(text, *other)
	}
	return "\n" + sign + oneline.Text(text, maxText)
}
