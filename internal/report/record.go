// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// record has only what people change, because counters differ in every run. What
// is nil is unknown, and what is empty does not exist.
type record struct {
	WorkspaceID *string                  `json:"workspace_id"`
	Plan        *string                  `json:"plan"`
	Members     []recordedMember         `json:"members"`
	Agents      map[string]recordedAgent `json:"agents"`
}

// recordedMember is a member with all of their roles. Members without an email
// address count as one if they have the same name.
type recordedMember struct {
	Email string   `json:"email,omitempty"`
	Name  string   `json:"name,omitempty"`
	Roles []string `json:"roles,omitempty"` // sorted; empty if they are unknown
}

// recordedAgent has values that are nil if they are unknown.
type recordedAgent struct {
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

// newRecord returns the record of an audit. It has the values of the previous
// record for whatever is unknown.
func newRecord(a *audit, previous *record) *record {
	r := &record{
		WorkspaceID: a.Workspace.ID,
		Plan:        cmp.Or(a.Workspace.Plan, previous.Plan),
		Members:     newMembers(a, previous),
		Agents:      make(map[string]recordedAgent, len(a.Agents)),
	}
	if value(a.Workspace.ID) == "" {
		r.WorkspaceID = previous.WorkspaceID
	}
	if a.AgentIDs != nil || !a.isWhole(listAgents) {
		maps.Copy(r.Agents, previous.Agents)
	}
	for id, agent := range a.Agents {
		r.Agents[id] = a.known(agent).or(previous.Agents[id])
	}
	return r
}

func newMembers(a *audit, previous *record) []recordedMember {
	members := map[[2]string]recordedMember{}
	for _, m := range a.Members {
		member := recordedMember{Email: m.User.Email, Name: m.User.Name}
		member.Roles = append(members[member.key()].Roles, m.Role)
		members[member.key()] = member
	}
	before := previous.membersByKey()
	for key, member := range members {
		if slices.Contains(member.Roles, "") { // A role is unknown.
			member.Roles = before[key].Roles
		}
		slices.Sort(member.Roles)
		members[key] = member
	}
	if !a.isWhole(listMembers) {
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

// or returns the agent with the values of the other for what is unknown.
func (a recordedAgent) or(other recordedAgent) recordedAgent {
	a.Name = cmp.Or(a.Name, other.Name)
	a.IsPublished = cmp.Or(a.IsPublished, other.IsPublished)
	a.IsArchived = cmp.Or(a.IsArchived, other.IsArchived)
	a.IsLocked = cmp.Or(a.IsLocked, other.IsLocked)
	a.PublishedAt = cmp.Or(a.PublishedAt, other.PublishedAt)
	a.URL = cmp.Or(a.URL, other.URL)
	a.Domain = cmp.Or(a.Domain, other.Domain)
	a.PublicID = cmp.Or(a.PublicID, other.PublicID)
	a.IsShared = cmp.Or(a.IsShared, other.IsShared)
	a.ShareRules = cmp.Or(a.ShareRules, other.ShareRules)
	a.Collaborators = cmp.Or(a.Collaborators, other.Collaborators)
	a.Security = cmp.Or(a.Security, other.Security)
	if a.Labels == nil {
		a.Labels = other.Labels
	}
	a.Revision = cmp.Or(a.Revision, other.Revision)
	a.DefinitionHash = cmp.Or(a.DefinitionHash, other.DefinitionHash)
	return a
}

// value returns the zero value for nil.
func value[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}
