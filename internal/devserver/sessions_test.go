// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// sessionOf returns one session as it is now.
func sessionOf(t *testing.T, server *devserver.Server, id string) devserver.Session {
	t.Helper()
	for _, session := range server.Sessions() {
		if session.ID == id {
			return session
		}
	}
	t.Fatalf("no session %q", id)
	return devserver.Session{}
}

func TestUpdateSessionAgent(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		body            string
		agent, revision string
	}{
		"another agent":  {`{"agentId":"agt_trade"}`, "agt_trade", "64"},
		"the same agent": {`{"agentId":"agt_returns"}`, "agt_returns", "43"},
		"no agent":       {`{}`, "agt_returns", "43"},
		"other keys":     {` {"reason": {"deep": [1e400]}, "agentId": "agt_jobs", "agent": 7}` + "\n", "agt_jobs", "11"},
		"escaped key":    {`{"agent\u0049d":"agt_scratch"}`, "agt_scratch", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := devserver.DefaultSeed()
			seed.Agents[1].Definition = json.RawMessage(`{"ref":{"revision":"43"}}`) // agt_returns
			server, baseURL := start(t, devserver.WithSeed(seed))
			expect(t, update(t, baseURL, "ses_returns_open", test.body), http.StatusOK, `{"message":"success"}`)

			want := devserver.Session{ID: "ses_returns_open", AgentID: test.agent, AgentRevision: test.revision, Active: true}
			if got := sessionOf(t, server, "ses_returns_open"); got != want {
				t.Errorf("got session %+v, want %+v", got, want)
			}
		})
	}
}

func TestUpdateSessionAgentRefusals(t *testing.T) {
	t.Parallel()
	const (
		notObject = `{"message":"body must be a JSON object"}`
		badAgent  = `{"message":"agentId must be the ID of an existing agent"}`
		absent    = `{"message":"session \"absent\" does not exist"}`
		inactive  = `{"message":"session \"ses_returns_done\" is not active"}`
		tooLarge  = `{"message":"body must not be larger than 1048576 bytes"}`
	)

	for name, test := range map[string]struct{ session, body, issues string }{
		"no body":          {"ses_returns_open", ``, notObject},
		"null":             {"ses_returns_open", `null`, notObject},
		"array":            {"ses_returns_open", `[{"agentId":"agt_jobs"}]`, notObject},
		"string":           {"ses_returns_open", `"agt_jobs"`, notObject},
		"broken off":       {"ses_returns_open", `{"agentId":"agt_jobs"`, notObject},
		"two objects":      {"ses_returns_open", `{} {}`, notObject},
		"form":             {"ses_returns_open", `agentId=agt_jobs`, notObject},
		"agent is null":    {"ses_returns_open", `{"agentId":null}`, badAgent},
		"agent is number":  {"ses_returns_open", `{"agentId":12}`, badAgent},
		"agent is empty":   {"ses_returns_open", `{"agentId":""}`, badAgent},
		"agent is absent":  {"ses_returns_open", `{"agentId":"agt_absent"}`, badAgent},
		"session absent":   {"absent", `{"agentId":"agt_jobs"}`, absent},
		"session inactive": {"ses_returns_done", `{"agentId":"agt_jobs"}`, inactive},
		"two issues":       {"absent", `{"agentId":"agt_absent"}`, absent + "," + badAgent},
		"too large":        {"ses_returns_open", `{}` + strings.Repeat(" ", 1<<20-1), tooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, baseURL := start(t)
			expect(t, update(t, baseURL, test.session, test.body), http.StatusBadRequest, badRequestBody(test.issues))
			if diff := cmp.Diff(devserver.New().Sessions(), server.Sessions()); diff != "" {
				t.Errorf("a refused update changed the sessions (-before +after):\n%s", diff)
			}
		})
	}
}
