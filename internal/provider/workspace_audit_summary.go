// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// complete sets the attributes that are computed from what was read. They do not
// depend on the order of the responses.
func (a *workspaceAudit) complete() {
	a.model.EmailsByRole = emailsByRole(a.model.Members)
	a.model.Agents = make(map[string]*auditedAgent, len(a.agents))
	for _, agent := range a.agents {
		if agent.isContradictory {
			a.problems = append(a.problems, problem{kind: audit.Contradiction, agentID: *agent.ID, operation: audit.ListAgents, message: "The list and the " +
				"definition disagree about whether the agent is published. The attribute is_published has the definition's value."})
		}
		agent.Tags, agent.Labels = emptyIfNil(agent.Tags), emptyIfNil(agent.Labels)
		agent.ExternalHosts = emptyIfNil(agent.ExternalHosts)
		agent.Variables, agent.GraphFindings = emptyIfNil(agent.Variables), emptyIfNil(agent.GraphFindings)
		a.model.Agents[mapKey(*agent.ID)] = agent
	}
	for _, operation := range a.operations {
		if operation.isStopped() {
			a.mergeFailures(operation)
		}
	}
	a.addDoubts()
	slices.SortFunc(a.problems, func(x, y problem) int {
		return cmp.Or(cmp.Compare(x.agentID, y.agentID), cmp.Compare(x.operation, y.operation), cmp.Compare(x.text(), y.text()))
	})
	a.model.Summary = a.summarize()
	a.model.Problems = a.problemModels()
	a.model.IsComplete = new(!slices.ContainsFunc(a.problems, func(p problem) bool { return audit.IsGap(p.kind) }))
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
			a.problems = append(a.problems, problem{kind: audit.Contradiction, agentID: *agent.ID, operation: audit.ReadAgent,
				message: fmt.Sprintf("The definition may be that of the agent %q, which its ref.key names.", agent.refKey)})
		}
		for _, period := range a.model.StatsPeriods {
			if stats := agent.Stats[period]; !stats.areCounts() {
				a.problems = append(a.problems, problem{kind: audit.Contradiction, agentID: *agent.ID, operation: audit.ReadStatsOf(period),
					message: "A number in the statistics is negative or has a fraction."})
			}
		}
	}
	for _, count := range definitions {
		if len(definitions) == 1 && count >= minEqualAgents {
			a.problems = append(a.problems, problem{kind: audit.EqualDefinitions, operation: audit.ReadAgent, message: fmt.Sprintf(
				"All %d definitions are the same. The service may ignore the ID in the request.", count)})
		}
	}
	for _, period := range a.model.StatsPeriods {
		if a.hasEqualStats(period) {
			a.problems = append(a.problems, problem{kind: audit.EqualStatistics, operation: audit.ReadStatsOf(period),
				message: "All agents have the same statistics. The service may ignore the ID in the request."})
		}
	}
	if a.hasEqualPeriods() {
		a.problems = append(a.problems, problem{kind: audit.EqualStatistics, operation: audit.ReadStats, message: fmt.Sprintf(
			"Every agent with sessions has the same statistics in all periods (%s). The service may ignore the query parameter for the period, whose name "+
				"the API does not document. Compare the statistics with those in the service's own user interface.", strings.Join(slices.Sorted(slices.Values(a.model.StatsPeriods)), ", "))})
	}
}

// areCounts reports whether all known numbers are whole and not negative.
func (s agentStats) areCounts() bool {
	isCount := func(n *big.Float) bool { return n == nil || n.Sign() >= 0 && n.IsInt() }
	return isCount(s.TotalViews) && isCount(s.TotalStarts) && isCount(s.TotalCompleted)
}

