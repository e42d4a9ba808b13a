// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestDeviations(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Deviates = true
	s := serving(t, seed)
	s.ExemptResponses("real services omit required fields")

	expect(t, get(t, s, "/v1/agents", devserver.TokenRead), http.StatusBadRequest,
		`{"code":"BAD_REQUEST","message":"Invalid input data","data":{"issues":[{"message":"workspaceId: Required"}]}}`)
	expect(t, get(t, s, "/v1/agents?workspaceId=ws_tidepool02", devserver.TokenRead), http.StatusOK, `{"agents":[]}`)
	const notFound = `{"code":"NOT_FOUND","message":"Not found","data":{"issues":[]}}`
	expect(t, get(t, s, "/v1/agents/agt_scratch/analytics/stats", devserver.TokenRead), http.StatusNotFound, notFound)
	expect(t, get(t, s, "/v1/agents/agt_returns", "unknown"), http.StatusNotFound, notFound)
	expect(t, get(t, s, "/v1/workspaces/larkspur", "unknown"), http.StatusUnauthorized,
		`{"code":"UNAUTHORIZED","message":"Authorization not provided","data":{"issues":[]}}`)

	const workspace, list, definition = "/v1/workspaces/larkspur", "/v1/agents?workspaceId=ws_larkspur01", "/v1/agents/agt_returns"
	for path, fields := range map[string][]string{
		workspace:                       {"chatUsage", "extras", "addons", "paymentsConnectId"},
		list:                            {"publishedAt", "domainId"},
		definition:                      {"share", "schedule", "collaborators", "security"},
		definition + "/analytics/stats": nil,
	} {
		got := get(t, s, path, devserver.TokenRead)
		if got.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.Code, got.Body)
		}
		for _, field := range fields {
			if strings.Contains(got.Body.String(), `"`+field+`":`) {
				t.Errorf("%s has the field %s", path, field)
			}
		}
	}
	if first, second := get(t, s, definition, devserver.TokenRead), get(t, s, definition, devserver.TokenRead); first.Body.String() != second.Body.String() {
		t.Error("two reads of a definition differ")
	}
	if got := get(t, s, workspace, devserver.TokenRead).Body.String(); strings.Contains(got, "2026-03-18T09:12:44.870Z") {
		t.Errorf("the last activity is not that of the read: %s", got)
	}
}
