// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package audit defines what an audit of a workspace means: the JSON of its result,
// its names, its record, the changes since an earlier record, and the findings of the
// built-in rules. It knows nothing about Terraform, HTTP, or Markdown.
package audit

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// Errors of texts, which they do not quote.
var (
	ErrAudit  = errors.New("this is not the JSON text of an audit")
	ErrRecord = errors.New("this is not a record")
)

// Unknown is the text for what was not read.
const Unknown = "unknown"

// Audit has what a record and a report need of the result of convo_workspace_audit.
// Texts are empty if they are null.
type Audit struct {
	ReadAt       string              `json:"read_at"`
	AgentIDs     *[]string           `json:"agent_ids"`
	Definitions  *bool               `json:"definitions"`
	StatsPeriods []string            `json:"stats_periods"`
	Workspace    *Workspace          `json:"workspace"`
	Members      []Member            `json:"members"`
	EmailsByRole map[string][]string `json:"emails_by_role"`
	Agents       map[string]Agent    `json:"agents"`
	Problems     []Problem           `json:"problems"`
	Summary      *Summary            `json:"summary"`

	failedOperations map[string]bool
}

// Workspace is the audited workspace.
type Workspace struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Name          string  `json:"name"`
	Plan          *string `json:"plan"`
	IsQuarantined *bool   `json:"is_quarantined"`
	IsSuspended   *bool   `json:"is_suspended"`
	IsPastDue     *bool   `json:"is_past_due"`
}

// Member is one role of a member.
type Member struct {
	WorkspaceID string `json:"workspace_id"`
	Role        string `json:"role"`
	User        struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"user"`
}

// Agent has the values that a record keeps, and others. Unlike in a record, a nil
// value is unknown or does not exist.
type Agent struct {
	RecordedAgent
	WorkspaceRef  string           `json:"workspace_ref"`
	GraphFindings []GraphFinding   `json:"graph_findings"`
	Stats         map[string]Stats `json:"stats"` // by period
}

// GraphFinding is a likely mistake in the conversation of an agent.
type GraphFinding struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Stats has counters, which are empty if they are unknown.
type Stats struct {
	Starts    json.Number `json:"total_starts"`
	Completed json.Number `json:"total_completed"`
	Percent   json.Number `json:"completion_percent"`
}

// Problem is what could not be read, or is contradictory.
type Problem struct {
	Kind      string      `json:"kind"`
	AgentID   string      `json:"agent_id"` // "" if it does not concern a single agent
	Operation string      `json:"operation"`
	Status    json.Number `json:"status"`
	Code      string      `json:"code"`
	Message   string      `json:"message"`
}

// Summary has totals.
type Summary struct {
	Members json.Number      `json:"members"`
	Agents  json.Number      `json:"agents"`
	Stats   map[string]Stats `json:"stats"`
}

// Parse parses the JSON text of an audit, or returns ErrAudit.
func Parse(text string) (*Audit, error) {
	a := &Audit{}
	err := json.Unmarshal([]byte(text), a)
	if broken := (*json.SyntaxError)(nil); errors.As(err, &broken) {
		err = json.Unmarshal([]byte(composed.ReplaceAllStringFunc(text, norm.NFD.String)), a)
	}
	if err != nil || a.Workspace == nil || a.Members == nil || a.EmailsByRole == nil || a.Agents == nil || a.Summary == nil {
		return nil, ErrAudit
	}
	a.failedOperations = map[string]bool{}
	for _, p := range a.Problems {
		a.failedOperations[p.Operation] = true
	}
	return a, nil
}

// composed matches an escape in JSON whose last letter Terraform has composed with the
// combining character after it, such as "\ñ" for a line break and a tilde.
var composed = regexp.MustCompile(`\\(u00[0-9])?[^\x00-\x7F]`)

// hasWholeList reports whether the result of an operation that lists something has
// all of its elements.
func (a *Audit) hasWholeList(operation string) bool {
	return !slices.ContainsFunc(a.Problems, func(p Problem) bool {
		return p.Operation == operation && (p.Kind == IncompleteList || p.Kind == NotRead)
	})
}

// readsDefinitions reports whether the audit was to read definitions.
func (a *Audit) readsDefinitions() bool { return a.Definitions == nil || *a.Definitions }

// Period returns the period whose statistics a report shows, or "" if the audit has no
// statistics.
func (a *Audit) Period() string {
	const preferred = "last30Days"
	switch {
	case len(a.StatsPeriods) == 0:
		return ""
	case slices.Contains(a.StatsPeriods, preferred):
		return preferred
	}
	return slices.Min(a.StatsPeriods)
}

// HasStats reports whether an agent's statistics for the period are known, or known not
// to exist because the agent is not published.
func (a *Audit) HasStats(agent Agent) bool {
	if agent.Stats[a.Period()].Starts != "" {
		return true
	}
	return !a.failedOperations[ReadStatsOf(a.Period())] && agent.IsPublished != nil && !*agent.IsPublished
}

// NeverSent returns the names of the values that a record keeps, but that no definition
// had that was read. Changes of them cannot be found.
func (a *Audit) NeverSent() []string {
	isSent, hasRead := map[string]bool{}, false
	for _, agent := range a.Agents {
		if agent.DefinitionHash == nil {
			continue
		}
		hasRead = true
		values := reflect.ValueOf(agent.RecordedAgent)
		for i, name := range recordedValues() {
			// Lists that are empty are known.
			isSent[name] = isSent[name] || !values.Field(i).IsZero() || values.Field(i).Kind() == reflect.Slice
		}
	}
	return slices.DeleteFunc(recordedValues(), func(name string) bool { return !hasRead || isSent[name] })
}
