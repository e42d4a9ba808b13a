// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/markdown"
)

// missing says what is unknown.
func missing(a *audit.Assessment) string {
	var paragraphs []string
	add := func(format string, values ...any) {
		paragraphs = append(paragraphs, fmt.Sprintf(format, values...))
	}
	if a.AgentIDs != nil {
		add("Only the agents in agent\\_ids were read.\n")
	}
	isMissing := func(p audit.Problem) bool { return audit.IsGap(p.Kind) || p.Kind == audit.MissingFields }
	if slices.ContainsFunc(a.Problems, isMissing) {
		add("The findings say which reads failed or were not complete.\n")
	}
	if len(a.NotListed) > 0 {
		add("These recorded agents and members (%d) were not listed. "+
			"They stay in the record, because the list may be incomplete: %s.\n",
			len(a.NotListed), markdown.List(a.NotListed))
	}
	if neverSent := a.NeverSent(); len(neverSent) > 0 {
		add("No agent has a value for %s. If the service never returns these values, nobody can see their changes.\n",
			markdown.List(neverSent))
	}
	if t := missingTable(a.Audit); !t.IsEmpty() {
		add("%s", t)
	}
	return cmp.Or(strings.Join(paragraphs, "\n"), "No data is missing.\n")
}

// missingTable has what is unknown of the agents.
func missingTable(a *audit.Audit) *markdown.Table {
	t := markdown.NewTable("values", maxTable, "Unknown", ":Agents", "IDs")
	add := func(value string, isKnown func(*audit.Agent) bool) {
		ids := agentsWithout(a, isKnown)
		if len(ids) > 0 {
			count := fmt.Sprintf("%d of %d", len(ids), len(a.Agents))
			t.Add("", markdown.Text(value), count, markdown.Text(strings.Join(ids, ", ")))
		}
	}
	isRead := func(agent *audit.Agent) bool {
		return agent.DefinitionHash != nil
	}
	add("definition", isRead)
	// If the definition was not read, all of this is unknown, too.
	add("workspace", func(agent *audit.Agent) bool {
		return !isRead(agent) || api.ValueOf(agent.WorkspaceRef) != ""
	})
	add("state", func(agent *audit.Agent) bool {
		hasState := agent.IsPublished != nil &&
			agent.IsArchived != nil &&
			agent.IsLocked != nil
		return !isRead(agent) || hasState
	})
	add("sharing", func(agent *audit.Agent) bool {
		return !isRead(agent) || agent.IsShared != nil
	})
	return t
}

// agentsWithout returns the IDs of the agents of which something is not known.
func agentsWithout(a *audit.Audit, isKnown func(*audit.Agent) bool) []string {
	return slices.DeleteFunc(a.SortedIDs(), func(id string) bool { return isKnown(a.Agents[id]) })
}
