// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Operations and kinds of problems, as the data source convo_workspace_audit names
// them.
const (
	listAgents     = "list agents"
	listMembers    = "list members"
	readStats      = "read agent statistics (%s)" // with the period
	incompleteList = "incomplete_list"
	notRead        = "not_read"
)

// audit has what the report shows of the result of convo_workspace_audit.
type audit struct {
	AgentIDs     *[]string           `json:"agent_ids"`
	Definitions  *bool               `json:"definitions"`
	StatsPeriods []string            `json:"stats_periods"`
	Workspace    *workspace          `json:"workspace"`
	Members      []member            `json:"members"`
	EmailsByRole map[string][]string `json:"emails_by_role"`
	Agents       map[string]agent    `json:"agents"`
	Problems     []problem           `json:"problems"`
	Summary      *summary            `json:"summary"`

	failed map[string]bool // operations that have a problem
}

type workspace struct {
	ID   *string `json:"id"`
	Name string  `json:"name"`
	Plan *string `json:"plan"`
}

type member struct {
	Role string `json:"role"`
	User struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"user"`
}

// agent has the values that a record keeps. Unlike in a record, nil means that a value
// is unknown or that there is none. The method known tells which.
type agent struct {
	recordedAgent
	WorkspaceRef *string          `json:"workspace_ref"`
	Stats        map[string]stats `json:"stats"`
}

// stats has numbers that are empty if they are unknown.
type stats struct {
	Starts    json.Number `json:"total_starts"`
	Completed json.Number `json:"total_completed"`
	Percent   json.Number `json:"completion_percent"`
}

type problem struct {
	Kind      string      `json:"kind"`
	AgentID   string      `json:"agent_id"`
	Operation string      `json:"operation"`
	Status    json.Number `json:"status"`
	Code      string      `json:"code"`
	Message   string      `json:"message"`
}

type summary struct {
	Members json.Number      `json:"members"`
	Agents  json.Number      `json:"agents"`
	Stats   map[string]stats `json:"stats"`
}

func parseAudit(text string) (*audit, error) {
	a := &audit{}
	err := json.Unmarshal([]byte(text), a)
	if err != nil || a.Workspace == nil || a.Members == nil || a.EmailsByRole == nil || a.Agents == nil || a.Summary == nil {
		return nil, ErrAudit
	}
	a.failed = map[string]bool{}
	for _, p := range a.Problems {
		a.failed[p.Operation] = true
	}
	if emails, found := a.EmailsByRole[""]; found {
		delete(a.EmailsByRole, "")
		a.EmailsByRole["no role"] = append(emails, a.EmailsByRole["no role"]...)
	}
	return a, nil
}

// period returns the period whose statistics the report shows, which is empty
// if the audit has no statistics.
func (a *audit) period() string {
	const preferred = "last30Days"
	switch {
	case len(a.StatsPeriods) == 0:
		return ""
	case slices.Contains(a.StatsPeriods, preferred):
		return preferred
	}
	return slices.Min(a.StatsPeriods)
}

// isWhole reports whether the result of an operation that lists something has all
// of its elements.
func (a *audit) isWhole(operation string) bool {
	return !slices.ContainsFunc(a.Problems, func(p problem) bool {
		return p.Operation == operation && (p.Kind == incompleteList || p.Kind == notRead)
	})
}

// known returns what the audit knows of an agent, as a record keeps it: nil is unknown,
// and what is empty does not exist.
func (a *audit) known(agent agent) recordedAgent {
	known := agent.recordedAgent
	if (a.Definitions == nil || *a.Definitions) && known.IsArchived == nil && known.IsLocked == nil && known.IsShared == nil {
		known.IsPublished = nil // It is that of the list, which can contradict the definition.
	}
	if known.DefinitionHash == nil {
		known.Labels = nil
		return known
	}
	known.Labels = slices.Sorted(slices.Values(known.Labels))
	if known.Labels == nil {
		known.Labels = []string{}
	}
	known.Security = orNone(known.Security)
	known.Collaborators = sortedElements(orNone(known.Collaborators))
	if known.IsShared != nil { // The definition has the part about access.
		known.ShareRules = orNone(known.ShareRules)
		known.URL, known.Domain = orNone(known.URL), orNone(known.Domain)
		known.PublicID, known.PublishedAt = orNone(known.PublicID), orNone(known.PublishedAt)
	}
	return known
}

// orNone returns the empty text for a value that does not exist, or for JSON without
// content.
func orNone(text *string) *string {
	if slices.Contains([]string{"", "null", "{}", "[]"}, value(text)) {
		return new("")
	}
	return text
}

// sortedElements sorts a JSON array whose order has no meaning.
func sortedElements(text *string) *string {
	var elements []json.RawMessage
	if json.Unmarshal([]byte(*text), &elements) != nil {
		return text
	}
	sorted := make([]string, len(elements))
	for i, element := range elements {
		sorted[i] = string(element)
	}
	slices.Sort(sorted)
	return new("[" + strings.Join(sorted, ",") + "]")
}

// hasStats reports whether the statistics of an agent are known, or known not to
// exist because the agent is not published.
func (a *audit) hasStats(agent agent) bool {
	if agent.Stats[a.period()].Starts != "" {
		return true
	}
	return !a.failed[fmt.Sprintf(readStats, a.period())] && agent.IsPublished != nil && !*agent.IsPublished
}
