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

// Kinds of problems.
const (
	ReadFailed     = "read_failed"
	NotRead        = "not_read"
	MissingFields  = "missing_fields"
	IncompleteList = "incomplete_list"
	Contradiction  = "contradiction"
	// EqualStatistics means that statistics may be those of another period.
	EqualStatistics = "equal_statistics"
)

// IsGap reports whether problems of a kind mean that something was not read.
func IsGap(kind string) bool {
	return kind == ReadFailed || kind == NotRead || kind == IncompleteList
}

// Kinds of changes.
const (
	changedPlan          = "workspace plan"
	ChangedMember        = "member"
	changedAgent         = "agent"
	changedAddress       = "agent address"
	changedState         = "agent state"
	changedPublication   = "agent publication"
	changedSharing       = "agent sharing"
	changedCollaborators = "agent collaborators"
	changedSecurity      = "agent security settings"
	changedName          = "agent name"
	changedRevision      = "agent revision"
	ChangedDefinition    = "agent definition"
)

// IsAccess reports that the change concerns who can reach what, as a change of any kind
// does that is not listed here.
func (c Change) IsAccess() bool {
	switch c.What {
	case changedPlan, changedName, changedRevision, ChangedDefinition:
		return false
	}
	return true
}
