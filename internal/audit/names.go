// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

// Operations, as problems name them.
const (
	ReadWorkspace = "read workspace"
	ListMembers   = "list members"
	ListAgents    = "list agents"
	ReadAgent     = "read agent"
	ReadStats     = "read agent statistics"
)

// ReadStatsOf is the operation that reads an agent's statistics for a period.
func ReadStatsOf(period string) string { return ReadStats + " (" + period + ")" }

// Kinds of problems. Each is also the name of the rule about it.
const (
	ReadFailed     = "read_failed"
	NotRead        = "not_read"
	MissingFields  = "missing_fields"
	IncompleteList = "incomplete_list"
	Contradiction  = "contradiction"
	// EqualStatistics means that statistics may be those of another period.
	EqualStatistics = "equal_statistics"
	// MissingURL means that a published agent has no address, although others have one.
	MissingURL = "missing_url"
	// MissingAgent means that a flow links to an agent that is not listed.
	MissingAgent = "missing_agent"
)

// IsGap reports whether problems of a kind mean that something was not read.
func IsGap(kind string) bool {
	return kind == ReadFailed || kind == NotRead || kind == IncompleteList
}

// Built-in rules that code names more than once.
const (
	ruleNoAgents       = "no_agents"
	ruleForeignAgents  = "foreign_agents"
	ruleOtherWorkspace = "other_workspace"
	ruleAccessChanged  = "access_changed"
	ruleRemoved        = "removed"
	ruleFirstRecord    = "first_record"
)

// Levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
	// LevelAccepted is the level of an error or a warning that a user accepted.
	LevelAccepted = "accepted"
)

// Kinds of changes.
const (
	changedMember     = "member"
	changedAgent      = "agent"
	changedState      = "agent state"
	ChangedDefinition = "agent definition"
)
