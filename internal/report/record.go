// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// record has only what people change, because counters differ in every run. What
// is null is unknown, and differs from nothing.
type record struct {
	Workspace recordedWorkspace        `json:"workspace"`
	Members   map[string][]string      `json:"members"` // roles by email address
	Agents    map[string]recordedAgent `json:"agents"`
}

type recordedWorkspace struct {
	ID   *string `json:"id"`
	Plan *string `json:"plan"`
}

type recordedAgent struct {
	Published *bool    `json:"published"`
	Archived  *bool    `json:"archived"`
	Locked    *bool    `json:"locked"`
	Revision  *string  `json:"revision"`
	Labels    []string `json:"labels"`
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
		Workspace: recordedWorkspace{a.Workspace.ID, known(a.Workspace.Plan, previous.Workspace.Plan)},
		Members:   map[string][]string{},
		Agents:    make(map[string]recordedAgent, len(a.Agents)),
	}
	for role, emails := range a.EmailsByRole {
		for _, email := range emails {
			r.Members[email] = append(r.Members[email], role)
		}
	}
	for _, roles := range r.Members {
		slices.Sort(roles)
	}
	for id, agent := range a.Agents {
		r.Agents[id] = recordedAgentOf(agent, a.definitionsRead(), previous.Agents[id])
	}
	if a.incomplete("list members") {
		keep(r.Members, previous.Members)
	}
	if a.incomplete("list agents") || a.AgentIDs != nil {
		keep(r.Agents, previous.Agents)
	}
	return r
}

// recordedAgentOf does not record is_published of an agent whose definition could not be
// read, because the list of agents can contradict the definition.
func recordedAgentOf(a agent, definitions bool, previous recordedAgent) recordedAgent {
	if definitions && !a.hasDefinition() {
		return previous
	}
	recorded := recordedAgent{
		Published: known(a.IsPublished, previous.Published),
		Archived:  known(a.IsArchived, previous.Archived),
		Locked:    known(a.IsLocked, previous.Locked),
		Revision:  known(a.Revision, previous.Revision),
		Labels:    previous.Labels,
	}
	if definitions {
		recorded.Labels = append([]string{}, a.Labels...)
		slices.Sort(recorded.Labels)
	}
	return recorded
}

func known[T any](value, previous *T) *T {
	if value == nil {
		return previous
	}
	return value
}

// keep adds the elements of the previous map that the current one lacks.
func keep[T any](current, previous map[string]T) {
	for key, value := range previous {
		if _, found := current[key]; !found {
			current[key] = value
		}
	}
}

// changes returns the differences between two records: those of the workspace,
// of members and of agents, each sorted by ID.
func changes(before, after *record) []Change {
	list := changeList{}
	list.add("workspace plan", value(after.Workspace.ID), before.Workspace.Plan, after.Workspace.Plan)
	for _, email := range keysOf(before.Members, after.Members) {
		list.addAny("member", email, joined(before.Members, email), joined(after.Members, email))
	}
	for _, id := range keysOf(before.Agents, after.Agents) {
		old, existed := before.Agents[id]
		current, exists := after.Agents[id]
		switch {
		case !existed:
			list.addAny("agent", id, nil, current.summary())
		case !exists:
			list.addAny("agent", id, old.summary(), nil)
		default:
			list.addAgent(id, old, current)
		}
	}
	return list
}

type changeList []Change

// add adds a change of a value that is known before and after.
func (l *changeList) add(what, id string, before, after *string) {
	if before != nil && after != nil {
		l.addAny(what, id, before, after)
	}
}

func (l *changeList) addAny(what, id string, before, after *string) {
	if (before == nil) != (after == nil) || before != nil && *before != *after {
		*l = append(*l, Change{what, id, before, after})
	}
}

func (l *changeList) addAgent(id string, before, after recordedAgent) {
	// What was unknown has not changed.
	before.Published = knownTwice(before.Published, after.Published)
	before.Archived = knownTwice(before.Archived, after.Archived)
	before.Locked = knownTwice(before.Locked, after.Locked)
	oldState, state := before.state(), after.state()
	l.add("agent state", id, &oldState, &state)
	l.add("agent revision", id, before.Revision, after.Revision)
	if before.Labels != nil && after.Labels != nil {
		oldLabels, labels := strings.Join(before.Labels, ", "), strings.Join(after.Labels, ", ")
		l.add("agent labels", id, &oldLabels, &labels)
	}
}

func knownTwice(before, after *bool) *bool {
	if before == nil {
		return after
	}
	return before
}

// state describes the state in words.
func (a recordedAgent) state() string {
	var words []string
	switch {
	case a.Published == nil:
		words = append(words, unknown)
	case *a.Published:
		words = append(words, "published")
	}
	if value(a.Archived) {
		words = append(words, "archived")
	}
	if value(a.Locked) {
		words = append(words, "locked")
	}
	if len(words) == 0 {
		return "not published"
	}
	return strings.Join(words, ", ")
}

func (a recordedAgent) summary() *string {
	text := a.state()
	if a.Revision != nil {
		text += ", revision " + *a.Revision
	}
	if len(a.Labels) > 0 {
		text += ", labels " + strings.Join(a.Labels, ", ")
	}
	return &text
}

// value returns the zero value for nil.
func value[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}

func joined(lists map[string][]string, key string) *string {
	list, found := lists[key]
	if !found {
		return nil
	}
	text := strings.Join(list, ", ")
	return &text
}

// keysOf returns the keys of both maps, sorted.
func keysOf[T any](before, after map[string]T) []string {
	all := maps.Clone(after)
	maps.Copy(all, before)
	return slices.Sorted(maps.Keys(all))
}
