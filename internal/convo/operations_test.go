// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestOperationsOnTheWire(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	type call func(context.Context, *convo.Client) (*convo.Response, error)
	tests := map[string]struct {
		call   call
		method string
		uri    string
		body   string
	}{
		"workspace": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.Workspace(ctx, "ws_1", nil)
			},
			method: "GET", uri: "/api/v1/workspaces/ws_1",
		},
		"workspace, default asked for": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.Workspace(ctx, "ws_1", &yes)
			},
			method: "GET", uri: "/api/v1/workspaces/ws_1?getDefault=true",
		},
		"workspace, default declined": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.Workspace(ctx, "ws_1", &no)
			},
			method: "GET", uri: "/api/v1/workspaces/ws_1?getDefault=false",
		},
		"members": {
			call:   func(ctx context.Context, c *convo.Client) (*convo.Response, error) { return c.Members(ctx, "ws_1") },
			method: "GET", uri: "/api/v1/workspaces/ws_1/members",
		},
		"agents": {
			call:   func(ctx context.Context, c *convo.Client) (*convo.Response, error) { return c.Agents(ctx, nil) },
			method: "GET", uri: "/api/v1/agents",
		},
		"agents, with parameters": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.Agents(ctx, map[string]string{"tag": "a b&c=d+e", "empty": "", "ü?": "#/%"})
			},
			method: "GET", uri: "/api/v1/agents?empty=&tag=a+b%26c%3Dd%2Be&%C3%BC%3F=%23%2F%25",
		},
		"agent": {
			call:   func(ctx context.Context, c *convo.Client) (*convo.Response, error) { return c.Agent(ctx, "agt_1") },
			method: "GET", uri: "/api/v1/agents/agt_1",
		},
		"statistics": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.AgentStats(ctx, "agt_1", "")
			},
			method: "GET", uri: "/api/v1/agents/agt_1/analytics/stats",
		},
		"statistics of a period": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.AgentStats(ctx, "agt_1", "last7Days")
			},
			method: "GET", uri: "/api/v1/agents/agt_1/analytics/stats?timeFilter=last7Days",
		},
		"session update": {
			call: func(ctx context.Context, c *convo.Client) (*convo.Response, error) {
				return c.UpdateSessionAgent(ctx, "ses_1", []byte(`{ "agentId" : "<agt_1>" }`))
			},
			method: "POST", uri: "/api/v1/sessions/ses_1/updateAgent", body: `{ "agentId" : "<agt_1>" }`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const document = `{"message":"all well"}`
			server := startService(t, answer(http.StatusOK, document))
			client := newClient(t, convo.Config{
				BaseURL:   server.URL + "/api/",
				UserAgent: "terraform-provider-convo/1.2.3 terraform/1.14.0",
				Headers: map[string]string{
					"x-gateway-key": "gateway-secret", "authorization": "Basic other", "accept": "text/html",
				},
			})
			response, err := test.call(testContext(t), client)
			if err != nil {
				t.Fatal(err)
			}
			if string(response.Body) != document {
				t.Errorf("got the response %s, want %s", response.Body, document)
			}

			header := http.Header{
				"Accept":          {"application/json"},
				"Accept-Encoding": {"gzip"},
				"Authorization":   {"Bearer token-4f1d9c"},
				"User-Agent":      {"terraform-provider-convo/1.2.3 terraform/1.14.0"},
				"X-Gateway-Key":   {"gateway-secret"},
			}
			if test.method == "POST" {
				header["Content-Type"] = []string{"application/json"}
				header["Content-Length"] = []string{"25"}
				header["Connection"] = []string{"close"}
			}
			want := []request{{test.method, test.uri, header, test.body}}
			if diff := cmp.Diff(want, server.received()); diff != "" {
				t.Errorf("on the wire (-want +got):\n%s", diff)
			}
		})
	}
}

// byID has the operations whose path has an id, with the path around it.
var byID = map[string]struct {
	before, after string
	call          func(context.Context, *convo.Client, string) error
}{
	"workspace": {"/v1/workspaces/", "", func(ctx context.Context, c *convo.Client, id string) error {
		_, err := c.Workspace(ctx, id, nil)
		return err
	}},
	"members": {"/v1/workspaces/", "/members", func(ctx context.Context, c *convo.Client, id string) error {
		_, err := c.Members(ctx, id)
		return err
	}},
	"agent": {"/v1/agents/", "", func(ctx context.Context, c *convo.Client, id string) error {
		_, err := c.Agent(ctx, id)
		return err
	}},
	"statistics": {"/v1/agents/", "/analytics/stats", func(ctx context.Context, c *convo.Client, id string) error {
		_, err := c.AgentStats(ctx, id, "")
		return err
	}},
	"session update": {"/v1/sessions/", "/updateAgent", func(ctx context.Context, c *convo.Client, id string) error {
		_, err := c.UpdateSessionAgent(ctx, id, []byte(`{}`))
		return err
	}},
}

