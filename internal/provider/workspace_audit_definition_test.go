// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the list lacks is taken from the definition. What both have is the list's.
func TestWorkspaceAuditCompletesTheList(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{
		"/v1/agents": jsonHandler(200, `{"agents":[{"id":"a"},{"id":"b","name":"B","url":"","updatedAt":"2026-01-01T00:00:00Z"}]}`),
		"/v1/agents/a": jsonHandler(200, `{"currentUserMode":"read","agent":{
			"ref":{"publicKey":"p"},"profile":{"title":"A","summary":"s","icon":"i"},"tenancy":{"domainRef":"d"},"taxonomy":{"tags":{"ids":["t"]}},
			"timestamps":{"created":"c","updated":"u"},"exposure":{"schedule":{"publishedAt":"x"},"access":{"url":"https://a.example"}}}}`),
		"/v1/agents/b": jsonHandler(200, `{"currentUserMode":"read","agent":{"profile":{"title":"C"},"timestamps":{"updated":"u"},"exposure":{"access":{"url":"c"}}}}`),
	})
	agents := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil))["agents"].(object)
	want := object{
		"name": "A", "description": "s", "icon": "i", "url": "https://a.example", "public_id": "p", "domain_id": "d", "tags": list{"t"},
		"created_at": "c", "updated_at": "u", "published_at": "x",
	}
	for name, value := range want {
		if diff := cmp.Diff(value, agents["a"].(object)[name]); diff != "" {
			t.Errorf("unexpected %s (-want +got):\n%s", name, diff)
		}
	}
	if b := agents["b"].(object); b["name"] != "B" || b["url"] != "" || b["updated_at"] != "2026-01-01T00:00:00Z" {
		t.Errorf("got %v", b)
	}
}

// The definition determines whether an agent is published, and a list that
// differs from it is a contradiction.
func TestWorkspaceAuditOfAPublishedContradiction(t *testing.T) {
	t.Parallel()
	definition := func(state string) http.Handler {
		// The definitions are different, as those of different agents are.
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			jsonHandler(200, `{"agent":{"profile":{"title":"`+r.URL.Path+`"},"exposure":{"state":`+state+`}},"currentUserMode":"read"}`)(w, r)
		})
	}
	s := startServiceWithFaults(t, faults{
		"/v1/agents":   jsonHandler(200, `{"agents":[{"id":"a","isPublished":true},{"id":"b","isPublished":true},{"id":"c"},{"id":"d","isPublished":false},{"id":"e","isPublished":true}]}`),
		"/v1/agents/a": definition(`{"published":false}`),
		"/v1/agents/b": definition(`{}`),
		"/v1/agents/c": definition(`{"published":false}`),
		"/v1/agents/d": definition(`{"published":true}`),
		"/v1/agents/e": definition(`{"published":false}`),
	})
	state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(nil))
	published := object{}
	for id, agent := range state["agents"].(object) {
		published[id] = agent.(object)["is_published"]
	}
	if diff := cmp.Diff(object{"a": false, "b": true, "c": false, "d": true, "e": false}, published); diff != "" {
		t.Errorf("unexpected values of is_published (-want +got):\n%s", diff)
	}
	const message = "The list and the definition disagree about whether the agent is published. The attribute is_published has the definition's value."
	requireProblems(t, state,
		object{"kind": "contradiction", "agent_id": "a", "operation": "list agents", "message": message},
		object{"kind": "contradiction", "agent_id": "d", "operation": "list agents", "message": message},
		object{"kind": "contradiction", "agent_id": "e", "operation": "list agents", "message": message},
	)
}
