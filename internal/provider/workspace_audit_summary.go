// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// complete sets the attributes that are computed from what was read. They do not
// depend on the order of the responses.
func (a *workspaceAudit) complete() {
	a.model.EmailsByRole = emailsByRole(a.model.Members)
	a.model.Agents = make(map[string]*audit.Agent, len(a.agents))
	for _, agent := range a.agents {
		if agent.isContradictory {
			a.problems = append(a.problems, newProblem(audit.Contradiction, *agent.ID, audit.ListAgents, "The list and the "+
				"definition disagree about whether the agent is published. The attribute is_published has the definition's value."))
		}
		agent.Tags, agent.Labels = emptyIfNil(agent.Tags), emptyIfNil(agent.Labels)
		agent.ExternalHosts, agent.UnsetVariables = emptyIfNil(agent.ExternalHosts), emptyIfNil(agent.UnsetVariables)
		agent.Variables, agent.GraphFindings = emptyIfNil(agent.Variables), emptyIfNil(agent.GraphFindings)
		a.model.Agents[mapKey(*agent.ID)] = &agent.Agent
	}
	for _, operation := range a.operations {
		if operation.stopped != nil {
			a.mergeFailures(operation)
		}
	}
	a.model.Summarize()
	a.addDoubts()
	a.addMissingURLs()
	a.addMissingAgents()
	slices.SortFunc(a.problems, func(x, y problem) int {
		return cmp.Or(cmp.Compare(valueOf(x.AgentID), valueOf(y.AgentID)), cmp.Compare(x.Operation, y.Operation), cmp.Compare(x.text(), y.text()))
	})
	a.model.Problems = []audit.Problem{}
	for _, p := range a.problems {
		p.Message = nilIfZero(p.text())
		a.model.Problems = append(a.model.Problems, p.Problem)
	}
	a.model.IsComplete = new(!slices.ContainsFunc(a.problems, func(p problem) bool { return audit.IsGap(p.Kind) }))
	a.model.Summary.Problems = len(a.problems)
}

// emptyIfNil returns an empty list for nil.
func emptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// addDoubts adds problems about values that may be those of another agent or period.
func (a *workspaceAudit) addDoubts() {
	namesIDs := slices.ContainsFunc(a.agents, func(agent *auditedAgent) bool { return agent.refKey == *agent.ID })
	for _, agent := range a.agents {
		if agent.refKey != "" && agent.refKey != *agent.ID && (namesIDs || a.model.Agents[mapKey(agent.refKey)] != nil) {
			a.problems = append(a.problems, newProblem(audit.Contradiction, *agent.ID, audit.ReadAgent, fmt.Sprintf("The definition may be that of the agent %q, which its ref.key names.", agent.refKey)))
		}
	}
	if a.hasEqualPeriods() {
		a.problems = append(a.problems, newProblem(audit.EqualStatistics, "", audit.ReadStats, fmt.Sprintf(
			"All periods (%s) have the same statistics. The service may ignore the query parameter for the period, whose name the API does not document. "+
				"Compare the statistics with those in the service's own user interface.", strings.Join(slices.Sorted(slices.Values(a.model.StatsPeriods)), ", "))))
	}
}

// hasEqualPeriods reports whether several periods have sessions, and the same totals.
func (a *workspaceAudit) hasEqualPeriods() bool {
	totals := slices.Collect(maps.Values(a.model.Summary.Stats))
	return len(totals) > 1 && totals[0].TotalStarts != nil && totals[0].TotalStarts.Sign() > 0 &&
		!slices.ContainsFunc(totals, func(total audit.Stats) bool { return !total.Equal(totals[0]) })
}

// addMissingURLs adds problems about published agents that nobody can reach by an address, if
// others have one. Services also report a publication that failed as a success.
func (a *workspaceAudit) addMissingURLs() {
	hasURL := func(agent *auditedAgent) bool { return valueOf(agent.URL) != "" }
	if !slices.ContainsFunc(a.agents, hasURL) {
		return
	}
	for _, agent := range a.agents {
		if agent.DefinitionHash != nil && valueOf(agent.IsPublished) && !hasURL(agent) && valueOf(agent.PublicID) == "" && valueOf(agent.Domain) == "" {
			a.problems = append(a.problems, newProblem(audit.MissingURL, *agent.ID, audit.ReadAgent,
				"The agent is published, but has no URL, public ID, or domain, although other agents have a URL."))
		}
	}
}

// addMissingAgents adds problems about links to agents that are not listed. Which keys of a
// flow have IDs of agents is seen from those that are.
func (a *workspaceAudit) addMissingAgents() {
	isPartOfList := a.model.AgentIDs != nil || slices.ContainsFunc(a.problems, func(p problem) bool {
		return p.Operation == audit.ListAgents && audit.IsGap(p.Kind)
	})
	if isPartOfList {
		return
	}
	agents, linkKeys := map[string]bool{}, map[string]bool{}
	for _, agent := range a.agents {
		agents[*agent.ID], agents[agent.refKey], agents[valueOf(agent.PublicID)] = true, true, true
	}
	delete(agents, "")
	for _, agent := range a.agents {
		for l := range agent.agentLinks {
			linkKeys[l.Key] = linkKeys[l.Key] || agents[l.AgentID]
		}
	}
	for _, agent := range a.agents {
		for l, itemID := range agent.agentLinks {
			if linkKeys[l.Key] && !agents[l.AgentID] {
				a.problems = append(a.problems, newProblem(audit.MissingAgent, *agent.ID, audit.ReadAgent,
					fmt.Sprintf("The element %q links to the agent %q (%s), which is not in the list of agents.", itemID, l.AgentID, l.Key)))
			}
		}
	}
}
