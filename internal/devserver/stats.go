// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

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
func (s *Server) getAgentStats(c call) (any, error) {
	period, given, err := queryParameter(c.rawQuery, s.periodParameter)
	switch {
	case err != nil:
		return nil, err
	case !given:
		period = "allTime"
	case !slices.Contains(periods(), period):
		return nil, badRequest(s.periodParameter, fmt.Sprintf("query parameter %s must be one of %s, not %q",
			s.periodParameter, strings.Join(periods(), ", "), period))
	}

	agent, ok := s.agents[c.id]
	if !ok || s.has(DraftStats) && agent.isDraft() {
		return nil, &failure{status: http.StatusNotFound}
	}

	first, last := periodDays(period, s.clock().UTC())
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
