// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	getWorkspace  = "GET /v1/workspaces/{workspaceId}"
	getStats      = "GET /v1/agents/{agentId}/analytics/stats"
	listMembers   = "GET /v1/workspaces/{workspaceId}/members"
	listAgents    = "GET /v1/agents"
	updateSession = "POST /v1/sessions/{sessionId}/updateAgent"
	getAgent      = "GET /v1/agents/{agentId}"
)

// TestContractRefusesWrongResponses holds that the check of the contract can fail: each response is right but for one
// change.
func TestContractRefusesWrongResponses(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)

	const (
		agents   = `{"agents":[{"id":"agt","name":null,"tags":["t"],"isPublished":true}]}`
		agent    = `{"agent":{"ref":{"key":"k"},"graph":{"nodes":[{},1],"memory":[{"id":"m"}]}},"currentUserMode":"read"}`
		stats    = `{"stats":{"totalViews":1,"totalStarts":0.5,"totalCompleted":0}}`
		members  = `{"members":[{"workspaceId":"ws","user":{"name":"n","email":"e","image":""},"role":"ADMIN"}]}`
		updated  = `{"message":"success"}`
		notFound = `{"code":"NOT_FOUND","message":"Not found","issues":[{"message":"text"}]}`
	)
	const ok = http.StatusOK
	for _, test := range []struct {
		operation string
		status    int
		right     string
		old, new  string // what is changed
	}{
		{getWorkspace, ok, larkspur, `"chatUsage":1843.5,`, ``},
		{getWorkspace, ok, larkspur, `"name":"Larkspur Bicycles"`, `"name":null`},
		{getWorkspace, ok, larkspur, `"isPastDue":true`, `"isPastDue":"true"`},
		{getWorkspace, ok, larkspur, `"extras":["custom-domain","white-label"]`, `"extras":null`},
		{getWorkspace, http.StatusNotFound, notFound, `"code":"NOT_FOUND",`, ``},
		{getWorkspace, http.StatusNotFound, notFound, `"NOT_FOUND"`, `"FORBIDDEN"`},
		{getWorkspace, http.StatusNotFound, notFound, `"Not found"`, `null`},
		{listMembers, ok, members, `"role":"ADMIN"`, `"role":1`},
		{listAgents, ok, agents, `"agents":[`, `"more":[`},
		{getAgent, ok, agent, `,"currentUserMode":"read"`, ``},
		{getAgent, ok, agent, `"currentUserMode":"read"`, `"currentUserMode":"admin"`},
		{getAgent, ok, agent, `"nodes":[{},1]`, `"nodes":{}`},
		{getAgent, http.StatusTeapot, notFound, `"message":"Not found",`, ``},
		{getStats, ok, stats, `"totalViews":1`, `"totalViews":null`},
		{updateSession, ok, updated, `"success"`, `true`},
	} {
		t.Run(test.operation+" "+test.old+" to "+test.new, func(t *testing.T) {
			t.Parallel()
			e := exchange{operation: test.operation, token: devserver.TokenWrite}
			input := requestInput(t, contract, e, e.request(t, "http://127.0.0.1"))
			header := http.Header{"Content-Type": {"application/json"}}

			wrong := strings.Replace(test.right, test.old, test.new, 1)
			if wrong == test.right {
				t.Fatalf("the right response has no %s", test.old)
			}
			if err := checkResponse(t.Context(), input, test.status, header, []byte(test.right)); err != nil {
				t.Errorf("the right response is refused: %v", err)
			}
			if err := checkResponse(t.Context(), input, test.status, header, []byte(wrong)); err == nil {
				t.Errorf("accepted %s", wrong)
			}
		})
	}
}
