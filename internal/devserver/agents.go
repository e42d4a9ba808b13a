// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// listAgents serves "List agents" for the caller's current workspace. The API accepts query parameters but documents
// none of them, so all are accepted and none has an effect; [WorkspaceInQuery] changes that.
func (s *Server) listAgents(caller Caller, r *http.Request) (any, error) {
	workspaceID := caller.WorkspaceID
	if s.has(WorkspaceInQuery) {
		given, ok, err := queryParameter(r, "workspaceId")
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, badRequest(issue{"query parameter workspaceId is required", []string{"workspaceId"}})
		}
		workspaceID = given
	}
	summaries := []json.RawMessage{}
	for _, agent := range s.seed.Agents {
		if agent.WorkspaceID == workspaceID {
			summaries = append(summaries, agent.Summary)
		}
	}
	return map[string]any{"agents": summaries}, nil
}

// getAgent serves "Get agent", for the agents of every workspace.
func (s *Server) getAgent(caller Caller, r *http.Request) (any, error) {
	agent, ok := s.agents[r.PathValue("agentId")]
	if !ok || s.has(UnpaidAgents) && s.isUnpaid(agent.WorkspaceID) {
		return nil, &failure{status: http.StatusNotFound}
	}
	return struct {
		Agent           json.RawMessage `json:"agent"`
		CurrentUserMode Mode            `json:"currentUserMode"`
	}{agent.Definition, caller.Mode}, nil
}

// periods returns the allowed values of the period selector, in the order of the API.
func periods() []string {
	return []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}
}

// stats is the value of the key `stats` (section "Agent statistics").
type stats struct {
	TotalViews     int64 `json:"totalViews"`
	TotalStarts    int64 `json:"totalStarts"`
	TotalCompleted int64 `json:"totalCompleted"`
}

// getAgentStats serves "Get agent statistics". Days are UTC days. The API does not document the period of a request that
// selects none: here it is allTime.
func (s *Server) getAgentStats(r *http.Request) (any, error) {
	period, given, err := queryParameter(r, s.periodParameter)
	switch {
	case err != nil:
		return nil, err
	case !given:
		period = "allTime"
	case !slices.Contains(periods(), period):
		message := fmt.Sprintf("query parameter %s must be one of %s, not %q", s.periodParameter, strings.Join(periods(), ", "), period)
		return nil, badRequest(issue{message, []string{s.periodParameter}})
	}

	agent, ok := s.agents[r.PathValue("agentId")]
	if !ok || s.has(DraftStats) && agent.isDraft() {
		return nil, &failure{status: http.StatusNotFound}
	}

	first, last := periodDays(period, now())
	var total stats
	for _, daily := range agent.Daily {
		if first <= daily.Day && daily.Day <= last {
			total.TotalViews += daily.Views
			total.TotalStarts += daily.Starts
			total.TotalCompleted += daily.Completed
		}
	}
	return map[string]stats{"stats": total}, nil
}

// periodDays returns the first and the last day of a period, both inclusive, as ISO dates: they compare as strings.
func periodDays(period string, now time.Time) (first, last string) {
	year, month, day := now.Date()
	date := func(year int, month time.Month, day int) string {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}

	last = date(year, month, day)
	switch period {
	case "today":
		first = last
	case "last7Days":
		first = date(year, month, day-6)
	case "last30Days":
		first = date(year, month, day-29)
	case "monthToDate":
		first = date(year, month, 1)
	case "lastMonth":
		first, last = date(year, month-1, 1), date(year, month, 0)
	case "yearToDate":
		first = date(year, time.January, 1)
	default: // allTime: every day sorts after the empty string
	}
	return first, last
}

// now is the server's clock. It is fixed shortly after the last activity in the default seed, so that the statistics are
// reproducible.
func now() time.Time {
	return time.Date(2026, time.March, 18, 9, 30, 0, 0, time.UTC)
}

// timestamp formats an instant like those in the seed; the API does not document the format.
func timestamp(t time.Time) string {
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