// hasEqualStats reports whether several agents have sessions in a period, and all
// agents with statistics the same number.
func (a *workspaceAudit) hasEqualStats(period string) bool {
	var known []agentStats
	for _, agent := range a.agents {
		if stats := agent.Stats[period]; stats.TotalStarts != nil {
			known = append(known, stats)
		}
	}
	return len(known) >= minEqualAgents && known[0].TotalStarts.Sign() > 0 &&
		!slices.ContainsFunc(known, func(stats agentStats) bool { return !known[0].equal(stats) })
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
			if !first.equal(agent.Stats[period]) {
				return false
			}
		}
		if first.TotalStarts != nil && first.TotalStarts.Sign() > 0 {
			hasSessions = true
		}
	}
	return hasSessions
}

// equal reports whether two statistics have the same counters.
func (s agentStats) equal(other agentStats) bool {
	same := func(a, b *big.Float) bool {
		if a == nil || b == nil {
			return a == b
		}
		return a.Cmp(b) == 0
	}
	return same(s.TotalViews, other.TotalViews) && same(s.TotalStarts, other.TotalStarts) && same(s.TotalCompleted, other.TotalCompleted)
}

// summarize returns the totals. A total is nil if its value is not known for any of
// the agents.
func (a *workspaceAudit) summarize() *auditSummary {
	id, slug := valueOf(a.model.Workspace.ID), valueOf(a.model.Workspace.Slug)
	summary := &auditSummary{
		Agents:    len(a.agents),
		Members:   len(a.model.Members),
		Problems:  len(a.problems),
		Published: a.addUp(func(agent *auditedAgent) *int { return oneIfTrue(agent.IsPublished) }),
		Archived:  a.addUp(func(agent *auditedAgent) *int { return oneIfTrue(agent.IsArchived) }),
		Locked:    a.addUp(func(agent *auditedAgent) *int { return oneIfTrue(agent.IsLocked) }),
		ForeignAgents: a.addUp(func(agent *auditedAgent) *int {
			ref := valueOf(agent.WorkspaceRef)
			if id == "" || ref == "" {
				return nil
			}
			return oneIfTrue(new(ref != id && ref != slug))
		}),
		Stats: map[string]agentStats{},
	}
	if valueOf(a.model.IncludeGraphFindings) {
		summary.GraphFindings = a.addUp(func(agent *auditedAgent) *int {
			if agent.DefinitionHash == nil {
				return nil
			}
			return new(len(agent.GraphFindings))
		})
	}
	for _, period := range a.model.StatsPeriods {
		summary.Stats[period] = a.totals(period)
	}
	return summary
}

// addUp adds up a number over the agents. The total is nil if the number is nil
// for every agent, but 0 if there are no agents.
func (a *workspaceAudit) addUp(number func(*auditedAgent) *int) *int {
	var total *int
	if len(a.agents) == 0 {
		total = new(0)
	}
	for _, agent := range a.agents {
		if n := number(agent); n != nil {
			total = new(valueOf(total) + *n)
		}
	}
	return total
}

// oneIfTrue returns 1 for true, 0 for false, and nil for nil.
func oneIfTrue(condition *bool) *int {
	switch {
	case condition == nil:
		return nil
	case *condition:
		return new(1)
	default:
		return new(0)
	}
}

// totals adds up the counters of a period.
func (a *workspaceAudit) totals(period string) agentStats {
	var totals agentStats
	if len(a.agents) == 0 {
		totals = agentStats{TotalViews: new(big.Float), TotalStarts: new(big.Float), TotalCompleted: new(big.Float)}
	}
	for _, agent := range a.agents {
		stats := agent.Stats[period]
		totals.TotalViews = sum(totals.TotalViews, stats.TotalViews)
		totals.TotalStarts = sum(totals.TotalStarts, stats.TotalStarts)
		totals.TotalCompleted = sum(totals.TotalCompleted, stats.TotalCompleted)
	}
	totals.CompletionPercent = completionPercent(totals.TotalStarts, totals.TotalCompleted)
	return totals
}

// sum adds a counter to a total. Both can be nil, which means that they are not
// known.
func sum(total, counter *big.Float) *big.Float {
	if counter == nil {
		return total
	}
	total = cmp.Or(total, new(big.Float))
	return total.Add(total, counter)
}
