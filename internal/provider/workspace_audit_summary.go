// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// complete sets the attributes that are computed from what was read. They do not
// depend on the order of the responses.
func (a *workspaceAudit) complete() {
	a.EmailsByRole = emailsByRole(a.Members)
	a.Agents = make(map[string]*auditedAgent, len(a.agents))
	for _, agent := range a.agents {
		if agent.publishedInList != nil && agent.publishedInDefinition != nil && *agent.publishedInList != *agent.publishedInDefinition {
			a.problems = append(a.problems, problem{kind: contradiction, agentID: *agent.ID, operation: listAgentsOperation, message: "The list and the " +
				"definition disagree about whether the agent is published. The attribute is_published has the definition's value."})
		}
		agent.Tags, agent.Labels = orEmpty(agent.Tags), orEmpty(agent.Labels)
		agent.Variables, agent.GraphFindings = orEmpty(agent.Variables), orEmpty(agent.GraphFindings)
		a.Agents[mapKey(*agent.ID)] = agent
	}
	for _, operation := range a.operations {
		if operation.isStopped() {
			a.mergeFailures(operation)
		}
	}
	if a.hasEqualPeriods() {
		a.problems = append(a.problems, problem{kind: equalStatistics, operation: "read agent statistics", message: fmt.Sprintf(
			"Every agent with sessions has the same statistics in all periods (%s). The service may ignore the query parameter for the period, whose name "+
				"the API does not document. Compare the statistics with those in the service's own user interface.", strings.Join(slices.Sorted(slices.Values(a.StatsPeriods)), ", "))})
	}
	a.Summary = a.summarize()
	a.Problems = a.problemModels()
	a.IsComplete = new(!slices.ContainsFunc(a.problems, problem.isGap))
}

// orEmpty returns an empty list for nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// hasEqualPeriods reports whether there are sessions, but no differences between
// periods.
func (a *workspaceAudit) hasEqualPeriods() bool {
	if len(a.StatsPeriods) < 2 {
		return false
	}
	hasSessions := false
	for _, agent := range a.agents {
		first := agent.Stats[a.StatsPeriods[0]]
		for _, period := range a.StatsPeriods[1:] {
			if !first.equal(agent.Stats[period]) {
				return false
			}
		}
		hasSessions = hasSessions || first.TotalStarts != nil && first.TotalStarts.Sign() > 0
	}
	return hasSessions
}

// equal reports whether two statistics have the same counters.
func (s agentStats) equal(other agentStats) bool {
	same := func(a, b *big.Float) bool { return a == nil && b == nil || a != nil && b != nil && a.Cmp(b) == 0 }
	return same(s.TotalViews, other.TotalViews) && same(s.TotalStarts, other.TotalStarts) && same(s.TotalCompleted, other.TotalCompleted)
}

// summarize returns the totals. A total is nil if its value is not known for any of
// the agents.
func (a *workspaceAudit) summarize() *auditSummary {
	id, slug := valueOf(a.Workspace.ID), valueOf(a.Workspace.Slug)
	summary := &auditSummary{
		Agents:    len(a.agents),
		Members:   len(a.Members),
		Problems:  len(a.problems),
		Published: a.count(func(agent *auditedAgent) *int { return countTrue(agent.IsPublished) }),
		Archived:  a.count(func(agent *auditedAgent) *int { return countTrue(agent.IsArchived) }),
		Locked:    a.count(func(agent *auditedAgent) *int { return countTrue(agent.IsLocked) }),
		ForeignAgents: a.count(func(agent *auditedAgent) *int {
			ref := valueOf(agent.WorkspaceRef)
			if id == "" || ref == "" {
				return nil
			}
			return countTrue(new(ref != id && ref != slug))
		}),
		Stats: map[string]agentStats{},
	}
	if valueOf(a.IncludeGraphFindings) {
		summary.GraphFindings = a.count(func(agent *auditedAgent) *int {
			if agent.DefinitionHash == nil {
				return nil
			}
			return new(len(agent.GraphFindings))
		})
	}
	for _, period := range a.StatsPeriods {
		summary.Stats[period] = a.totals(period)
	}
	return summary
}

// count adds up a number over the agents. An agent for which it is nil does not
// count. The total is nil if the number is nil for every agent.
func (a *workspaceAudit) count(number func(*auditedAgent) *int) *int {
	total, known := 0, len(a.agents) == 0
	for _, agent := range a.agents {
		if n := number(agent); n != nil {
			total, known = total+*n, true
		}
	}
	if !known {
		return nil
	}
	return &total
}

// countTrue returns 1 for true, 0 for false, and nil for nil.
func countTrue(condition *bool) *int {
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
	totals.CompletionPercent = totals.completionPercent()
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
