// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import "encoding/json"

// Seed is what a [Server] starts from. The documents are answered as they are, whether they conform to the interface
// or not, so that a test can also make the service answer what it should not.
type Seed struct {
	Callers    map[string]Caller // by bearer token
	Workspaces []Workspace
	Agents     []Agent // in the order of the list of operation 4
	Sessions   []Session
}

// Caller is who a bearer token belongs to.
type Caller struct {
	Mode        Mode   // what the caller may do, the same on everything
	WorkspaceID string // the current workspace of the caller (operation 4), which is also the default one (operation 1)
}

// Workspace is a workspace with its members (sections "Workspace" and "Member").
type Workspace struct {
	ID      string
	Slug    string            // empty for a workspace without a slug
	Record  json.RawMessage   // the value of the key `workspace`
	Members []json.RawMessage // the elements of the array `members`, in the order of the list
}

// Agent is an agent in its two forms, with its counters.
type Agent struct {
	ID          string
	WorkspaceID string
	Summary     json.RawMessage // an element of the array `agents` (section "Agent summary")
	Definition  json.RawMessage // the value of the key `agent` (section "Agent (full definition)")
	Daily       []DailyCount    // what the statistics are summed up from; at most one entry for a day
}

// DailyCount holds the counters of one agent on one day.
type DailyCount struct {
	Day       string `json:"day"` // a UTC day, such as 2026-03-18
	Views     int64  `json:"views"`
	Starts    int64  `json:"starts"`
	Completed int64  `json:"completed"`
}
