// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func statsBody(views, starts, completed int) string {
	return fmt.Sprintf(`{"stats":{"totalViews":%d,"totalStarts":%d,"totalCompleted":%d}}`, views, starts, completed)
}

func TestStatsPeriods(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

	for query, want := range map[string]string{
		"?timeFilter=today": statsBody(7, 3, 1),
		"":                  statsBody(1535810, 153600, 15368),
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			url := baseURL + "/v1/agents/agt_returns/analytics/stats" + query
			expect(t, get(t, url, devserver.TokenGuest), http.StatusOK, want)
		})
	}
}

func TestStatsRefusals(t *testing.T) {
	t.Parallel()
	baseURL := startWrong(t)
	expect(t, get(t, baseURL+"/v1/agents/agt_returns/analytics/stats?timeFilter=never", devserver.TokenGuest), http.StatusBadRequest,
		badRequestBody(`{"message":"query parameter timeFilter has an unknown value \"never\""}`))
	expect(t, get(t, baseURL+"/v1/agents/absent/analytics/stats", devserver.TokenGuest), http.StatusNotFound, notFoundBody)
}