func TestIDStaysOneSegment(t *testing.T) {
	t.Parallel()
	escaped := map[string]string{
		"a/b":            "a%2Fb",
		"../../v1/agent": "..%2F..%2Fv1%2Fagent",
		"/":              "%2F",
		"...":            "...",
		"a b":            "a%20b",
		"100%":           "100%25",
		"%2e%2e":         "%252e%252e",
		"%2F":            "%252F",
		"a?b=c":          "a%3Fb=c",
		"a#b":            "a%23b",
		"a+b":            "a+b",
		"a;b,c":          "a%3Bb%2Cc",
		`a\b"c`:          "a%5Cb%22c",
		"line\r\nbreak":  "line%0D%0Abreak",
		"übung":          "%C3%BCbung",
		"工作":             "%E5%B7%A5%E4%BD%9C",
		"\xff":           "%FF",
	}
	for name, operation := range byID {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, answer(http.StatusOK, `{"message":"success"}`))
			client := newClient(t, convo.Config{BaseURL: server.URL})
			sent := 0
			for id, want := range escaped {
				if err := operation.call(testContext(t), client, id); err != nil {
					t.Errorf("%q: %v", id, err)
					continue
				}
				sent++
				requests := server.received()
				if got := requests[len(requests)-1].URI; got != operation.before+want+operation.after {
					t.Errorf("%q: got %s, want %s%s%s", id, got, operation.before, want, operation.after)
				}
			}
			server.expectRequests(t, sent)
		})
	}
}

func TestIDsRefusedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"":   "must not be empty",
		".":  `"." cannot be sent as part of a path`,
		"..": `".." cannot be sent as part of a path`,
	}
	for name, operation := range byID {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, answer(http.StatusOK, `{"message":"success"}`))
			client := newClient(t, convo.Config{BaseURL: server.URL})
			for id, want := range refused {
				err := operation.call(testContext(t), client, id)
				if err == nil || err.Error() != want {
					t.Errorf("%q: got error %v, want %s", id, err, want)
				}
				if checked := convo.CheckID(id); checked == nil || checked.Error() != want {
					t.Errorf("CheckID(%q): got %v, want %s", id, checked, want)
				}
			}
			server.expectRequests(t, 0)
		})
	}
	for _, id := range []string{"a", "...", ". ", "%2e", "./.."} {
		if err := convo.CheckID(id); err != nil {
			t.Errorf("CheckID(%q): %v", id, err)
		}
	}
}

func TestStatsPeriodParameter(t *testing.T) {
	t.Parallel()
	server := startService(t, answer(http.StatusOK, `{}`))
	client := newClient(t, convo.Config{BaseURL: server.URL, StatsPeriodParameter: "time range"})
	if _, err := client.AgentStats(testContext(t), "agt_1", "allTime"); err != nil {
		t.Fatal(err)
	}
	if got := server.received()[0].URI; got != "/v1/agents/agt_1/analytics/stats?time+range=allTime" {
		t.Errorf("got %s", got)
	}
	want := []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}
	if diff := cmp.Diff(want, convo.StatsPeriods()); diff != "" {
		t.Errorf("periods (-want +got):\n%s", diff)
	}
}

func TestAgentPayload(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ parameter, agentID, want string }{
		"default parameter":   {"", "agt_1", `{"agentId":"agt_1"}`},
		"other parameter":     {"agent-key", "agt_1", `{"agent-key":"agt_1"}`},
		"no agent":            {"agentId", "", `{}`},
		"characters to quote": {"", "a\"b\n", `{"agentId":"a\"b\n"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1", SessionAgentParameter: test.parameter})
			if got := client.AgentPayload(test.agentID); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestReferenceService holds that client and reference service agree about
// the interface: neither knows the other's code.
func TestReferenceService(t *testing.T) {
	t.Parallel()
	server := startService(t, http.StripPrefix("/api", devserver.New()))
	client := newClient(t, convo.Config{BaseURL: server.URL + "/api", Token: devserver.TokenWrite})
	ctx := testContext(t)

	begins := func(want string) func(*convo.Response, error) {
		return func(response *convo.Response, err error) {
			t.Helper()
			if err != nil || !strings.HasPrefix(string(response.Body), want) {
				t.Errorf("got %.60s, %v; want it to begin with %s", response.Body, err, want)
			}
		}
	}
	begins(`{"workspace":`)(client.Workspace(ctx, "ws_larkspur01", nil))
	begins(`{"members":[`)(client.Members(ctx, "ws_larkspur01"))
	begins(`{"agents":[`)(client.Agents(ctx, nil))
	begins(`{"agent":`)(client.Agent(ctx, "agt_returns"))
	begins(`{"stats":`)(client.AgentStats(ctx, "agt_returns", "allTime"))
	begins(`{"message":"success"`)(client.UpdateSessionAgent(ctx, "ses_orders_open", client.AgentPayload("agt_jobs")))
}
