// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Behavior is something that a server of this kind does although the API does not document it, or documents otherwise.
// The default server has none of them.
type Behavior string

// The behaviors. Every server has one more: a session update ignores unknown keys and succeeds.
const (
	// DraftStats returns 404 for the statistics of an agent that was never published.
	DraftStats Behavior = "draft-stats"
	// HiddenObjects hides what a caller has no access to, with a wrong token too: the list of agents is empty, another
	// read is a 404, and a session update a 401.
	HiddenObjects Behavior = "hidden-objects"
	// NestedIssues returns the issues of an error in data.issues, each with the path of the value that it is about.
	NestedIssues Behavior = "nested-issues"
	// ReadActivity changes lastActivityAt whenever a workspace is read.
	ReadActivity Behavior = "read-activity"
	// UnpaidAgents returns 404 for the definition of every agent of a past-due or suspended workspace.
	UnpaidAgents Behavior = "unpaid-agents"
	// WorkspaceInQuery lists the agents of the workspace whose ID is in the query parameter workspaceId, and returns 400
	// without it.
	WorkspaceInQuery Behavior = "workspace-in-query"
)

// Behaviors returns all behaviors.
func Behaviors() []Behavior {
	return []Behavior{DraftStats, HiddenObjects, NestedIssues, ReadActivity, UnpaidAgents, WorkspaceInQuery}
}

// WithBehavior makes the server behave like servers that differ from the API's documentation.
func WithBehavior(behaviors ...Behavior) Option {
	return func(s *Server) { s.behaviors = append(s.behaviors, behaviors...) }
}

// WithMissingFields makes the server leave out documented fields of its successful responses. A path consists of the keys
// from the root of the response, such as agents.isPublished, and applies to every element of a list.
func WithMissingFields(paths ...string) Option {
	return func(s *Server) { s.missing = append(s.missing, paths...) }
}

func (s *Server) has(behavior Behavior) bool { return slices.Contains(s.behaviors, behavior) }

// hide returns the response of [HiddenObjects] to a caller without access.
func hide(op operation) (any, error) {
	switch {
	case op.id == "listAgents":
		return map[string]any{"agents": []any{}}, nil
	case op.method == http.MethodPost:
		return nil, &failure{status: http.StatusUnauthorized}
	default:
		return nil, errNotFound
	}
}

// isDraft reports whether an agent was never published.
func (a Agent) isDraft() bool {
	var summary struct {
		IsPublished bool
		PublishedAt *string
	}
	err := json.Unmarshal(a.Summary, &summary)
	return err == nil && !summary.IsPublished && summary.PublishedAt == nil
}

func (s *Server) isUnpaid(workspaceID string) bool {
	workspace, err := s.findWorkspace(workspaceID)
	if err != nil {
		return false
	}
	var flags struct{ IsPastDue, IsSuspended bool }
	err = json.Unmarshal(workspace.Documents["workspace"], &flags)
	return err == nil && (flags.IsPastDue || flags.IsSuspended)
}

// withActivity returns a workspace with another time of its last activity, in the format of the seed, because the API does
// not document the format.
func (s *Server) withActivity(document json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, err
	}
	fixed := time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
	activity := fixed.Add(time.Duration(s.reads.Add(1)) * time.Second)
	fields["lastActivityAt"] = json.RawMessage(activity.Format(`"2006-01-02T15:04:05.000Z"`))
	return json.Marshal(fields)
}

// withoutMissing returns a response without the fields of [WithMissingFields]. Numbers keep their text.
func (s *Server) withoutMissing(response any) (any, error) {
	encoded, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	err = decoder.Decode(&value)
	for _, path := range s.missing {
		removeField(value, strings.Split(path, "."))
	}
	return value, err
}

func removeField(value any, path []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
			return
		}
		removeField(value[path[0]], path[1:])
	}
}
