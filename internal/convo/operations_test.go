// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"math/big"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// send calls an operation with an ID, which some have no use for.
type send func(ctx context.Context, c *convo.Client, id string) (any, error)

// row is an operation of the client.
type row struct {
	body string
	call send
	// response is a response of the service, and result what the operation makes of it.
	response string
	result   any
	// decoded has the fields of a response that are decoded, if the type of the result has not.
	decoded any
	// variants are the operation with optional arguments, by the query that
	// they become.
	variants map[string]send
}

// operations returns the operations of the API's document, each with its row.
func operations(t *testing.T) map[apitest.Operation]row {
	t.Helper()
	byName := rows()
	found := map[apitest.Operation]row{}
	for _, o := range apitest.Operations() {
		if row, ok := byName[o.Name]; ok {
			found[o] = row
		} else {
			t.Errorf("openapi.yaml has the operation %s. Add it to rows() (step 2 of Add a Data Source in ADDING.md)", o.Name)
		}
		delete(byName, o.Name)
	}
	for name := range byName {
		t.Errorf("openapi.yaml has no operation %s. Add it (step 1 of Add a Data Source in ADDING.md)", name)
	}
	return found
}

// rows has a row for each operation.
func rows() map[string]row {
	return map[string]row{
		"getWorkspace": {
			call: func(ctx context.Context, c *convo.Client, id string) (any, error) { return c.Workspace(ctx, id, nil) },
			variants: map[string]send{
				"getDefault=true": func(ctx context.Context, c *convo.Client, id string) (any, error) {
					return c.Workspace(ctx, id, new(true))
				},
			},
			response: `{"workspace":{"id":"w","isPastDue":false,"extras":[]}}`,
			result:   &api.Workspace{ID: new("w"), IsPastDue: new(false), Extras: []*string{}},
		},
		"listMembers": {
			call:     func(ctx context.Context, c *convo.Client, id string) (any, error) { return c.Members(ctx, id) },
			response: `{"members":[{"workspaceId":"w","user":{"email":"e"}},{"role":"r"}],"total":3}`,
			result: &convo.List[api.Member]{
				Elements: []api.Member{{Role: new("r")}, {WorkspaceID: new("w"), User: &api.User{Email: new("e")}}},
				Doubt:    "The response suggests that there are more elements than it lists (evidence: the field total).",
			},
		},
		"listAgents": {
			call: func(ctx context.Context, c *convo.Client, _ string) (any, error) { return c.Agents(ctx, nil) },
			variants: map[string]send{
				"empty=&tag=a+b%26c%3Dd%2Be&%C3%BC%3F=%23%2F%25": func(ctx context.Context, c *convo.Client, _ string) (any, error) {
					return c.Agents(ctx, map[string]string{"tag": "a b&c=d+e", "empty": "", "ü?": "#/%"})
				},
			},
			response: `{"agents":[{"id":"b"},{"id":"a","tags":["t",null]}],"hasMore":true}`,
			result: &convo.List[api.AgentSummary]{
				Elements: []api.AgentSummary{{ID: new("a"), Tags: []*string{new("t"), nil}}, {ID: new("b")}},
				Doubt:    "The response suggests that there are more elements than it lists (evidence: the field hasMore).",
			},
		},
		"getAgent": {
			call: func(ctx context.Context, c *convo.Client, id string) (any, error) {
				response, err := c.Agent(ctx, id)
				if err != nil {
					return nil, err
				}
				return string(response.Body), nil
			},
			response: `{"message":"all well"}`,
			result:   `{"message":"all well"}`,
			decoded: struct {
				Agent           api.Agent `json:"agent" required:"true"`
				CurrentUserMode *string   `json:"currentUserMode" required:"true"`
			}{},
		},
		"getAgentStats": {
			call: func(ctx context.Context, c *convo.Client, id string) (any, error) {
				return c.AgentStats(ctx, id, "")
			},
			variants: map[string]send{
				"timeFilter=today": func(ctx context.Context, c *convo.Client, id string) (any, error) {
					return c.AgentStats(ctx, id, "today")
				},
			},
			response: `{"stats":{"totalViews":7}}`,
			result:   &api.AgentStats{TotalViews: big.NewFloat(7)},
		},
		"updateSessionAgent": {
			body: `{ "agentId" : "agt_jobs" }`,
			call: func(ctx context.Context, c *convo.Client, id string) (any, error) {
				return c.UpdateSessionAgent(ctx, id, []byte(`{ "agentId" : "agt_jobs" }`))
			},
			response: `{"message":"all well"}`,
			result:   "all well",
		},
	}
}

// sameNumber compares numbers by value.
var sameNumber = cmp.Comparer(func(a, b *big.Float) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })

// parameter is a parameter in a path.
var parameter = regexp.MustCompile(`{\w+}`)

func TestOperationsOnTheWire(t *testing.T) {
	t.Parallel()
	for documented, o := range operations(t) {
		variants := map[string]send{"": o.call}
		for query, call := range o.variants {
			variants["?"+query] = call
		}
		for query, call := range variants {
			t.Run(documented.Name+query, func(t *testing.T) {
				t.Parallel()
				server := startService(t, respond(http.StatusOK, o.response))
				logged := &logs{}
				client := newClient(t, convo.Config{
					Log:       logged.log,
					BaseURL:   server.URL + "/api/",
					UserAgent: "terraform-provider-convo/1.2.3 terraform/1.14.0",
					Headers: map[string]string{
						"x-gateway-key": "gateway-secret", "authorization": "Basic other", "accept": "text/html",
					},
				})
				result, err := call(testContext(t), client, "../a?b=c#d;é")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(o.result, result, sameNumber); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
				if got := logged.attempts[0]["operation"]; got != documented.Name { // The pacer groups requests by it.
					t.Errorf("sent as %v, want %s (step 2 of Add a Data Source in ADDING.md)", got, documented.Name)
				}

				header := http.Header{
					"Accept":          {"application/json"},
					"Accept-Encoding": {"gzip"},
					"Authorization":   {"Bearer token-4f1d9c"},
					"User-Agent":      {"terraform-provider-convo/1.2.3 terraform/1.14.0"},
					"X-Gateway-Key":   {"gateway-secret"},
				}
				if documented.Method == http.MethodPost {
					header["Content-Type"] = []string{"application/json"}
					header["Content-Length"] = []string{"26"}
					header["Connection"] = []string{"close"}
				}
				path := parameter.ReplaceAllString(documented.Path, "..%2Fa%3Fb=c%23d%3B%C3%A9")
				want := []apitest.Request{{Method: documented.Method, URI: "/api" + path + query, Header: header, Body: o.body}}
				if diff := cmp.Diff(want, server.Requests()); diff != "" {
					t.Errorf("on the wire (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestStatsPeriodParameter(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(http.StatusOK, `{"stats":{}}`))
	server.Exempt("the API does not document the parameter's name")
	client := newClient(t, convo.Config{BaseURL: server.URL, StatsPeriodParameter: "time range"})
	if _, err := client.AgentStats(testContext(t), "agt_1", "allTime"); err != nil {
		t.Fatal(err)
	}
	if got := server.Requests()[0].URI; got != "/v1/agents/agt_1/analytics/stats?time+range=allTime" {
		t.Errorf("got %s", got)
	}
}

func TestAgentPayload(t *testing.T) {
	t.Parallel()
	for agentID, want := range map[*string]string{nil: `{}`, new("a\"b\n"): `{"agentId":"a\"b\n"}`, new(""): `{"agentId":""}`} {
		if got := convo.AgentPayload(agentID); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
