// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// recordVersion is the version of the structure of a record. Version 1 had neither times nor a
// slug. Before version 3, values were as the service spelled them, and definitions were hashed in
// another way. Before version 4, fewer hosts were found, and hosts were in Unicode.
const recordVersion = 4

// maxGone is the maximum number of agents that are gone but still recorded.
const maxGone = 1000

// record has only what people change, because counters differ in every run.
type record struct {
	Version int `json:"version"`
	// RecordedAt is when the audit began that made this record of an earlier one.
	RecordedAt  string                   `json:"recorded_at,omitempty"`
	WorkspaceID string                   `json:"workspace_id,omitempty"`
	Slug        *string                  `json:"slug,omitempty"`
	Plan        *string                  `json:"plan,omitempty"`
	Members     []recordedMember         `json:"members"`
	Agents      map[string]RecordedAgent `json:"agents"`
	// Gone are agents that are no longer listed. One that comes back is compared with
	// what was recorded of it.
	Gone map[string]RecordedAgent `json:"gone,omitempty"`

	text string // in the state
}

// recordedMember is a member with all of their roles. Members without an email address
// count as one if they have the same name.
type recordedMember struct {
	Email string   `json:"email,omitempty"` // in lower case
	Name  string   `json:"name,omitempty"`
	Roles []string `json:"roles,omitempty"` // sorted; "" is unknown
}

// RecordedAgent has the values of an agent that a record keeps, in canonical form. What is
// nil is unknown or does not exist: a service can omit either.
type RecordedAgent struct {
	Name            *string   `json:"name,omitempty" tfsdk:"name"`
	IsPublished     *bool     `json:"is_published,omitempty" tfsdk:"is_published"`
	IsArchived      *bool     `json:"is_archived,omitempty" tfsdk:"is_archived"`
	IsLocked        *bool     `json:"is_locked,omitempty" tfsdk:"is_locked"`
	PublishedAt     *string   `json:"published_at,omitempty" tfsdk:"published_at"`
	URL             *string   `json:"url,omitempty" tfsdk:"url"`
	Domain          *string   `json:"domain,omitempty" tfsdk:"domain"`
	DomainID        *string   `json:"domain_id,omitempty" tfsdk:"domain_id"`
	PublicID        *string   `json:"public_id,omitempty" tfsdk:"public_id"`
	IsShared        *bool     `json:"is_shared,omitempty" tfsdk:"is_shared"`
	ShareRules      *string   `json:"share_rules_json,omitempty" tfsdk:"share_rules_json"`
	Collaborators   *string   `json:"collaborators_json,omitempty" tfsdk:"collaborators_json"`
	Security        *string   `json:"security_json,omitempty" tfsdk:"security_json"`
	WorkspaceRef    *string   `json:"workspace_ref,omitempty" tfsdk:"workspace_ref"` // recorded if it is another workspace
	CredentialsRef  *string   `json:"credentials_ref,omitempty" tfsdk:"credentials_ref"`
	ExternalHosts   []string  `json:"external_hosts,omitempty" tfsdk:"external_hosts"`
	Labels          []*string `json:"labels,omitempty" tfsdk:"labels"`
	Revision        *string   `json:"revision,omitempty" tfsdk:"revision"`
	DefinitionHash  *string   `json:"definition_hash,omitempty" tfsdk:"definition_hash"` // nil if the definition was never read
	DefinitionParts *string   `json:"definition_parts,omitempty" tfsdk:"definition_parts"`
}

// pack returns the text of a record for the state, as the function base64gzip of
// Terraform does. Terraform copies the state often, and the JSON of a large workspace is long.
func pack(document []byte) string {
	var packed bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &packed)
	compressor := gzip.NewWriter(encoder)
	_, _ = compressor.Write(document) // A buffer returns no errors.
	_, _ = compressor.Close(), encoder.Close()
	return packed.String()
}

// unpack returns the JSON of a record. It returns ErrRecord for a text that is none, and
// ErrDamaged for one of which something is lost.
func unpack(text string) ([]byte, error) {
	decompressor, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return nil, ErrRecord
	}
	document, err := io.ReadAll(decompressor)
	if err != nil {
		return nil, ErrDamaged
	}
	return document, nil
}

