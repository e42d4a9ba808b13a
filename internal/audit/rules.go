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

// builtIn is a built-in rule. One that refuses is about changes: an audit with its errors is not recorded.
type builtIn struct {
	name, level string
	refuses     bool
}

// rules are the built-in rules, except for the kinds of the findings of graphs, which are
// warnings. The page when-an-audit-fails describes each of them.
var rules = []builtIn{
	{ruleFirstRecord, LevelError, true},
	{ruleOtherWorkspace, LevelError, true},
	{ruleAccessChanged, LevelError, true},
	{ruleRemoved, LevelError, true},

	{ruleQuarantined, LevelError, false},
	{ruleSuspended, LevelError, false},
	{ruleNoAgents, LevelError, false},
	{ruleNoAdmins, LevelError, false},
	{ruleForeignAgents, LevelError, false},
	{ruleStateUnknown, LevelError, false},
	{rulePolicies, LevelError, false},
	{ReadFailed, LevelError, false},
	{NotRead, LevelError, false},
	{IncompleteList, LevelError, false},

	{ruleForeignAgents, LevelWarning, false}, // if only some workspaces are unknown
	{rulePastDue, LevelWarning, false},
	{ruleNoLongerPublished, LevelWarning, false},
	{ruleAgentsNotCompared, LevelWarning, false},
	{ruleDefinitions, LevelWarning, false},
	{MissingFields, LevelWarning, false},
	{Contradiction, LevelWarning, false},
	{MissingURL, LevelWarning, false},
	{MissingAgent, LevelWarning, false},
}

// ruleNamed returns a built-in rule, or the zero value if there is none.
func ruleNamed(name string) builtIn {
	if slices.Contains(flow.Kinds, name) {
		return builtIn{name, LevelWarning, false}
	}
	for _, r := range rules {
		if r.name == name {
			return r
		}
	}
	return builtIn{}
}
