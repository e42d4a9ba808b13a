// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestBehaviors sends each request to a server without the behavior, and to one with it.
func TestBehaviors(t *testing.T) {
	t.Parallel()
	const (
		found        = "200 {"
		noAgents     = `200 {"agents":[]}`
		notFound     = "404 " + notFoundBody
		unauthorized = `401 {"code":"UNAUTHORIZED","message":"Authorization not provided","issues":[]}`
		forbidden    = `403 {"code":"FORBIDDEN","message":"Insufficient access","issues":[]}`
		badQuery     = `query parameter timeFilter has an unknown value \"never\"`
	)
	baseURL := start(t)
	for behavior, requests := range map[devserver.Behavior][]struct {
		token, request string
		without, with  string // the beginnings of the responses
	}{
		devserver.DraftStats: {
			{devserver.TokenRead, "GET /v1/agents/agt_scratch/analytics/stats", found, notFound},
			{devserver.TokenRead, "GET /v1/agents/agt_survey/analytics/stats", found, found}, // published before
			{devserver.TokenRead, "GET /v1/agents/agt_returns/analytics/stats", found, found},
			{devserver.TokenRead, "GET /v1/agents/agt_scratch", found, found},
		},
		devserver.HiddenObjects: {
			{"wrong", "GET /v1/agents", unauthorized, noAgents},
			{"wrong", "GET /v1/agents/agt_returns", unauthorized, notFound},
			{devserver.TokenNoAccess, "GET /v1/agents", forbidden, noAgents},
			{devserver.TokenNoAccess, "GET /v1/agents/agt_returns/analytics/stats", forbidden, notFound},
			{devserver.TokenGuest, "GET /v1/workspaces/larkspur", forbidden, notFound},
			{devserver.TokenGuest, "GET /v1/agents/agt_returns", found, found},
			{devserver.TokenRead, "POST /v1/sessions/ses_returns_open/updateAgent", forbidden, unauthorized},
			{devserver.TokenWrite, "POST /v1/sessions/ses_returns_open/updateAgent", found, found},
		},
		devserver.NestedIssues: {
			{devserver.TokenRead, "GET /v1/agents/agt_returns/analytics/stats?timeFilter=never",
				`400 {"code":"BAD_REQUEST","message":"Invalid input data","issues":[{"message":"` + badQuery + `"}]}`,
				`400 {"code":"BAD_REQUEST","message":"Invalid input data","data":{"issues":[{"message":"` + badQuery + `","path":["timeFilter"]}]}}`},
			{devserver.TokenRead, "GET /v1/agents/absent", notFound, `404 {"code":"NOT_FOUND","message":"Not found","data":{"issues":[]}}`},
		},
		devserver.UnpaidAgents: { // A payment of Larkspur Bicycles is past due.
			{devserver.TokenRead, "GET /v1/agents/agt_returns", found, notFound},
			{devserver.TokenRead, "GET /v1/agents", `200 {"agents":[{`, `200 {"agents":[{`},
			{devserver.TokenTidepool, "GET /v1/agents/agt_tide_visit", found, found},
		},
		devserver.WorkspaceInQuery: {
			{devserver.TokenRead, "GET /v1/agents", found,
				`400 {"code":"BAD_REQUEST","message":"Invalid input data","issues":[{"message":"query parameter workspaceId is required"}]}`},
			{devserver.TokenRead, "GET /v1/agents?workspaceId=ws_tidepool02", `200 {"agents":[{"id":"agt_workshop"`, `200 {"agents":[{"id":"agt_tide_visit"`},
			{devserver.TokenRead, "GET /v1/agents?workspaceId=ws_other", found, noAgents},
		},
	} {
		t.Run(string(behavior), func(t *testing.T) {
			t.Parallel()
			behavingURL := start(t, devserver.WithBehavior(behavior))
			for _, test := range requests {
				for url, want := range map[string]string{baseURL: test.without, behavingURL: test.with} {
					method, path, _ := strings.Cut(test.request, " ")
					got := send(t, method, url+path, "Bearer "+test.token, "{}")
					if text := fmt.Sprintf("%d %s", got.status, got.body); !strings.HasPrefix(text, want) {
						t.Errorf("%s: got %s, want %s", test.request, text, want)
					}
				}
			}
		})
	}
}

func TestReadActivity(t *testing.T) {
	t.Parallel()
	baseURL := start(t, devserver.WithBehavior(devserver.ReadActivity))
	for _, activity := range []string{"2026-03-18T09:30:01.000Z", "2026-03-18T09:30:02.000Z"} {
		got := get(t, baseURL+"/v1/workspaces/larkspur", devserver.TokenRead)
		if want := strings.Replace(larkspur, "2026-03-18T09:12:44.870Z", activity, 1); !sameJSON(t, got.body, want) {
			t.Errorf("got %s, want %s", got.body, want)
		}
	}
}

// TestMissingFields compares responses without the fields with hand-written ones. The seed's numbers keep their text.
func TestMissingFields(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = []devserver.Agent{{ID: "agt", WorkspaceID: "ws", Summary: json.RawMessage(`{"id":"agt","isPublished":true}`),
		Definition: json.RawMessage(`{"ref":{"key":"k","revision":"1"},"graph":{"nodes":[1e400]}}`)}}
	seed.Workspaces = []devserver.Workspace{{ID: "ws", Documents: map[string]json.RawMessage{
		"members": json.RawMessage(`[{"role":"ADMIN","user":{"name":"A","image":null}},{"user":null},{"user":{"image":""}}]`),
	}}}
	baseURL := start(t, devserver.WithSeed(seed),
		devserver.WithMissingFields("members.user.image", "agents.isPublished", "agent.ref.key", "agent.absent.key", "stats"))
	for path, want := range map[string]string{
		"/v1/workspaces/ws/members":      `{"members":[{"role":"ADMIN","user":{"name":"A"}},{"user":null},{"user":{}}]}`,
		"/v1/agents/agt":                 `{"agent":{"graph":{"nodes":[1e400]},"ref":{"revision":"1"}},"currentUserMode":"read"}`,
		"/v1/agents/agt/analytics/stats": `{}`,
	} {
		expect(t, get(t, baseURL+path, devserver.TokenRead), 200, want)
	}
}
