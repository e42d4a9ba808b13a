// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package audit defines what an audit of a workspace means. It imports nothing of Terraform,
// HTTP, or Markdown. Its words, in the order in which they follow from each other:
//
//   - An Audit is what was read, as state and as JSON. A Problem is what could not be read
//     (audit.go, problems.go, stats.go).
//   - A record has the values of an audit that people change: those of the workspace, of members, and
//     of agents. Tables of properties say which, and what they mean (properties.go, record.go). Equal
//     values are equal texts (canonical.go), and no text shows a secret (shown.go).
//   - A Change is a difference between two records (changes.go).
//   - A Finding is a result of a rule (rules.go, findings.go). Its key accepts it (keys.go).
//   - An Assessment is an audit with its changes and findings, and the History is what is stored of
//     it: the latest record, the changes until then, and what is accepted (assessment.go).
//   - A Row is a group of equal findings, as logs and reports show them (lines.go, limits.go).
package audit

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Errors of texts, which they do not quote. ErrAudit completes the sentence "The value ...".
var (
	ErrAudit  = errors.New("is not the JSON text of an audit")
	ErrRecord = errors.New("this is not a record, or only a part of one")
)

// Unknown is the text for what was not read, and NoAddress that for a member without an email
// address, of which a list of addresses has an empty text.
const (
	Unknown   = "unknown"
	NoAddress = "no email address"
)

// Audit has the attributes of convo_workspace_audit.
type Audit struct {
	WorkspaceID          string              `json:"workspace_id" tfsdk:"workspace_id"`
	AgentQuery           map[string]string   `json:"agent_query" tfsdk:"agent_query"`
	AgentIDs             []string            `json:"agent_ids" tfsdk:"agent_ids"` // nil for all agents
	StatsPeriods         []string            `json:"stats_periods" tfsdk:"stats_periods"`
	Definitions          *bool               `json:"definitions" tfsdk:"definitions"`
	IncludeGraphFindings *bool               `json:"include_graph_findings" tfsdk:"include_graph_findings"`
	ReadAt               *string             `json:"read_at" tfsdk:"read_at"`
	Workspace            *api.Workspace      `json:"workspace" tfsdk:"workspace" required:"true"`
	Members              []api.Member        `json:"members" tfsdk:"members" required:"true"`
	EmailsByRole         map[string][]string `json:"emails_by_role" tfsdk:"emails_by_role" required:"true"`
	Agents               map[string]*Agent   `json:"agents" tfsdk:"agents" required:"true"`
	Problems             []Problem           `json:"problems" tfsdk:"problems"`
	IsComplete           *bool               `json:"is_complete" tfsdk:"is_complete"`
}

// Agent is an agent of the list, with the parts of its definition and its statistics. What
// was not read is nil, but lists and maps are empty.
type Agent struct {
	api.AgentSummary

	IsArchived      *bool            `json:"is_archived" tfsdk:"is_archived"`
	IsLocked        *bool            `json:"is_locked" tfsdk:"is_locked"`
	Domain          *string          `json:"domain" tfsdk:"domain"`
	IsShared        *bool            `json:"is_shared" tfsdk:"is_shared"`
	ShareRules      *string          `json:"share_rules_json" tfsdk:"share_rules_json"`
	Collaborators   *string          `json:"collaborators_json" tfsdk:"collaborators_json"`
	Security        *string          `json:"security_json" tfsdk:"security_json"`
	WorkspaceRef    *string          `json:"workspace_ref" tfsdk:"workspace_ref"`
	CredentialsRef  *string          `json:"credentials_ref" tfsdk:"credentials_ref"`
	ExternalHosts   []string         `json:"external_hosts" tfsdk:"external_hosts"`
	Labels          []*string        `json:"labels" tfsdk:"labels"`
	Revision        *string          `json:"revision" tfsdk:"revision"`
	DefinitionHash  *string          `json:"definition_hash" tfsdk:"definition_hash"` // nil if it was not read
	DefinitionParts *string          `json:"definition_parts" tfsdk:"definition_parts"`
	RiskScore       *big.Float       `json:"risk_score" tfsdk:"risk_score"`
	CurrentUserMode *string          `json:"current_user_mode" tfsdk:"current_user_mode"`
	GraphFindings   []flow.Finding   `json:"graph_findings" tfsdk:"graph_findings"`
	Stats           map[string]Stats `json:"stats" tfsdk:"stats"` // by period
}

// Parse parses the JSON text of an audit. It returns ErrAudit, or a similar error that names
// the missing attributes.
func Parse(text string) (*Audit, error) {
	a := &Audit{}
	// The objects of the API are tagged for responses, whose names lack the underscores.
	if jsonvalue.Decode([]byte(text), a, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil, ErrAudit
	}
	if missing := jsonvalue.Missing(a); len(missing) > 0 {
		return nil, fmt.Errorf("lacks these attributes of an audit, which an override in a test must contain: %s", strings.Join(missing, ", "))
	}
	for _, agent := range a.Agents {
		if agent == nil {
			return nil, ErrAudit
		}
	}
	return a, nil
}

// ForeignAgents returns the number of agents that are known to belong to another workspace.
func (a *Audit) ForeignAgents() int {
	foreign := 0
	for _, agent := range a.Agents {
		ref := api.ValueOf(agent.WorkspaceRef)
		if ref != "" && api.ValueOf(a.Workspace.ID) != "" && !a.Workspace.HasID(ref) {
			foreign++
		}
	}
	return foreign
}

// SortedIDs returns the IDs of all agents.
func (a *Audit) SortedIDs() []string { return slices.Sorted(maps.Keys(a.Agents)) }

// ReadsDefinitions reports whether the audit was to read definitions, which take a request for each
// agent, and which some workspaces are too large for.
func (a *Audit) ReadsDefinitions() bool { return a.Definitions == nil || *a.Definitions }

// isDraft reports that the agent is known not to be published.
func (a *Agent) isDraft() bool { return a.IsPublished != nil && !*a.IsPublished }

// State describes the state in words.
func (a *Agent) State() string {
	return ofAgents.describe(agentTable(a).values(nil), func(v *property) bool { return v.change == changedState })
}

// Shown shows the values of properties by the names of their attributes, without what can be a secret.
func (a *Agent) Shown(names ...string) string {
	var texts []string
	for _, v := range agentTable(a) {
		if slices.Contains(names, v.name) {
			text, _ := v.text()
			texts = append(texts, v.shown(v.canonical(text)))
		}
	}
	return joinTexts(texts...)
}

// NeverSent returns the names of the values that a record keeps, but that no definition
// had that was read. Changes of them cannot be found.
func (a *Audit) NeverSent() []string {
	isRead, isSent := false, map[string]bool{}
	for _, agent := range a.Agents {
		if agent.DefinitionHash != nil {
			isRead = true
			for _, v := range agentTable(agent) {
				if !isSent[v.name] {
					_, isSent[v.name] = v.text()
				}
			}
		}
	}
	var names []string
	for _, v := range ofAgents {
		if isRead && !isSent[v.name] {
			names = append(names, v.name)
		}
	}
	return names
}
