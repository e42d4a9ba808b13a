// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"
)

func TestUpdateSessionAgent(t *testing.T) {
	t.Parallel()
	baseURL := start(t)
	for _, body := range []string{
		`{}`,
		`{"agentId":"agt_trade"}`,
		` {"reason": {"deep": [1e400]}, "agentId": "agt_jobs", "agent": 7}` + "\n",
	} {
		expect(t, update(t, baseURL, "ses_returns_open", body), http.StatusOK, `{"message":"success"}`)
	}
}

func TestUpdateSessionAgentRefusals(t *testing.T) {
	t.Parallel()
	const (
		notObject = `{"message":"body must be a JSON object"}`
		badAgent  = `{"message":"agentId must be the ID of an existing agent"}`
		absent    = `{"message":"session \"absent\" does not exist"}`
		inactive  = `{"message":"session \"ses_returns_done\" is not active"}`
	)
	baseURL := startWrong(t)
	for name, test := range map[string]struct{ session, body, issues string }{
		"null":             {"ses_returns_open", `null`, notObject},
		"broken off":       {"ses_returns_open", `{"agentId":"agt_jobs"`, notObject},
		"agent is null":    {"ses_returns_open", `{"agentId":null}`, badAgent},
		"agent is absent":  {"ses_returns_open", `{"agentId":"agt_absent"}`, badAgent},
		"session absent":   {"absent", `{"agentId":"agt_jobs"}`, absent},
		"session inactive": {"ses_returns_done", `{"agentId":"agt_jobs"}`, inactive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, update(t, baseURL, test.session, test.body), http.StatusBadRequest, badRequestBody(test.issues))
		})
	}
}
