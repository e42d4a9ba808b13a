// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// record has only what people change, because counters differ in every run. What
// is null is unknown, and differs from nothing.
type record struct {
	WorkspaceID *string                  `json:"workspace_id"`
	Plan        *string                  `json:"plan"`
	Members     map[string]*string       `json:"members"` // roles by email address
	Agents      map[string]recordedAgent `json:"agents"`
}

type recordedAgent struct {
	IsPublished    *bool    `json:"is_published"`
	IsArchived     *bool    `json:"is_archived"`
	IsLocked       *bool    `json:"is_locked"`
	Revision       *string  `json:"revision"`
	DefinitionHash *string  `json:"definition_hash"` // nil if the definition was not read
	Labels         []string `json:"labels"`
}

func parseRecord(text string) (*record, error) {
	r := &record{}
	if err := json.Unmarshal([]byte(text), r); err != nil || r.Members == nil || r.Agents == nil {
		return nil, ErrRecord
	}
	return r, nil
}

// newRecord returns the record of an audit. It has the values of the previous
// record for whatever is unknown.
func newRecord(a *audit, previous *record) *record {
	r := &record{
		WorkspaceID: a.Workspace.ID,
		Plan:        cmp.Or(a.Workspace.Plan, previous.Plan),
		Members:     map[string]*string{},
		Agents:      make(map[string]recordedAgent, len(a.Agents)),
	}
	if value(a.Workspace.ID) == "" {
		r.WorkspaceID = previous.WorkspaceID
	}
	for _, role := range slices.Sorted(maps.Keys(a.EmailsByRole)) {
		for _, email := range a.EmailsByRole[role] {
			r.Members[email] = new(strings.TrimPrefix(value(r.Members[email])+", "+role, ", "))
		}
	}
	if a.AgentIDs != nil {
		maps.Copy(r.Agents, previous.Agents) // The audit reads only some of the agents.
	}
	for id, agent := range a.Agents {
		recorded := agent.recordedAgent
		recorded.Labels = slices.Clone(agent.Labels)
		slices.Sort(recorded.Labels)
		switch {
		case a.unreadable(agent):
			recorded = recordedAgent{} // The list of agents can contradict the definition.
		case agent.DefinitionHash == nil:
			recorded.Labels = nil
		}
		r.Agents[id] = recorded.or(previous.Agents[id])
	}
	return r
}

// or returns the agent with the values of the other for what is unknown.
func (a recordedAgent) or(other recordedAgent) recordedAgent {
	a.IsPublished = cmp.Or(a.IsPublished, other.IsPublished)
	a.IsArchived = cmp.Or(a.IsArchived, other.IsArchived)
	a.IsLocked = cmp.Or(a.IsLocked, other.IsLocked)
	a.Revision = cmp.Or(a.Revision, other.Revision)
	a.DefinitionHash = cmp.Or(a.DefinitionHash, other.DefinitionHash)
	if a.Labels == nil {
		a.Labels = other.Labels
	}
	return a
}

// changes returns the differences between two records: those of the workspace,
// of members and of agents, each sorted by ID. What was unknown has not changed.
func changes(before, after *record) []Change {
	list := []Change{}
	add := func(what, id string, old, current *string) {
		if old == nil || current == nil || *old != *current {
			list = append(list, Change{what, id, old, current})
		}
	}
	plan := value(after.Plan)
	add("workspace plan", value(after.WorkspaceID), cmp.Or(before.Plan, &plan), &plan)
	for _, email := range keysOf(before.Members, after.Members) {
		add("member", email, before.Members[email], after.Members[email])
	}
	for _, id := range keysOf(before.Agents, after.Agents) {
		old, existed := before.Agents[id]
		current, exists := after.Agents[id]
		switch {
		case !existed:
			add("agent", id, nil, new(current.summary()))
		case !exists:
			add("agent", id, new(old.summary()), nil)
		default:
			old = old.or(current)
			add("agent state", id, new(old.state()), new(current.state()))
			add("agent revision", id, new(value(old.Revision)), new(value(current.Revision)))
			add("agent definition", id, new(value(old.DefinitionHash)), new(value(current.DefinitionHash)))
			add("agent labels", id, new(strings.Join(old.Labels, ", ")), new(strings.Join(current.Labels, ", ")))
		}
	}
	return list
}

// state describes the state in words.
func (a recordedAgent) state() string {
	var states []string
	switch {
	case a.IsPublished == nil:
		states = append(states, unknown)
	case *a.IsPublished:
		states = append(states, "published")
	}
	if value(a.IsArchived) {
		states = append(states, "archived")
	}
	if value(a.IsLocked) {
		states = append(states, "locked")
	}
	if len(states) == 0 {
		return "not published"
	}
	return strings.Join(states, ", ")
}

func (a recordedAgent) summary() string {
	text := a.state()
	if a.Revision != nil {
		text += ", revision " + *a.Revision
	}
	if len(a.Labels) > 0 {
		text += ", labels " + strings.Join(a.Labels, ", ")
	}
	return text
}

// value returns the zero value for nil.
func value[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}

// keysOf returns the keys of both maps, sorted.
func keysOf[T any](before, after map[string]T) []string {
	all := maps.Clone(after)
	maps.Copy(all, before)
	return slices.Sorted(maps.Keys(all))
}
