// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"slices"
)

// audit has what the report shows of the result of convo_workspace_audit.
type audit struct {
	AgentIDs     *[]string           `json:"agent_ids"`
	Definitions  *bool               `json:"definitions"`
	StatsPeriods []string            `json:"stats_periods"`
	Workspace    *workspace          `json:"workspace"`
	EmailsByRole map[string][]string `json:"emails_by_role"`
	Agents       map[string]agent    `json:"agents"`
	Problems     []struct{}          `json:"problems"`
	Summary      *summary            `json:"summary"`
}

type workspace struct {
	ID   *string `json:"id"`
	Name string  `json:"name"`
	Plan *string `json:"plan"`
}

type agent struct {
	recordedAgent
	Name  string           `json:"name"`
	Stats map[string]stats `json:"stats"`
}

// stats has numbers that are empty if they are unknown.
type stats struct {
	Starts    json.Number `json:"total_starts"`
	Completed json.Number `json:"total_completed"`
	Percent   json.Number `json:"completion_percent"`
}

type summary struct {
	Members   json.Number      `json:"members"`
	Agents    json.Number      `json:"agents"`
	Published json.Number      `json:"published"`
	Archived  json.Number      `json:"archived"`
	Locked    json.Number      `json:"locked"`
	Stats     map[string]stats `json:"stats"`
}

func parseAudit(text string) (*audit, error) {
	a := &audit{}
	if err := json.Unmarshal([]byte(text), a); err != nil || a.Workspace == nil || a.EmailsByRole == nil || a.Agents == nil || a.Summary == nil {
		return nil, ErrAudit
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

// unreadable reports whether the definition of an agent could not be read.
func (a *audit) unreadable(agent agent) bool {
	return agent.DefinitionHash == nil && (a.Definitions == nil || *a.Definitions)
}
