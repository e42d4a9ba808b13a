// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

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

// Built-in rules, beside the kinds of problems and those of the findings of graphs.
const (
	ruleQuarantined       = "workspace_quarantined"
	ruleSuspended         = "workspace_suspended"
	rulePastDue           = "workspace_past_due"
	ruleNoAgents          = "no_agents"
	ruleNoAdmins          = "no_admins"
	ruleForeignAgents     = "foreign_agents"
	ruleFirstRecord       = "first_record"
	ruleOtherWorkspace    = "other_workspace"
	ruleAccessChanged     = "access_changed"
	ruleRemoved           = "removed"
	ruleNoLongerPublished = "no_longer_published"
	ruleStateUnknown      = "state_unknown"
	ruleAgentsNotCompared = "agents_not_compared"
	ruleDefinitions       = "definitions_not_read"
	rulePolicies          = "policies"
)

// onceRules are the rules about changes, which an apply records. A key of one accepts a
// change once.
var onceRules = []string{ruleFirstRecord, ruleOtherWorkspace, ruleAccessChanged, ruleRemoved}

// isBuiltIn reports whether a rule has the name of a built-in one.
func isBuiltIn(rule string) bool {
	rules := slices.Concat(onceRules, flow.Kinds, []string{
		ruleQuarantined, ruleSuspended, rulePastDue,
		ruleNoAgents, ruleNoAdmins, ruleForeignAgents,
		ruleNoLongerPublished, ruleStateUnknown, ruleAgentsNotCompared, ruleDefinitions, rulePolicies,
		ReadFailed, NotRead, MissingFields, IncompleteList,
		Contradiction, MissingURL, MissingAgent,
	})
	return slices.Contains(rules, rule)
}

// Levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
	// LevelAccepted is the level of an error or a warning that a user accepted.
	LevelAccepted = "accepted"
)

// Kinds of changes that code names more than once.
const (
	changedAgent      = "agent"
	changedState      = "agent state"
	changedAddress    = "agent address"
	ChangedDefinition = "agent definition"
)
