// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func statsBody(views, starts, completed int) string {
	return fmt.Sprintf(`{"stats":{"totalViews":%d,"totalStarts":%d,"totalCompleted":%d}}`, views, starts, completed)
}

func TestStatsPeriods(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t) // the time is 2026-03-18

	for query, want := range map[string]string{
		"?timeFilter=today":       statsBody(7, 3, 1),
		"?timeFilter=last7Days":   statsBody(70, 26, 12),
		"?timeFilter=last30Days":  statsBody(1310, 150, 23),
		"?timeFilter=monthToDate": statsBody(300, 49, 13),
		"?timeFilter=lastMonth":   statsBody(6510, 651, 65),
		"?timeFilter=yearToDate":  statsBody(35810, 3600, 368),
		"?timeFilter=allTime":     statsBody(1535810, 153600, 15368),
		"":                        statsBody(1535810, 153600, 15368),
		"?period=today":           statsBody(1535810, 153600, 15368),
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			url := baseURL + "/v1/agents/agt_returns/analytics/stats" + query
			expect(t, get(t, url, devserver.TokenGuest), http.StatusOK, want)
		})
	}
}

func TestStatsClock(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = []devserver.Agent{{ID: "agt", Daily: []devserver.DailyCount{
		{Day: "2023-12-01", Views: 1},
		{Day: "2023-12-31", Views: 10},
		{Day: "2024-01-01", Views: 100},
		{Day: "2024-02-29", Views: 1000},
		{Day: "2024-03-31", Views: 10000},
	}}}

	west, east := time.FixedZone("west", -5*60*60), time.FixedZone("east", 5*60*60)
	for _, test := range []struct {
		now    time.Time
		period string
		views  int
	}{
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "today", 100},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "lastMonth", 11},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "yearToDate", 100},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "last7Days", 110},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "allTime", 111},
		{time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC), "today", 10},
		{time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC), "monthToDate", 11},
		{time.Date(2023, 12, 30, 12, 0, 0, 0, time.UTC), "last30Days", 1},
		{time.Date(2023, 12, 31, 12, 0, 0, 0, time.UTC), "last30Days", 10},
		{time.Date(2023, 12, 31, 20, 0, 0, 0, west), "today", 100},
		{time.Date(2024, 1, 1, 4, 0, 0, 0, east), "today", 10},
		{time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC), "lastMonth", 1000},
		{time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC), "monthToDate", 10000},
		{time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC), "yearToDate", 11100},
	} {
		t.Run(test.period+" "+test.now.Format(time.RFC3339), func(t *testing.T) {
			t.Parallel()
			_, baseURL := start(t, devserver.WithSeed(seed), devserver.WithClock(func() time.Time { return test.now }))
			url := baseURL + "/v1/agents/agt/analytics/stats?timeFilter=" + test.period
			expect(t, get(t, url, devserver.TokenGuest), http.StatusOK, statsBody(test.views, 0, 0))
		})
	}
}

func TestStatsRefusals(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t)

	const allowed = `{"message":"query parameter timeFilter must be one of today, last7Days, last30Days, monthToDate, ` +
		`lastMonth, yearToDate, allTime, not `
	for _, test := range []struct {
		id, query string
		status    int
		body      string
	}{
		{"agt_returns", "?timeFilter=yesterday", http.StatusBadRequest, badRequestBody(allowed + `\"yesterday\""}`)},
		{"agt_returns", "?timeFilter=TODAY", http.StatusBadRequest, badRequestBody(allowed + `\"TODAY\""}`)},
		{"agt_returns", "?timeFilter=", http.StatusBadRequest, badRequestBody(allowed + `\"\""}`)},
		{"agt_returns", "?timeFilter=today&timeFilter=today", http.StatusBadRequest,
			badRequestBody(allowed + `\"today,today\""}`)},
		{"absent", "?timeFilter=yesterday", http.StatusBadRequest, badRequestBody(allowed + `\"yesterday\""}`)},
		{"absent", "?timeFilter=today", http.StatusNotFound, notFoundBody},
		{"absent", "", http.StatusNotFound, notFoundBody},
	} {
		t.Run(test.id+test.query, func(t *testing.T) {
			t.Parallel()
			url := baseURL + "/v1/agents/" + test.id + "/analytics/stats" + test.query
			expect(t, get(t, url, devserver.TokenGuest), test.status, test.body)
		})
	}
}

func TestStatsPeriodParameter(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t, devserver.WithStatsPeriodParameter("period"))
	url := baseURL + "/v1/agents/agt_returns/analytics/stats"
	expect(t, get(t, url+"?period=today", devserver.TokenGuest), http.StatusOK, statsBody(7, 3, 1))
	expect(t, get(t, url+"?timeFilter=today", devserver.TokenGuest), http.StatusOK, statsBody(1535810, 153600, 15368))
}
