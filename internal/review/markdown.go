// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package review

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
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
	maxPath     = 150    // characters of its name in an error, which can be a path
	maxText     = 300    // characters of a line about a change
	maxShared   = 100    // characters shown of what two values both begin with
)

// document is the text of a report.
type document struct {
	findings         []Finding
	errors           []string
	sections         strings.Builder
	agents, diagrams int // number of agents, and bytes of their diagrams
	// areUnrelated reports that no definition has the name of an earlier one.
	areUnrelated bool
}

// section adds a section about an agent. Its name is shown as code, in which only
// backticks have a meaning.
func (d *document) section(agent, text string) {
	d.agents++
	name := strings.ReplaceAll(oneline.Text(agent, maxName), "`", "'")
	d.sections.WriteString("\n## `" + cmp.Or(name, "–") + "`\n\n" + text)
}

// review adds a section with a diagram, the paragraphs about changes, and findings.
func (d *document) review(agent string, after, before definition.Definition, changes string) {
	diagram := flow.Diagram(after, before)
	if d.diagrams+len(diagram) > maxDiagrams {
		diagram = "The report is too long for this agent's diagram.\n\n"
	} else {
		d.diagrams += len(diagram)
		diagram = "```mermaid\n" + diagram + "```\n\n"
	}
	list, isNew := flow.FindingsSince(after, before)
	var lines []string
	for i, f := range list {
		d.findings = append(d.findings, Finding{agent, f.Kind, f.ID, f.Title, f.Message, isNew[i]})
		line := f.Kind + ": " + f.Message
		if isNew[i] {
			line = "new: " + line
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{"No findings."}
	}
	d.section(agent, diagram+changes+"Findings:\n\n"+block("text", lines, maxLines))
}

// compare reviews an agent if its conversation differs from that of the definition
// before.
func (d *document) compare(agent, before string, after definition.Definition) {
	earlier, err := definition.Parse([]byte(before))
	if err != nil {
		d.review(agent, after, definition.Definition{}, "The earlier definition is invalid, so changes are unknown.\n\n")
	} else if changes := conversationChanges(flow.Diff(earlier, after)); len(changes) > 0 {
		d.review(agent, after, earlier, changesBlock(changes))
	}
}

// markdown returns the report. It begins with the errors and the new findings, because
// the end may be cut off.
func (d *document) markdown() string {
	var lines []string
	for _, f := range d.findings {
		if f.IsNew {
			lines = append(lines, f.Kind+" in "+oneline.Text(f.Agent, maxName)+": "+f.Message)
		}
	}
	parts := []string{"# Conversation Review\n"}
	if len(d.errors) > 0 {
		var errors []string
		for _, text := range d.errors {
			errors = append(errors, "error: "+text)
		}
		parts = append(parts, fmt.Sprintf("Errors: %d.\n", len(errors)), block("text", errors, maxErrors))
	}
	switch {
	case d.agents > 0:
		parts = append(parts, fmt.Sprintf("Agents: %d. New findings: %d. Earlier findings: %d.\n", d.agents, len(lines), len(d.findings)-len(lines)))
	case len(d.errors) == 0:
		parts = append(parts, "There is nothing to review.\n")
	}
	if d.areUnrelated {
		parts = append(parts, "No definition has the name of an earlier one, so nothing was compared.\n")
	}
	if len(lines) > 0 {
		parts = append(parts, block("text", lines, maxSummary))
	}
	return strings.Join(parts, "\n") + d.sections.String()
}

// block returns a code block. No line may begin with a name or a text of a definition,
// because one that begins with backticks would end the block.
func block(language string, lines []string, limit int) string {
	return "```" + language + "\n" + strings.Join(oneline.First(lines, limit), "\n") + "\n```\n"
}

// changesBlock lists changes without those of the layout.
func changesBlock(changes []definition.Change) string {
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
		text = oneline.Difference(text, *other, maxShared)
	}
	return "\n" + sign + oneline.Text(text, maxText)
}