// parseRecord returns a record in the current version. It returns ErrDamaged for JSON that is
// not a record, and ErrNewer for a record of a newer version.
func parseRecord(document []byte) (*record, error) {
	r := &record{}
	err := json.Unmarshal(document, r)
	switch {
	case r.Version > recordVersion:
		return nil, ErrNewer
	case err != nil || r.Version < 1 || r.Members == nil || r.Agents == nil:
		return nil, ErrDamaged
	case r.Version == recordVersion:
		return r, nil
	}
	for i, m := range r.Members {
		r.Members[i].Email = lower(m.Email)
	}
	for _, agents := range []map[string]RecordedAgent{r.Agents, r.Gone} {
		for id, agent := range agents {
			for i, host := range agent.ExternalHosts {
				agent.ExternalHosts[i] = definition.Host("ftp", host) // Other schemes have default ports that can be in a host.
			}
			if agent.DefinitionHash != nil { // A version in place of a method stays until the agent is read again.
				agent.DefinitionHash = new(fmt.Sprintf("v%d:%s", r.Version, agent.hash()))
			}
			agents[id] = agent.Canonical(RecordedAgent{})
		}
	}
	return r, nil
}

// newRecord returns the record of an audit. What the audit could not read is as in the
// earlier record.
func newRecord(a *Audit, earlier *record) *record {
	r := &record{
		Version:     recordVersion,
		RecordedAt:  earlier.RecordedAt,
		WorkspaceID: cmp.Or(valueOf(a.Workspace.ID), earlier.WorkspaceID),
		Slug:        cmp.Or(a.Workspace.Slug, earlier.Slug),
		Plan:        cmp.Or(a.Workspace.Plan, earlier.Plan),
		Members:     newMembers(a, earlier),
		Agents:      make(map[string]RecordedAgent, len(a.Agents)),
		Gone:        maps.Collect(maps.All(earlier.Gone)),
	}
	for id, agent := range a.Agents {
		before, found := earlier.Agents[id]
		if !found {
			before = earlier.Gone[id]
		}
		values := agent.RecordedAgent
		if ref := valueOf(values.WorkspaceRef); ref == r.WorkspaceID || ref == valueOf(r.Slug) {
			values.WorkspaceRef = nil
		}
		r.Agents[id] = a.recorded(values, before)
		delete(r.Gone, id)
	}
	keepsUnlisted := a.AgentIDs != nil || !a.hasWholeList(ListAgents)
	for _, id := range slices.Sorted(maps.Keys(earlier.Agents)) { // Sorted, so that equal audits have equal records.
		agent := earlier.Agents[id]
		switch _, listed := r.Agents[id]; {
		case listed:
		case keepsUnlisted:
			r.Agents[id] = agent
		case len(r.Gone) < maxGone:
			agent.DefinitionParts = nil // It is long.
			r.Gone[id] = agent
		}
	}
	return r
}

// recorded returns what to record of an agent. A definition that was read replaces
// everything. Otherwise, only what the list of agents says is new.
func (a *Audit) recorded(values RecordedAgent, earlier RecordedAgent) RecordedAgent {
	values = values.Canonical(earlier)
	if values.DefinitionHash == nil {
		if a.readsDefinitions() && !valueOf(values.IsPublished) {
			values.IsPublished = nil // That of the list can be wrong. But an agent that it says to be published may be open.
		}
		return values.completedBy(earlier)
	}
	if valueOf(values.Name) == "" {
		values.Name = earlier.Name
	}
	return values
}

// completedBy returns the agent with the earlier values for what is nil or empty.
func (a RecordedAgent) completedBy(earlier RecordedAgent) RecordedAgent {
	values, earlierValues := reflect.ValueOf(&a).Elem(), reflect.ValueOf(earlier)
	for i := range values.NumField() { // All of them, so that none is forgotten.
		if field := values.Field(i); field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0 {
			field.Set(earlierValues.Field(i))
		}
	}
	return a
}

// upgraded returns a recorded agent with what this version of the provider finds in the same definition.
func (a RecordedAgent) upgraded(current RecordedAgent) RecordedAgent {
	version, hash, _ := strings.Cut(valueOf(a.DefinitionHash), ":")
	if strings.HasPrefix(version, "v") && hash == current.hash() { // Otherwise, an edit may have added hosts.
		a.ExternalHosts = current.ExternalHosts
	}
	if version == "v1" || version == "v2" {
		a.DefinitionHash, a.DefinitionParts, a.WorkspaceRef = current.DefinitionHash, current.DefinitionParts, current.WorkspaceRef
	}
	return a
}

// hash returns the hash of the definition without the name of its method.
func (a RecordedAgent) hash() string {
	_, hash, _ := strings.Cut(valueOf(a.DefinitionHash), ":")
	return hash
}

// notSeen returns the IDs of agents whose definition is recorded, but was not read, and the
// IDs, email addresses, or names of what is recorded, but was not listed.
func (r *record) notSeen(a *Audit) (notCompared, notListed []string) {
	listed := map[[2]string]bool{}
	for _, m := range a.Members {
		listed[newMember(m).key()] = true
	}
	for _, m := range r.Members {
		if !listed[m.key()] {
			notListed = append(notListed, cmp.Or(m.Email, m.Name))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Agents)) {
		switch agent := a.Agents[id]; {
		case agent == nil && a.AgentIDs == nil:
			notListed = append(notListed, id)
		case agent != nil && agent.DefinitionHash == nil && r.Agents[id].DefinitionHash != nil && a.readsDefinitions():
			notCompared = append(notCompared, id)
		}
	}
	return notCompared, notListed
}

