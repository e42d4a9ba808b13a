// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// values returns the values of the computed attributes. They do not depend on
// the order of the responses.
func (a *workspaceAudit) values(ctx context.Context) (map[string]tftypes.Value, error) {
	agentType := objectType(ctx, auditedAgentAttributes())
	agents := make(map[string]tftypes.Value, len(a.agents))
	for _, agent := range a.agents {
		if agent.publishedInList != nil && agent.publishedInDefinition != nil && *agent.publishedInList != *agent.publishedInDefinition {
			a.problems = append(a.problems, problem{kind: contradiction, agentID: agent.id, operation: listAgentsOperation, message: "The list and the " +
				"definition disagree about whether the agent is published. The attribute is_published has the definition's value."})
		}
		agents[agent.id] = objectValue(agentType, agent.definition, agent.summary, map[string]tftypes.Value{
			"graph_findings": findingsValue(agentType.AttributeTypes["graph_findings"], agent.findings),
			"stats":          a.statsValue(agentType.AttributeTypes["stats"], agent.stats),
		})
	}
	summary, err := a.summary(objectType(ctx, summaryAttributes()))
	if err != nil {
		return nil, err
	}
	return map[string]tftypes.Value{
		"workspace":      tftypes.NewValue(objectType(ctx, workspaceAttributes()), a.workspace.values),
		"members":        a.members.values["members"],
		"emails_by_role": a.members.values["emails_by_role"],
		"agents":         tftypes.NewValue(tftypes.Map{ElementType: agentType}, agents),
		"problems":       a.problemsValue(ctx),
		"summary":        summary,
	}, nil
}

// objectValue returns an object with the first value of each attribute that is not
// null. Missing values are null, or empty if they are lists.
func objectValue(typ tftypes.Object, sources ...map[string]tftypes.Value) tftypes.Value {
	attributes := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	for name, attributeType := range typ.AttributeTypes {
		var value tftypes.Value
		for i := 0; i < len(sources) && value.IsNull(); i++ {
			value = sources[i][name]
		}
		switch {
		case !value.IsNull():
			attributes[name] = value
		case attributeType.Is(tftypes.List{}):
			attributes[name] = tftypes.NewValue(attributeType, []tftypes.Value{})
		default:
			attributes[name] = tftypes.NewValue(attributeType, nil)
		}
	}
	return tftypes.NewValue(typ, attributes)
}

// findingsValue returns a list of findings.
func findingsValue(typ tftypes.Type, findings []flow.Finding) tftypes.Value {
	list, _ := typ.(tftypes.List)
	elements := make([]tftypes.Value, len(findings))
	for i, f := range findings {
		ids := make([]tftypes.Value, len(f.IDs))
		for j, id := range f.IDs {
			ids[j] = tftypes.NewValue(tftypes.String, id)
		}
		elements[i] = tftypes.NewValue(list.ElementType, map[string]tftypes.Value{
			"kind":    tftypes.NewValue(tftypes.String, f.Kind),
			"id":      tftypes.NewValue(tftypes.String, f.ID),
			"ids":     tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, ids),
			"title":   tftypes.NewValue(tftypes.String, f.Title),
			"message": tftypes.NewValue(tftypes.String, f.Message),
		})
	}
	return tftypes.NewValue(typ, elements)
}

// statsValue returns a map of the periods to the statistics of each period;
// those that were not read are null.
func (a *workspaceAudit) statsValue(typ tftypes.Type, stats map[string]map[string]tftypes.Value) tftypes.Value {
	mapType, _ := typ.(tftypes.Map)
	statsType, _ := mapType.ElementType.(tftypes.Object)
	periods := make(map[string]tftypes.Value, len(a.periods))
	for _, period := range a.periods {
		periods[period] = objectValue(statsType, stats[period])
	}
	return tftypes.NewValue(typ, periods)
}

// summary returns the totals. If there are agents, totals of what is not known of
// any of them are null.
func (a *workspaceAudit) summary(typ tftypes.Object) (tftypes.Value, error) {
	var id, slug string
	var members []tftypes.Value
	err := errors.Join(
		a.workspace.values["id"].As(&id), a.workspace.values["slug"].As(&slug),
		a.members.values["members"].As(&members),
	)
	a.foreign = a.countAgents(func(agent *auditedAgent) *bool {
		if id == "" || agent.workspaceRef == "" {
			return nil
		}
		return new(agent.workspaceRef != id && agent.workspaceRef != slug)
	})
	var findings *int
	if a.graphFindings.ValueBool() {
		findings = new(int)
		for _, agent := range a.agents {
			*findings += len(agent.findings)
		}
	}
	stats := map[string]map[string]tftypes.Value{}
	for _, period := range a.periods {
		var totalsErr error
		stats[period], totalsErr = a.totals(period)
		err = errors.Join(err, totalsErr)
	}
	if err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(typ, map[string]tftypes.Value{
		"agents":         tftypes.NewValue(tftypes.Number, len(a.agents)),
		"published":      tftypes.NewValue(tftypes.Number, a.countAgents(func(agent *auditedAgent) *bool { return cmp.Or(agent.publishedInDefinition, agent.publishedInList) })),
		"archived":       tftypes.NewValue(tftypes.Number, a.countAgents(func(agent *auditedAgent) *bool { return agent.archived })),
		"locked":         tftypes.NewValue(tftypes.Number, a.countAgents(func(agent *auditedAgent) *bool { return agent.locked })),
		"foreign_agents": tftypes.NewValue(tftypes.Number, a.foreign),
		"problems":       tftypes.NewValue(tftypes.Number, len(a.problems)),
		"members":        tftypes.NewValue(tftypes.Number, len(members)),
		"graph_findings": tftypes.NewValue(tftypes.Number, findings),
		"stats":          a.statsValue(typ.AttributeTypes["stats"], stats),
	}), nil
}

// countAgents returns the number of agents for which a condition is true, or nil
// if there are agents and it is nil, which means unknown, for all of them.
func (a *workspaceAudit) countAgents(condition func(*auditedAgent) *bool) *int {
	count, known := 0, len(a.agents) == 0
	for _, agent := range a.agents {
		if value := condition(agent); value != nil {
			known = true
			if *value {
				count++
			}
		}
	}
	if !known {
		return nil
	}
	return &count
}

// totals adds up the counters of a period.
func (a *workspaceAudit) totals(period string) (map[string]tftypes.Value, error) {
	totals := map[string]tftypes.Value{}
	for name := range counterAttributes() {
		var total *big.Float
		if len(a.agents) == 0 {
			total = new(big.Float)
		}
		for _, agent := range a.agents {
			var counter *big.Float
			if err := agent.stats[period][name].As(&counter); err != nil {
				return nil, err
			}
			if counter == nil {
				continue
			}
			if total == nil {
				total = new(big.Float)
			}
			total.Add(total, counter)
		}
		totals[name] = tftypes.NewValue(tftypes.Number, total)
	}
	var err error
	totals["completion_percent"], err = completionPercent(totals)
	return totals, err
}
