// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// record has only what people change, because counters differ in every run. What is
// nil is unknown, and what is empty does not exist.
type record struct {
	WorkspaceID string                   `json:"workspace_id,omitempty"`
	Plan        *string                  `json:"plan,omitempty"`
	Members     []recordedMember         `json:"members"`
	Agents      map[string]RecordedAgent `json:"agents"`
}

// recordedMember is a member with all of their roles. Members without an email address
// count as one if they have the same name.
type recordedMember struct {
	Email string   `json:"email,omitempty"`
	Name  string   `json:"name,omitempty"`
	Roles []string `json:"roles,omitempty"` // sorted; empty if they are unknown
}

// RecordedAgent has the values of an agent that a record keeps, which are nil if they
// are unknown.
type RecordedAgent struct {
	Name           string   `json:"name"`
	IsPublished    *bool    `json:"is_published,omitempty"`
	IsArchived     *bool    `json:"is_archived,omitempty"`
	IsLocked       *bool    `json:"is_locked,omitempty"`
	PublishedAt    *string  `json:"published_at,omitempty"`
	URL            *string  `json:"url,omitempty"`
	Domain         *string  `json:"domain,omitempty"`
	PublicID       *string  `json:"public_id,omitempty"`
	IsShared       *bool    `json:"is_shared,omitempty"`
	ShareRules     *string  `json:"share_rules_json,omitempty"`
	Collaborators  *string  `json:"collaborators_json,omitempty"`
	Security       *string  `json:"security_json,omitempty"`
	Labels         []string `json:"labels,omitzero"` // omitzero keeps an empty list, which is known
	Revision       *string  `json:"revision,omitempty"`
	DefinitionHash *string  `json:"definition_hash,omitempty"` // nil if the definition was never read
}

func parseRecord(text string) (*record, error) {
	r := &record{}
	if err := json.Unmarshal([]byte(text), r); err != nil || r.Members == nil || r.Agents == nil {
		return nil, ErrRecord
	}
	return r, nil
}

// newRecord returns the record of an audit. It has the earlier record's values for
// whatever is unknown.
func newRecord(a *Audit, earlier *record) *record {
	r := &record{
		WorkspaceID: cmp.Or(a.Workspace.ID, earlier.WorkspaceID),
		Plan:        cmp.Or(a.Workspace.Plan, earlier.Plan),
		Members:     newMembers(a, earlier),
		Agents:      make(map[string]RecordedAgent, len(a.Agents)),
	}
	if a.AgentIDs != nil || !a.hasWholeList(ListAgents) {
		maps.Copy(r.Agents, earlier.Agents)
	}
	for id, agent := range a.Agents {
		r.Agents[id] = a.known(agent).completedBy(earlier.Agents[id])
	}
	return r
}

func newMembers(a *Audit, earlier *record) []recordedMember {
	members := map[[2]string]recordedMember{}
	for _, m := range a.Members {
		member := recordedMember{Email: m.User.Email, Name: m.User.Name}
		member.Roles = append(members[member.key()].Roles, m.Role)
		members[member.key()] = member
	}
	before := earlier.membersByKey()
	for key, member := range members {
		if slices.Contains(member.Roles, "") { // A role is unknown.
			member.Roles = before[key].Roles
		}
		slices.Sort(member.Roles)
		members[key] = member
	}
	if !a.hasWholeList(ListMembers) {
		maps.Copy(before, members)
		members = before
	}
	list := slices.AppendSeq([]recordedMember{}, maps.Values(members))
	slices.SortFunc(list, func(x, y recordedMember) int {
		return cmp.Or(cmp.Compare(x.Email, y.Email), cmp.Compare(x.Name, y.Name))
	})
	return list
}

func (m recordedMember) key() [2]string {
	if m.Email != "" {
		return [2]string{m.Email}
	}
	return [2]string{"", m.Name}
}

func (r *record) membersByKey() map[[2]string]recordedMember {
	members := make(map[[2]string]recordedMember, len(r.Members))
	for _, m := range r.Members {
		members[m.key()] = m
	}
	return members
}

