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
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// recordVersion is the version of the structure of a record. A record of another version is
// confirmed like a first one.
const recordVersion = 7

// record has only what people change, because counters differ in every run.
type record struct {
	Version int `json:"version"`
	// RecordedAt is when the audit began that made this record of an earlier one.
	RecordedAt  string            `json:"recorded_at,omitempty"`
	WorkspaceID string            `json:"workspace_id,omitempty"`
	Workspace   values            `json:"workspace"`
	Members     map[string]person `json:"members"` // by key
	Agents      map[string]values `json:"agents"`

	text string // in the state, or "" if there is none
}

// person is a member with all roles. Members without an email address
// count as one if they have the same name.
type person struct {
	Email string   `json:"email,omitempty"` // in lower case
	Name  string   `json:"name,omitempty"`
	Roles []string `json:"roles,omitempty"` // sorted, because lists have no order
}

// pack returns the text of a record for the state, as the function base64gzip of
// Terraform does. Terraform copies the state often, and the JSON of a large workspace is long.
func (r *record) pack() string {
	document, _ := json.Marshal(r) // Texts can be marshaled.
	var packed bytes.Buffer
	compressor := gzip.NewWriter(&packed)
	_, _ = compressor.Write(document) // A buffer returns no errors.
	_ = compressor.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// unpack returns the JSON of a record.
func unpack(text string) ([]byte, error) {
	decompressor, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(decompressor)
}

// parseRecord returns the record of a text in the state, or an empty one of "". Of another
// version, it has only the version. It returns ErrRecord for an invalid text.
func parseRecord(text string) (*record, error) {
	if text == "" {
		return &record{}, nil
	}
	document, err := unpack(text)
	if err != nil {
		return nil, ErrRecord
	}
	r := &record{text: text}
	err = jsonvalue.Decode(document, r) // The version is first.
	switch {
	case r.Version > 0 && r.Version != recordVersion:
		return &record{Version: r.Version}, nil
	case err != nil || r.Version != recordVersion || r.Members == nil || r.Agents == nil:
		return nil, ErrRecord
	}
	return r, nil
}

// newRecord returns the record of an audit, and the states that definitions lack, by the agent's ID. What
// the audit could not read is as in the earlier record.
func newRecord(a *Audit, earlier *record) (r *record, unknown map[string]string) {
	unknown = map[string]string{}
	r = &record{
		Version:     recordVersion,
		RecordedAt:  earlier.RecordedAt,
		WorkspaceID: cmp.Or(api.ValueOf(a.Workspace.ID), earlier.WorkspaceID),
		Workspace:   union(workspaceTable(a.Workspace).values(earlier.Workspace), earlier.Workspace),
		Members:     listedMembers(a),
		Agents:      make(map[string]values, len(a.Agents)),
		text:        earlier.text,
	}
	for id, agent := range a.Agents {
		now, states := a.keptValues(agent, earlier.Agents[id])
		if states != "" {
			unknown[id] = states
		}
		if ref := now[workspaceValue]; ref == r.WorkspaceID || ref == r.Workspace[slugValue] {
			delete(now, workspaceValue)
		}
		r.Agents[id] = now
	}
	if !a.HasWholeList(ListMembers) {
		r.Members = union(r.Members, earlier.Members)
	}
	if a.AgentIDs != nil || !a.HasWholeList(ListAgents) {
		r.Agents = union(r.Agents, earlier.Agents)
	}
	return r, unknown
}

// describe says of what a record is, and how much it has. It is nil if there is no record.
func (r *record) describe() *string {
	switch r.Version {
	case 0:
		return nil
	case recordVersion:
		return new(fmt.Sprintf("workspace %s with %s and %s", cmp.Or(r.WorkspaceID, Unknown),
			oneline.Count(len(r.Agents), "agent"), oneline.Count(len(r.Members), "member")))
	}
	return new("record of another version of the provider")
}

// size is the number of agents and members.
func (r *record) size() int { return len(r.Agents) + len(r.Members) }

// listedMembers returns the members of an audit. Those that cannot be told apart are one.
func listedMembers(a *Audit) map[string]person {
	members := map[string]person{}
	for _, m := range a.Members {
		key := cmp.Or(m.Email(), " "+m.Name()) // A name is no address.
		other := members[key]
		members[key] = person{
			Email: m.Email(),
			Name:  max(m.Name(), other.Name), // In any order.
			Roles: slices.Sorted(slices.Values(append(other.Roles, cmp.Or(api.ValueOf(m.Role), Unknown)))),
		}
	}
	return members
}

// values are those of the member, or nil if there is none.
func (m person) values() values {
	if m.Roles == nil {
		return nil
	}
	return memberTable(m).values(nil)
}

// id is what identifies the member in texts.
func (m person) id() string { return cmp.Or(m.Email, m.Name, NoAddress) }

// union returns the values of two maps. The first takes precedence.
func union[M ~map[K]V, K comparable, V any](first, second M) M {
	all := M{}
	maps.Copy(all, second)
	maps.Copy(all, first)
	return all
}
