// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// results assembles the results, in an order that does not depend on that of
// the responses.
func (a *audit) results(ctx context.Context) values {
	a.addPublishedConflicts()
	agentType := tftypes.Object{AttributeTypes: a.types}
	statsType := objectType(ctx, auditedStatsAttributes())
	agents := make(map[string]tftypes.Value, len(a.agents))
	for _, agent := range a.agents {
		agents[agent.key] = tftypes.NewValue(agentType, a.agent(agent, statsType))
	}
	problemType := objectType(ctx, problemAttributes())
	problems := []tftypes.Value{}
	for _, p := range a.sortedProblems() {
		status := tftypes.NewValue(tftypes.Number, nil)
		if p.status != 0 {
			status = numberValue(p.status)
		}
		problems = append(problems, tftypes.NewValue(problemType, map[string]tftypes.Value{
			"agent_id":  textValue(p.agentID),
			"operation": textValue(p.operation),
			"status":    status,
			"code":      textValue(p.code),
			"message":   textValue(p.message),
		}))
	}
	return values{
		"workspace":      tftypes.NewValue(objectType(ctx, workspaceAttributes()), map[string]tftypes.Value(a.workspace)),
		"members":        a.members["members"],
		"emails_by_role": a.members["emails_by_role"],
		"agents":         tftypes.NewValue(tftypes.Map{ElementType: agentType}, agents),
		"problems":       tftypes.NewValue(tftypes.List{ElementType: problemType}, problems),
		"summary":        tftypes.NewValue(objectType(ctx, summaryAttributes()), map[string]tftypes.Value(a.summary(statsType))),
	}
}

// agent returns the attributes of an agent: the list's fields, overlaid with
// the parts of its definition. Missing lists are empty.
func (a *audit) agent(agent *auditedAgent, statsType tftypes.Object) map[string]tftypes.Value {
	attributes := make(map[string]tftypes.Value, len(a.types))
	maps.Copy(attributes, agent.attributes)
	for name, value := range agent.definition {
		if name != "is_published" || !value.IsNull() {
			attributes[name] = value
		}
	}
	for name, typ := range a.types {
		if value, ok := attributes[name]; ok && !value.IsNull() {
			continue
		}
		attributes[name] = tftypes.NewValue(typ, nil)
		if typ.Is(tftypes.List{}) {
			attributes[name] = tftypes.NewValue(typ, []tftypes.Value{})
		}
	}
	stats := make(map[string]tftypes.Value, len(a.periods))
	for i, period := range a.periods {
		stats[period] = statsValue(statsType, agent.stats[i])
	}
	attributes["stats"] = tftypes.NewValue(a.types["stats"], stats)
	if len(agent.findings) > 0 {
		attributes["graph_findings"] = findingsValue(a.types["graph_findings"], agent.findings)
	}
	return attributes
}

// findingsValue returns a list of findings.
func findingsValue(typ tftypes.Type, findings []flow.Finding) tftypes.Value {
	list, _ := typ.(tftypes.List)
	elements := make([]tftypes.Value, 0, len(findings))
	for _, f := range findings {
		elements = append(elements, tftypes.NewValue(list.ElementType, map[string]tftypes.Value{
			"kind":    tftypes.NewValue(tftypes.String, string(f.Kind)),
			"id":      tftypes.NewValue(tftypes.String, f.ID),
			"title":   tftypes.NewValue(tftypes.String, f.Title),
			"message": tftypes.NewValue(tftypes.String, f.Message),
		}))
	}
	return tftypes.NewValue(typ, elements)
}

// statsValue returns an object with counters; those that are missing are null.
func statsValue(typ tftypes.Object, counters values) tftypes.Value {
	stats := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	for name := range typ.AttributeTypes {
		stats[name] = tftypes.NewValue(tftypes.Number, nil)
	}
	maps.Copy(stats, counters)
	return tftypes.NewValue(typ, stats)
}

// addPublishedConflicts adds a problem for each agent whose list entry and
// definition have different values of is_published.
func (a *audit) addPublishedConflicts() {
	for _, agent := range a.agents {
		listed, defined := agent.attributes.flag("is_published"), agent.definition.flag("is_published")
		if listed != nil && defined != nil && *listed != *defined {
			a.add(problem{agentID: agent.key, operation: listAgents, message: "The list and the definition disagree about whether the agent is " +
				"published. The attribute is_published has the definition's value."})
		}
	}
}

// foreignAgents counts the agents that belong to another workspace.
func (a *audit) foreignAgents() int {
	count := 0
	for _, agent := range a.agents {
		ref := agent.definition.text("workspace_ref")
		if ref != "" && ref != a.workspace.text("id") && ref != a.workspace.text("slug") {
			count++
		}
	}
	return count
}

func (a *audit) summary(statsType tftypes.Object) values {
	var published, archived, locked, findings int
	for _, agent := range a.agents {
		flag := agent.definition.flag("is_published")
		if flag == nil {
			flag = agent.attributes.flag("is_published")
		}
		published += one(flag != nil && *flag)
		archived += one(agent.definition.isTrue("is_archived"))
		locked += one(agent.definition.isTrue("is_locked"))
		findings += len(agent.findings)
	}
	members := a.members.list("members")
	roles := map[string]int{}
	for _, member := range members {
		roles[objectOf(member).text("role")]++
	}
	byRole := map[string]tftypes.Value{}
	for role, count := range roles {
		byRole[role] = numberValue(count)
	}
	stats := map[string]tftypes.Value{}
	for i, period := range a.periods {
		stats[period] = statsValue(statsType, a.totals(i))
	}
	summary := values{
		"agents":          numberValue(len(a.agents)),
		"published":       numberValue(published),
		"archived":        numberValue(archived),
		"locked":          numberValue(locked),
		"foreign_agents":  numberValue(a.foreignAgents()),
		"graph_findings":  numberValue(findings),
		"problems":        numberValue(len(a.problems)),
		"members":         numberValue(len(members)),
		"members_by_role": tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, byRole),
		"stats":           tftypes.NewValue(tftypes.Map{ElementType: statsType}, stats),
	}
	if !a.graphs {
		summary["graph_findings"] = tftypes.NewValue(tftypes.Number, nil)
	}
	if !a.definitions {
		for _, name := range []string{"archived", "locked", "foreign_agents"} {
			summary[name] = tftypes.NewValue(tftypes.Number, nil)
		}
	}
	return summary
}

// totals adds up the counters of a period.
func (a *audit) totals(period int) values {
	totals := values{}
	for name := range counterAttributes() {
		sum := new(big.Float).SetPrec(512)
		for _, agent := range a.agents {
			if counter := numberOf(agent.stats[period][name]); counter != nil {
				sum.Add(sum, counter)
			}
		}
		totals[name] = tftypes.NewValue(tftypes.Number, sum)
	}
	totals["completion_percent"] = completionPercent(totals)
	return totals
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}
