// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// missing writes what is unknown.
func (d *document) missing(a *audit.Assessment) {
	var paragraphs []string
	if a.AgentIDs != nil {
		paragraphs = append(paragraphs, "Only the agents in agent\\_ids were read.\n")
	}
	if slices.ContainsFunc(a.Problems, func(p audit.Problem) bool { return audit.IsGap(p.Kind) || p.Kind == audit.MissingFields }) {
		paragraphs = append(paragraphs, "The findings say which reads failed or were not complete.\n")
	}
	if len(a.NotCompared) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("The definitions of %s could not be compared with the record, because they were not read: %s.\n",
			counted(len(a.NotCompared), "agent"), markdown(strings.Join(a.NotCompared, ", "))))
	}
	if len(a.NotListed) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("These recorded agents and members (%d) were not listed. They stay in the record, because the list may be incomplete: %s.\n",
			len(a.NotListed), markdownList(a.NotListed)))
	}
	if neverSent := a.NeverSent(); len(neverSent) > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("No agent has a value for %s. If the service never returns these values, nobody can see their changes.\n",
			markdownList(neverSent)))
	}
	t := missingTable(a.Audit)
	if len(t.rows) > 0 {
		table := &document{}
		table.table(t)
		paragraphs = append(paragraphs, table.text.String())
	}
	d.text.WriteString(cmp.Or(strings.Join(paragraphs, "\n"), "No data is missing.\n"))
}

// missingTable has what is unknown of the agents.
func missingTable(a *audit.Audit) table {
	t := table{noun: "values", columns: []string{"Unknown", ":Agents", "IDs"}, maxBytes: maxBytes}
	add := func(value string, isKnown func(*audit.Agent) bool) {
		switch ids := agentsWithout(a, isKnown); {
		case len(ids) == 0:
		case len(ids) == len(a.Agents) && len(ids) > 1:
			t.add("", markdown(value), fmt.Sprintf("all %d", len(ids)), "–")
		default:
			t.add("", markdown(value), fmt.Sprintf("%d of %d", len(ids), len(a.Agents)), markdown(strings.Join(ids, ", ")))
		}
	}
	add("definition", func(agent *audit.Agent) bool { return agent.DefinitionHash != nil })
	// If the definition was not read, all of this is unknown, too.
	add("workspace", func(agent *audit.Agent) bool { return agent.DefinitionHash == nil || textOf(agent.WorkspaceRef) != "" })
	add("state", func(agent *audit.Agent) bool {
		return agent.DefinitionHash == nil || agent.IsPublished != nil && agent.IsArchived != nil && agent.IsLocked != nil
	})
	add("sharing", func(agent *audit.Agent) bool { return agent.DefinitionHash == nil || agent.IsShared != nil })
	if period := a.Period(); period != "" {
		add("statistics, "+period, a.HasStats)
	}
	return t
}

// agentsWithout returns the IDs of the agents of which something is not known.
func agentsWithout(a *audit.Audit, isKnown func(*audit.Agent) bool) []string {
	ids := slices.Sorted(maps.Keys(a.Agents))
	return slices.DeleteFunc(ids, func(id string) bool { return isKnown(a.Agents[id]) })
}