// known returns what the audit knows of an agent, as a record keeps it: nil is unknown,
// and what is empty does not exist.
func (a *Audit) known(agent Agent) RecordedAgent {
	values := agent.RecordedAgent
	if (a.Definitions == nil || *a.Definitions) && values.IsArchived == nil && values.IsLocked == nil && values.IsShared == nil {
		values.IsPublished = nil // It is that of the list, which can contradict the definition.
	}
	if values.DefinitionHash == nil {
		values.Labels = nil
		return values
	}
	values.Labels = append([]string{}, values.Labels...)
	slices.Sort(values.Labels)
	values.Security = emptyIfNone(values.Security)
	values.Collaborators = sortedElements(emptyIfNone(values.Collaborators))
	if values.IsShared != nil { // The definition has the part about access.
		values.ShareRules = emptyIfNone(values.ShareRules)
		values.URL, values.Domain = emptyIfNone(values.URL), emptyIfNone(values.Domain)
		values.PublicID, values.PublishedAt = emptyIfNone(values.PublicID), emptyIfNone(values.PublishedAt)
	}
	return values
}

// completedBy returns the agent with the earlier values for what is unknown, which is
// nil, or "" for the name.
func (a RecordedAgent) completedBy(earlier RecordedAgent) RecordedAgent {
	values, earlierValues := reflect.ValueOf(&a).Elem(), reflect.ValueOf(earlier)
	for i := range values.NumField() { // All of them, so that none is forgotten.
		if values.Field(i).IsZero() {
			values.Field(i).Set(earlierValues.Field(i))
		}
	}
	return a
}

// emptyIfNone returns "" for a text that does not exist, or for JSON without content.
func emptyIfNone(text *string) *string {
	if slices.Contains([]string{"", "null", "{}", "[]"}, valueOf(text)) {
		return new("")
	}
	return text
}

// sortedElements sorts a JSON array whose order has no meaning.
func sortedElements(text *string) *string {
	var elements []json.RawMessage
	if json.Unmarshal([]byte(*text), &elements) != nil {
		return text
	}
	sorted := make([]string, len(elements))
	for i, element := range elements {
		sorted[i] = string(element)
	}
	slices.Sort(sorted)
	return new("[" + strings.Join(sorted, ",") + "]")
}

// HasState reports whether the whole state is known.
func (a RecordedAgent) HasState() bool {
	return a.IsPublished != nil && a.IsArchived != nil && a.IsLocked != nil
}

// State describes the state in words.
func (a RecordedAgent) State() string {
	var states []string
	if valueOf(a.IsPublished) {
		states = append(states, "published")
	}
	if valueOf(a.IsArchived) {
		states = append(states, "archived")
	}
	if valueOf(a.IsLocked) {
		states = append(states, "locked")
	}
	if len(states) == 0 && a.IsPublished != nil {
		states = append(states, "not published")
	}
	switch {
	case len(states) == 0:
		return Unknown
	case !a.HasState():
		states = append(states, "otherwise "+Unknown)
	}
	return strings.Join(states, ", ")
}

func (a RecordedAgent) sharing() string {
	if valueOf(a.IsShared) {
		return "shared"
	}
	return "not shared"
}

// summary describes an agent that is new or gone.
func (a RecordedAgent) summary() string {
	parts := []string{a.State()}
	for _, text := range []string{valueOf(a.URL), valueOf(a.Domain)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if valueOf(a.IsShared) {
		parts = append(parts, a.sharing())
	}
	if a.Revision != nil {
		parts = append(parts, "revision "+*a.Revision)
	}
	if len(a.Labels) > 0 {
		parts = append(parts, "labels "+listText(a.Labels))
	}
	return strings.Join(parts, ", ")
}

func (m recordedMember) rolesText() string { return cmp.Or(listText(m.Roles), Unknown) }

// valueOf returns what a pointer points to, and the zero value for nil.
func valueOf[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}
