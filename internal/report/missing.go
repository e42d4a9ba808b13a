// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// missing writes what the audit could not read: its problems, and the values that
// are unknown.
func (d *document) missing(a *audit.Audit) {
	type unknownValue struct {
		name   string
		agents []string
	}
	values := []unknownValue{
		{"definition", agentsWithout(a, func(agent audit.Agent) bool { return agent.DefinitionHash != nil })},
		{"workspace", agentsWithout(a, func(agent audit.Agent) bool { return agent.WorkspaceRef != "" })},
		{"state", agentsWithout(a, func(agent audit.Agent) bool { return agent.HasState() })},
		{"sharing", agentsWithout(a, func(agent audit.Agent) bool { return agent.IsShared != nil })},
	}
	if period := a.Period(); period != "" {
		values = append(values, unknownValue{"statistics, " + period, agentsWithout(a, a.HasStats)})
	}
	values = slices.DeleteFunc(values, func(v unknownValue) bool { return len(v.agents) == 0 })
	nothing := "No data is missing.\n"
	if a.AgentIDs != nil {
		d.text.WriteString("Only the agents in agent\\_ids were read.\n\n")
		nothing = "No other data is missing.\n"
	}
	if len(values) == 0 && len(a.Problems) == 0 {
		d.text.WriteString(nothing)
		return
	}
	if len(values) > 0 {
		t := table{noun: "values", columns: []string{"Unknown", ":Agents", "IDs"}, maxBytes: maxBytes}
		for _, v := range values {
			t.add("", markdown(v.name), fmt.Sprintf("%d of %d", len(v.agents), len(a.Agents)), markdown(strings.Join(v.agents, ", ")))
		}
		d.table(t)
	}
	if len(values) > 0 && len(a.Problems) > 0 {
		d.text.WriteString("\n")
	}
	if len(a.Problems) > 0 {
		d.problems(a.Problems)
	}
}

// problems writes one row for problems that differ only in the agent.
func (d *document) problems(problems []audit.Problem) {
	var merged []audit.Problem
	agents := map[audit.Problem][]string{}
	for _, p := range problems {
		id := p.AgentID
		p.AgentID = ""
		if _, found := agents[p]; !found {
			merged = append(merged, p)
			agents[p] = nil
		}
		if id != "" {
			agents[p] = append(agents[p], id)
		}
	}
	t := table{noun: "problems", columns: []string{"Problem", "Operation", "Message", ":Agents", "IDs"}, maxBytes: maxBytes}
	for _, p := range merged {
		message := strings.Join(slices.DeleteFunc([]string{p.Status.String(), p.Code, p.Message}, func(s string) bool { return s == "" }), ", ")
		count := ""
		if n := len(agents[p]); n > 0 {
			count = strconv.Itoa(n)
		}
		t.add(p.Kind, markdown(p.Kind), markdown(p.Operation), markdown(message), markdown(count), markdown(strings.Join(agents[p], ", ")))
	}
	d.table(t)
}

// agentsWithout returns the IDs of the agents of which something is not known.
func agentsWithout(a *audit.Audit, isKnown func(audit.Agent) bool) []string {
	ids := slices.Sorted(maps.Keys(a.Agents))
	return slices.DeleteFunc(ids, func(id string) bool { return isKnown(a.Agents[id]) })
}
