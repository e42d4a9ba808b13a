// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"fmt"
	"reflect"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
)

// complete sets what is computed from what was read. It does not depend on the order of
// the responses.
func (c *collector) complete() {
	fill(reflect.ValueOf(c.audit.Workspace))
	c.audit.Agents = make(map[string]*audit.Agent, len(c.agents))
	for _, a := range c.agents {
		fill(reflect.ValueOf(&a.Agent))
		c.audit.Agents[*a.ID] = &a.Agent
	}
	for _, s := range c.series {
		c.addProblems(s)
	}
	c.addMissingAgents()
	c.audit.Complete()
}

// fill makes each nil list and map in a value empty, so that expressions such as
// length(agent.labels) need no check for null. Arguments are not filled, because they can be null.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Slice:
		if v.IsNil() && v.CanSet() { // A number has a slice that cannot be set.
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	}
}

// addMissingAgents adds problems about links to agents that are not listed. Which keys of a
// flow have IDs of agents is seen from those that are.
func (c *collector) addMissingAgents() {
	if c.audit.AgentIDs != nil || !c.audit.HasWholeList(audit.ListAgents) {
		return
	}
	listed := map[string]bool{}
	for _, a := range c.agents {
		listed[*a.ID] = true
		listed[a.refKey] = true
		listed[api.ValueOf(a.PublicID)] = true
	}
	delete(listed, "")
	linkKeys := map[string]bool{}
	for _, a := range c.agents {
		for link := range a.agentLinks {
			linkKeys[link.Key] = linkKeys[link.Key] || listed[link.AgentID]
		}
	}
	for _, a := range c.agents {
		for link, itemID := range a.agentLinks {
			if !linkKeys[link.Key] || listed[link.AgentID] {
				continue
			}
			c.audit.AddProblem(audit.MissingAgent, *a.ID, audit.ReadAgent, fmt.Sprintf(
				"The element %q links to the agent %q (%s), which is not in the list of agents.",
				itemID, link.AgentID, link.Key))
		}
	}
}
