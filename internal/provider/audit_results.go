// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// results puts what was read together, in an order that does not depend on
// when it arrived.
func (a *audit) results(ctx context.Context) map[string]tftypes.Value {
	agentType := tftypes.Object{AttributeTypes: a.types}
	countersType := objectType(ctx, agentStatsQuery().enveloped)
	agents := make(map[string]tftypes.Value, len(a.agents))
	for _, agent := range a.agents {
		agent.attributes["stats"] = a.stats(countersType, agent)
		agents[agent.id] = tftypes.NewValue(agentType, agent.attributes)
	}
	problemType := objectType(ctx, problemAttributes())
	problems := []tftypes.Value{}
	for _, p := range a.problems {
		problems = append(problems, tftypes.NewValue(problemType, map[string]tftypes.Value{
			"agent_id":  tftypes.NewValue(tftypes.String, p.agentID),
			"operation": tftypes.NewValue(tftypes.String, p.operation),
			"status":    tftypes.NewValue(tftypes.Number, p.status),
			"code":      stringOrNull(p.code),
			"message":   stringOrNull(p.message),
		}))
	}
	return map[string]tftypes.Value{
		"workspace": a.workspace,
		"members":   a.members,
		"agents":    tftypes.NewValue(tftypes.Map{ElementType: agentType}, agents),
		"problems":  tftypes.NewValue(tftypes.List{ElementType: problemType}, problems),
		"summary":   tftypes.NewValue(objectType(ctx, summaryAttributes()), a.summary()),
	}
}

// stats returns the counters of an agent by period; those that could not be
// read are null.
func (a *audit) stats(countersType tftypes.Object, agent *auditedAgent) tftypes.Value {
	periods := map[string]tftypes.Value{}
	for i, period := range a.periods {
		counters := map[string]tftypes.Value{}
		for name, typ := range countersType.AttributeTypes {
			counters[name] = tftypes.NewValue(typ, nil)
			if value, ok := agent.stats[i][name]; ok {
				counters[name] = value
			}
		}
		periods[period] = tftypes.NewValue(countersType, counters)
	}
	return tftypes.NewValue(tftypes.Map{ElementType: countersType}, periods)
}

func (a *audit) summary() map[string]tftypes.Value {
	var published, archived, locked int
	for _, agent := range a.agents {
		state := arguments(objectFields(agent.attributes["state"]))
		isPublished := state.optionalFlag("published")
		if isPublished == nil {
			isPublished = arguments(agent.attributes).optionalFlag("is_published")
		}
		if isPublished != nil && *isPublished {
			published++
		}
		if state.flag("archived") {
			archived++
		}
		if state.flag("locked") {
			locked++
		}
	}
	var members []tftypes.Value
	_ = a.members.As(&members) // The decoder made it a list.
	roles := map[string]int{}
	for _, member := range members {
		roles[arguments(objectFields(member)).text("role")]++
	}
	byRole := map[string]tftypes.Value{}
	for role, count := range roles {
		byRole[role] = tftypes.NewValue(tftypes.Number, count)
	}
	count := func(n int) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
	summary := map[string]tftypes.Value{
		"agents":          count(len(a.agents)),
		"published":       count(published),
		"archived":        count(archived),
		"locked":          count(locked),
		"problems":        count(len(a.problems)),
		"members":         count(len(members)),
		"members_by_role": tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, byRole),
	}
	if !a.definitions {
		summary["archived"] = tftypes.NewValue(tftypes.Number, nil)
		summary["locked"] = tftypes.NewValue(tftypes.Number, nil)
	}
	return summary
}

// maxProblemsShown is how many problems the warning names.
const maxProblemsShown = 5

// warning is one diagnostic for all problems together.
func (a *audit) warning() diag.Diagnostics {
	if len(a.problems) == 0 {
		return nil
	}
	var lines []string
	for _, p := range a.problems[:min(len(a.problems), maxProblemsShown)] {
		line := fmt.Sprintf("agent %q: unable to %s: %d", p.agentID, p.operation, p.status)
		for _, text := range []string{p.code, p.message} {
			if text != "" {
				line += ", " + text
			}
		}
		lines = append(lines, line)
	}
	if more := len(a.problems) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("The workspace could be read only in part", fmt.Sprintf(
		"What could not be read is null, and listed in the attribute problems (%d):\n%s\n\n"+
			"A check or postcondition on summary.problems makes such an audit fail.", len(a.problems), "  - "+strings.Join(lines, "\n  - ")))}
}

func objectType(ctx context.Context, attributes map[string]schema.Attribute) tftypes.Object {
	return tftypes.Object{AttributeTypes: typesOf(ctx, attributes)}
}

// stringOrNull is null for an empty text.
func stringOrNull(text string) tftypes.Value {
	if text == "" {
		return tftypes.NewValue(tftypes.String, nil)
	}
	return tftypes.NewValue(tftypes.String, text)
}
