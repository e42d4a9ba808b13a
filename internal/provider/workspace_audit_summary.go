// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
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
	a.addDoubts()
	a.addMissing()
	slices.SortFunc(a.problems, func(x, y problem) int {
		return cmp.Or(cmp.Compare(valueOf(x.AgentID), valueOf(y.AgentID)), cmp.Compare(x.Operation, y.Operation), cmp.Compare(x.text(), y.text()))
	})
	a.model.Problems = []audit.Problem{}
	for _, p := range a.problems {
		p.Message = nilIfZero(p.text())
		a.model.Problems = append(a.model.Problems, p.Problem)
	}
	a.model.IsComplete = new(!slices.ContainsFunc(a.problems, func(p problem) bool { return audit.IsGap(p.Kind) }))
	a.model.Summarize()
}

// emptyIfNil returns an empty list for nil.
func emptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// minEqualAgents is the number of agents from which equal values of all agents are a
// reason for doubt.
const minEqualAgents = 3

// addDoubts adds problems about values that may be those of another agent or period.
func (a *workspaceAudit) addDoubts() {
	definitions := map[string]int{} // number of agents
	namesIDs := slices.ContainsFunc(a.agents, func(agent *auditedAgent) bool { return agent.refKey == *agent.ID })
	for _, agent := range a.agents {
		if agent.DefinitionHash != nil {
			definitions[*agent.DefinitionHash]++
		}
		if agent.refKey != "" && agent.refKey != *agent.ID && (namesIDs || a.model.Agents[mapKey(agent.refKey)] != nil) {
			a.problems = append(a.problems, newProblem(audit.Contradiction, *agent.ID, audit.ReadAgent, fmt.Sprintf("The definition may be that of the agent %q, which its ref.key names.", agent.refKey)))
		}
		for _, period := range a.model.StatsPeriods {
			if stats := agent.Stats[period]; !stats.AreCounts() {
				a.problems = append(a.problems, newProblem(audit.Contradiction, *agent.ID, audit.ReadStatsOf(period), "A number in the statistics is negative or has a fraction."))
			}
		}
	}
	for _, count := range definitions {
		if len(definitions) == 1 && count >= minEqualAgents {
			a.problems = append(a.problems, newProblem(audit.EqualDefinitions, "", audit.ReadAgent, fmt.Sprintf(
				"All %d definitions are the same. The service may ignore the ID in the request.", count)))
		}
	}
	for _, period := range a.model.StatsPeriods {
		if a.hasEqualStats(period) {
			a.problems = append(a.problems, newProblem(audit.EqualStatistics, "", audit.ReadStatsOf(period), "All agents have the same statistics. The service may ignore the ID in the request."))
		}
	}
	if a.hasEqualPeriods() {
		a.problems = append(a.problems, newProblem(audit.EqualStatistics, "", audit.ReadStats, fmt.Sprintf(
			"Every agent with sessions has the same statistics in all periods (%s). The service may ignore the query parameter for the period, whose name "+
				"the API does not document. Compare the statistics with those in the service's own user interface.", strings.Join(slices.Sorted(slices.Values(a.model.StatsPeriods)), ", "))))
	}
}

// addMissing adds problems about what agents lack, if others show that they should have it.
func (a *workspaceAudit) addMissing() {
	agents, linkKeys, haveURLs := map[string]bool{}, map[string]bool{}, false
	for _, agent := range a.agents {
		agents[*agent.ID], agents[agent.refKey], agents[valueOf(agent.PublicID)] = true, true, true
		haveURLs = haveURLs || valueOf(agent.IsPublished) && valueOf(agent.URL) != ""
	}
	delete(agents, "")
	for _, agent := range a.agents {
		for l := range agent.agentLinks {
			linkKeys[l.Key] = linkKeys[l.Key] || agents[l.AgentID]
		}
	}
	hasWholeList := a.model.AgentIDs == nil && !slices.ContainsFunc(a.problems, func(p problem) bool {
		return p.Operation == audit.ListAgents && audit.IsGap(p.Kind)
	})
	for _, agent := range a.agents {
		hasAddress := valueOf(agent.URL) != "" || valueOf(agent.PublicID) != "" || valueOf(agent.Domain) != ""
		if haveURLs && !hasAddress && agent.DefinitionHash != nil && valueOf(agent.IsPublished) {
			a.problems = append(a.problems, newProblem(audit.MissingURL, *agent.ID, audit.ReadAgent,
				"The agent is published, but has neither a URL nor a public ID, although other published agents have one."))
		}
		for l, itemID := range agent.agentLinks {
			if hasWholeList && linkKeys[l.Key] && !agents[l.AgentID] {
				a.problems = append(a.problems, newProblem(audit.MissingAgent, *agent.ID, audit.ReadAgent,
					fmt.Sprintf("The item %q links to the agent %q (%s), which is not in the list of agents.", itemID, l.AgentID, l.Key)))
			}
		}
	}
}

// hasEqualStats reports whether several agents have sessions in a period, and all
// agents with statistics the same number.
func (a *workspaceAudit) hasEqualStats(period string) bool {
	var known []audit.Stats
	for _, agent := range a.agents {
		if stats := agent.Stats[period]; stats.TotalStarts != nil {
			known = append(known, stats)
		}
	}
	return len(known) >= minEqualAgents && known[0].TotalStarts.Sign() > 0 &&
		!slices.ContainsFunc(known, func(stats audit.Stats) bool { return !known[0].Equal(stats) })
}

// hasEqualPeriods reports whether there are sessions, but no differences between
// periods.
func (a *workspaceAudit) hasEqualPeriods() bool {
	if len(a.model.StatsPeriods) < 2 {
		return false
	}
	hasSessions := false
	for _, agent := range a.agents {
		first := agent.Stats[a.model.StatsPeriods[0]]
		for _, period := range a.model.StatsPeriods[1:] {
			if !first.Equal(agent.Stats[period]) {
				return false
			}
		}
		if first.TotalStarts != nil && first.TotalStarts.Sign() > 0 {
			hasSessions = true
		}
	}
	return hasSessions
}
