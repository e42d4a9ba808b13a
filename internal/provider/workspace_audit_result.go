// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// values returns the values of the computed attributes. They do not depend on
// the order of the responses.
func (a *workspaceAudit) values(ctx context.Context) (map[string]tftypes.Value, error) {
	a.addPublishedContradictions()
	a.addNotRead()
	a.sortProblems()
	agentType := objectType(ctx, auditedAgentAttributes())
	agents := make(map[string]tftypes.Value, len(a.agents))
	for _, agent := range a.agents {
		agents[agent.key] = tftypes.NewValue(agentType, a.agentValues(agent, agentType))
	}
	summary, err := a.summary(ctx, agents)
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

// agentValues returns the attributes of an agent: the fields of the list, with
// the parts of its definition instead where that was read. Missing lists are
// empty.
func (a *workspaceAudit) agentValues(agent *auditedAgent, typ tftypes.Object) map[string]tftypes.Value {
	values := make(map[string]tftypes.Value, len(typ.AttributeTypes))
	maps.Copy(values, agent.summary)
	for name, value := range agent.definition {
		if name != "is_published" || !value.IsNull() {
			values[name] = value
		}
	}
	if variables, err := valueAt[[]tftypes.Value](values["variables"]); err == nil {
		// An expression cannot read an attribute of a null object.
		variables = slices.DeleteFunc(variables, tftypes.Value.IsNull)
		values["variables"] = tftypes.NewValue(typ.AttributeTypes["variables"], variables)
	}
	values["graph_findings"] = findingsValue(typ.AttributeTypes["graph_findings"], agent.findings)
	values["stats"] = a.statsValue(typ.AttributeTypes["stats"], agent.stats)
	for name, attributeType := range typ.AttributeTypes {
		if value, ok := values[name]; ok && !value.IsNull() {
			continue
		}
		values[name] = tftypes.NewValue(attributeType, nil)
		if attributeType.Is(tftypes.List{}) {
			values[name] = tftypes.NewValue(attributeType, []tftypes.Value{})
		}
	}
	return values
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
			"kind":    tftypes.NewValue(tftypes.String, string(f.Kind)),
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
func (a *workspaceAudit) statsValue(typ tftypes.Type, stats []map[string]tftypes.Value) tftypes.Value {
	periods := map[string]tftypes.Value{}
	mapType, _ := typ.(tftypes.Map)
	for i, period := range a.periods {
		values := stats[i]
		if values == nil {
			values = map[string]tftypes.Value{}
			for name := range statsAttributes() {
				values[name] = tftypes.NewValue(tftypes.Number, nil)
			}
		}
		periods[period] = tftypes.NewValue(mapType.ElementType, values)
	}
	return tftypes.NewValue(typ, periods)
}

// addPublishedContradictions adds a problem for each agent whose list entry and
// definition have different values of is_published.
func (a *workspaceAudit) addPublishedContradictions() {
	for _, agent := range a.agents {
		if agent.listed != nil && agent.defined != nil && *agent.listed != *agent.defined {
			a.add(problem{kind: contradiction, agentID: agent.key, operation: listAgentsOperation, message: "The list and the definition disagree about " +
				"whether the agent is published. The attribute is_published has the definition's value."})
		}
	}
}

func (a *workspaceAudit) problemsValue(ctx context.Context) tftypes.Value {
	typ := objectType(ctx, problemAttributes())
	elements := make([]tftypes.Value, len(a.problems))
	for i, p := range a.problems {
		elements[i] = tftypes.NewValue(typ, map[string]tftypes.Value{
			"kind":      tftypes.NewValue(tftypes.String, string(p.kind)),
			"agent_id":  orNull(tftypes.String, p.agentID),
			"operation": tftypes.NewValue(tftypes.String, p.operation),
			"status":    orNull(tftypes.Number, p.status),
			"code":      orNull(tftypes.String, p.code),
			"message":   orNull(tftypes.String, p.message),
		})
	}
	return tftypes.NewValue(tftypes.List{ElementType: typ}, elements)
}

// orNull returns null for the zero value.
func orNull[T comparable](typ tftypes.Type, value T) tftypes.Value {
	if value == *new(T) {
		return tftypes.NewValue(typ, nil)
	}
	return tftypes.NewValue(typ, value)
}

// countForeignAgents counts the agents that belong to another workspace, and
// reports whether the workspace of any agent is known. Without the workspace's
// own ID, none is.
func (a *workspaceAudit) countForeignAgents() (known bool, err error) {
	id, idErr := valueAt[string](a.workspace.values["id"])
	slug, slugErr := valueAt[string](a.workspace.values["slug"])
	if err := errors.Join(idErr, slugErr); err != nil || id == "" {
		return false, err
	}
	for _, agent := range a.agents {
		if agent.definition == nil {
			continue
		}
		ref, err := valueAt[string](agent.definition["workspace_ref"])
		if err != nil {
			return false, err
		}
		known = known || ref != ""
		if ref != "" && ref != id && ref != slug {
			a.foreign++
		}
	}
	return known, nil
}

func (a *workspaceAudit) summary(ctx context.Context, agents map[string]tftypes.Value) (tftypes.Value, error) {
	count := func(n int, known bool) tftypes.Value {
		if !known && len(agents) > 0 {
			return tftypes.NewValue(tftypes.Number, nil)
		}
		return tftypes.NewValue(tftypes.Number, n)
	}
	values := map[string]tftypes.Value{
		"agents":   count(len(agents), true),
		"problems": count(len(a.problems), true),
	}
	for name, attribute := range map[string]string{"published": "is_published", "archived": "is_archived", "locked": "is_locked"} {
		var isTrue, known int
		for _, agent := range agents {
			flag, err := valueAt[*bool](agent, attribute)
			if err != nil {
				return tftypes.Value{}, err
			}
			if flag != nil {
				known++
				if *flag {
					isTrue++
				}
			}
		}
		values[name] = count(isTrue, known > 0)
	}
	known, err := a.countForeignAgents()
	if err != nil {
		return tftypes.Value{}, err
	}
	values["foreign_agents"] = count(a.foreign, known)
	findings := 0
	for _, agent := range a.agents {
		findings += len(agent.findings)
	}
	values["graph_findings"] = count(findings, true)
	if !a.graphFindings {
		values["graph_findings"] = tftypes.NewValue(tftypes.Number, nil)
	}
	members, err := valueAt[[]tftypes.Value](a.members.values["members"])
	if err != nil {
		return tftypes.Value{}, err
	}
	values["members"] = count(len(members), true)
	emails, err := valueAt[map[string]tftypes.Value](a.members.values["emails_by_role"])
	if err != nil {
		return tftypes.Value{}, err
	}
	roles := map[string]tftypes.Value{}
	for role, list := range emails {
		members, err := valueAt[[]tftypes.Value](list)
		if err != nil {
			return tftypes.Value{}, err
		}
		roles[role] = count(len(members), true)
	}
	values["members_by_role"] = tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, roles)
	totals := make([]map[string]tftypes.Value, len(a.periods))
	for i := range a.periods {
		if totals[i], err = a.totals(i); err != nil {
			return tftypes.Value{}, err
		}
	}
	typ := objectType(ctx, summaryAttributes())
	values["stats"] = a.statsValue(typ.AttributeTypes["stats"], totals)
	return tftypes.NewValue(typ, values), nil
}

// totals adds up the counters of a period. A total is null if no agent's counter
// is known.
func (a *workspaceAudit) totals(period int) (map[string]tftypes.Value, error) {
	totals := map[string]tftypes.Value{}
	for name := range counterAttributes() {
		sum, known := new(big.Float).SetPrec(512), len(a.agents) == 0
		for _, agent := range a.agents {
			if agent.stats[period] == nil {
				continue
			}
			counter, err := valueAt[*big.Float](agent.stats[period][name])
			if err != nil {
				return nil, err
			}
			if counter != nil {
				sum.Add(sum, counter)
				known = true
			}
		}
		totals[name] = tftypes.NewValue(tftypes.Number, nil)
		if known {
			totals[name] = tftypes.NewValue(tftypes.Number, sum)
		}
	}
	var err error
	totals["completion_percent"], err = completionPercent(totals)
	return totals, err
}
