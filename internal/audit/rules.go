// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

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

// levels are those of the built-in rules, except for the kinds of the findings of graphs, which are
// warnings. The page when-an-audit-fails describes each of them.
var levels = map[string]string{
	ruleFirstRecord:    LevelError,
	ruleOtherWorkspace: LevelError,
	ruleAccessChanged:  LevelError,
	ruleRemoved:        LevelError,

	ruleQuarantined:   LevelError,
	ruleSuspended:     LevelError,
	ruleNoAgents:      LevelError,
	ruleNoAdmins:      LevelError,
	ruleForeignAgents: LevelError, // A warning if only some workspaces are unknown.
	ruleStateUnknown:  LevelError,
	rulePolicies:      LevelError,
	ReadFailed:        LevelError,
	NotRead:           LevelError,
	IncompleteList:    LevelError,

	rulePastDue:           LevelWarning,
	ruleNoLongerPublished: LevelWarning,
	ruleAgentsNotCompared: LevelWarning,
	ruleDefinitions:       LevelWarning,
	MissingFields:         LevelWarning,
	Contradiction:         LevelWarning,
	MissingURL:            LevelWarning,
	MissingAgent:          LevelWarning,
}

// aboutChanges are the rules with whose errors an audit is not recorded.
var aboutChanges = []string{ruleFirstRecord, ruleOtherWorkspace, ruleAccessChanged, ruleRemoved}

// levelOf returns the level of a built-in rule, or "" if there is none.
func levelOf(rule string) string {
	if slices.Contains(flow.Kinds, rule) {
		return LevelWarning
	}
	return levels[rule]
}
