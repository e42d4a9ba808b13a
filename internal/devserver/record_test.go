// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Without the option, a service that runs for long keeps nothing of its requests.
func TestRequestsWithoutRecording(t *testing.T) {
	t.Parallel()
	server := devserver.New()
	serve(server, newRequest(t, http.MethodGet, "/v1/agents", devserver.TokenRead))
	if recorded := len(server.Requests()); recorded != 0 {
		t.Errorf("recorded %d requests, want none", recorded)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	arrival := time.Date(2031, time.May, 4, 3, 2, 1, 0, time.UTC)
	server, baseURL := start(t, devserver.WithClock(func() time.Time { return arrival }))

	update(t, baseURL, "ses%20none", `{"agentId":"agt_jobs"}`)
	get(t, baseURL+"/v1/agents?tag=b&tag=a%20c&&flag", devserver.TokenRead)
	send(t, http.MethodDelete, baseURL+"//absent/../x%2Fy", "", "")

	got := server.Requests()
	if len(got) != 3 {
		t.Fatalf("recorded %d requests, want 3", len(got))
	}
	if authorization := got[1].Header.Get("Authorization"); authorization != "Bearer dev-token-read" {
		t.Errorf("recorded Authorization %q, want Bearer dev-token-read", authorization)
	}
	for i := range got {
		got[i].Header = nil
	}
	want := []devserver.Request{
		{
			Time: arrival, Method: "POST", Path: "/v1/sessions/ses%20none/updateAgent",
			Body: []byte(`{"agentId":"agt_jobs"}`),
		},
		{Time: arrival, Method: "GET", Path: "/v1/agents", RawQuery: "tag=b&tag=a%20c&&flag"},
		{Time: arrival, Method: "DELETE", Path: "//absent/../x%2Fy"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestRequestsAreCopies(t *testing.T) {
	t.Parallel()
	server, baseURL := start(t)
	update(t, baseURL, "ses_returns_open", `{"agentId":"agt_jobs"}`)

	first := server.Requests()
	first[0].Body[0] = 'X'
	first[0].Header.Set("Authorization", "changed")
	first[0].Method = "changed"

	second := server.Requests()[0]
	if string(second.Body) != `{"agentId":"agt_jobs"}` ||
		second.Header.Get("Authorization") != "Bearer dev-token-write" || second.Method != "POST" {
		t.Errorf("the record changed with a copy of it: %+v", second)
	}
}