// notSelected returns the number of recorded agents that are not among selected ones.
func (r *record) notSelected(a *Audit) int {
	return len(slices.DeleteFunc(slices.Collect(maps.Keys(r.Agents)), func(id string) bool { return a.AgentIDs == nil || slices.Contains(a.AgentIDs, id) }))
}

func newMember(m Member) recordedMember {
	return recordedMember{Email: m.Email(), Name: m.Name(), Roles: slices.Compact(slices.Sorted(slices.Values(m.Roles())))}
}

func newMembers(a *Audit, earlier *record) []recordedMember {
	members, listed := map[[2]string]recordedMember{}, map[[3]string]bool{}
	for _, m := range a.Members {
		member := newMember(m)
		whole := [3]string{member.Email, member.Name, strings.Join(member.Roles, "\n")}
		if listed[whole] && member.Email != "" { // Without an address, they can be two people.
			continue
		}
		listed[whole] = true
		if other, found := members[member.key()]; found { // In any order.
			member.Name, member.Roles = max(member.Name, other.Name), slices.Sorted(slices.Values(append(other.Roles, member.Roles...)))
		}
		members[member.key()] = member
	}
	if !a.hasWholeList(ListMembers) {
		before := earlier.membersByKey()
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

// State describes the state in words.
func (a RecordedAgent) State() string {
	state := []string{flagText(a.IsPublished, "published"), flagText(a.IsArchived, "archived"), flagText(a.IsLocked, "locked")}
	return strings.Join(slices.DeleteFunc(state, func(text string) bool { return text == "not archived" || text == "not locked" }), ", ")
}

// IsOpen reports that people without access to the workspace can reach the agent, as far
// as known.
func (a RecordedAgent) IsOpen() bool { return valueOf(a.IsPublished) || valueOf(a.IsShared) }

// Sharing says whether the agent is shared.
func (a RecordedAgent) Sharing() string { return flagText(a.IsShared, "shared") }

func flagText(flag *bool, name string) string {
	switch {
	case flag == nil:
		return name + " " + Unknown
	case *flag:
		return name
	}
	return "not " + name
}

// LabelTexts returns the labels, of which an unknown one is "".
func (a RecordedAgent) LabelTexts() []string {
	labels := make([]string, len(a.Labels))
	for i, label := range a.Labels {
		labels[i] = valueOf(label)
	}
	return labels
}

// access returns the agent without the values whose changes do not concern access.
func (a RecordedAgent) access() RecordedAgent {
	a.Name, a.PublishedAt, a.Labels, a.Revision, a.DefinitionHash, a.DefinitionParts = nil, nil, nil, nil, nil, nil
	return a
}

// reach describes who can reach the agent where, and what it reaches.
func (a RecordedAgent) reach() string {
	var values [][2]string
	for _, v := range a.address() {
		values = append(values, [2]string{v[0], shown(v[1])})
	}
	values = append(values, [][2]string{{"rules", Shown(a.ShareRules)}, {"collaborators", Shown(a.Collaborators)}, {"security settings", Shown(a.Security)},
		{"hosts", listText(a.ExternalHosts)}, {"credentials", shown(valueOf(a.CredentialsRef))}}...)
	if valueOf(a.IsShared) {
		values = append(values, [2]string{"", a.Sharing()})
	}
	return describe(values)
}

// address has the labels and the values that form an address.
func (a RecordedAgent) address() [][2]string {
	return [][2]string{{"URL", valueOf(a.URL)}, {"domain", valueOf(a.Domain)}, {"domain ID", valueOf(a.DomainID)}, {"public ID", valueOf(a.PublicID)}}
}

// summary describes an agent that is new or gone.
func (a RecordedAgent) summary() string {
	return describe([][2]string{{"", a.State()}, {"", a.reach()}, {"revision", shown(valueOf(a.Revision))}, {"labels", listText(a.LabelTexts())}})
}

// describe joins labels with the values that are not empty.
func describe(values [][2]string) string {
	var texts []string
	for _, v := range values {
		if v[1] != "" {
			texts = append(texts, labeled(v[0], v[1]))
		}
	}
	return strings.Join(texts, ", ")
}

// roles returns the roles, of which an unknown one is named so.
func (m recordedMember) roles() []string {
	roles := slices.Clone(m.Roles)
	for i, role := range roles {
		roles[i] = cmp.Or(role, Unknown)
	}
	return roles
}

// valueOf returns what a pointer points to, and the zero value for nil.
func valueOf[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}
