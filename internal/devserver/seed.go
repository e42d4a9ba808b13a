// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import "encoding/json"

// Seed is the data that a [Server] starts with. Documents are returned unchanged, whether they conform to the API or
// not, so that a test can also make the service return invalid responses.
type Seed struct {
	Callers    map[string]Caller // by bearer token
	Workspaces []Workspace
	Agents     []Agent // in the order of "List agents"
	Sessions   []Session
}

// Caller is the user that a bearer token belongs to.
type Caller struct {
	Mode        Mode   // the caller's mode on every object
	WorkspaceID string // the caller's current workspace, which is also the one that getDefault selects
}

// Workspace is a workspace with the lists that the API returns for it (sections "Workspace" and "Member").
type Workspace struct {
	ID     string
	Slug   string                       // empty for a workspace without a slug
	Record json.RawMessage              // the value of the key `workspace`
	Lists  map[string][]json.RawMessage // by key of the response, such as `members`, in the order of the response
}

// Agent is an agent in its two forms, with its counters.
type Agent struct {
	ID          string
	WorkspaceID string
	Summary     json.RawMessage // an element of the array `agents` (section "Agent summary")
	Definition  json.RawMessage // the value of the key `agent` (section "Agent (full definition)")
	Daily       []DailyCount    // the counters that the statistics are the sums of; at most one entry for each day
}

// DailyCount holds the counters of one agent on one day.
type DailyCount struct {
	Day       string `json:"day"` // a UTC day, such as 2026-03-18
	Views     int64  `json:"views"`
	Starts    int64  `json:"starts"`
	Completed int64  `json:"completed"`
}
