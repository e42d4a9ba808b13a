// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// send calls an operation with an ID, which some have no use for. Its arguments
// are in a method's order, so that a method of the client is one.
type send func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error)

// row is an operation of the client, as it has to be on the wire.
type row struct {
	name   string // of the method
	noun   string // what its errors begin with
	method string
	path   string // with {id} instead of the ID
	body   string
	call   send
	// id is an ID of the development server, and begins what it returns.
	id, begins string
	// variants are the operation with optional arguments, by the query that
	// they become.
	variants map[string]send
}

// operations has a row for each operation but those like Members: the tests of
// requests, IDs and errors run over it.
func operations() []row {
	yes, no := true, false
	return []row{
		{
			name: "Workspace", noun: "read workspace", method: http.MethodGet, path: "/v1/workspaces/{id}",
			call: func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
				return c.Workspace(ctx, id, nil)
			},
			variants: map[string]send{
				"getDefault=true": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.Workspace(ctx, id, &yes)
				},
				"getDefault=false": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.Workspace(ctx, id, &no)
				},
			},
			id: "ws_larkspur01", begins: `{"workspace":{`,
		},
		{
			name: "Members", noun: "list members", method: http.MethodGet, path: "/v1/workspaces/{id}/members",
			call: (*convo.Client).Members, id: "ws_larkspur01", begins: `{"members":[`,
		},
		{
			name: "Agents", noun: "list agents", method: http.MethodGet, path: "/v1/agents",
			call: func(c *convo.Client, ctx context.Context, _ string) (*convo.Response, error) {
				return c.Agents(ctx, nil)
			},
			variants: map[string]send{
				"empty=&tag=a+b%26c%3Dd%2Be&%C3%BC%3F=%23%2F%25": func(c *convo.Client, ctx context.Context, _ string) (*convo.Response, error) {
					return c.Agents(ctx, map[string]string{"tag": "a b&c=d+e", "empty": "", "ü?": "#/%"})
				},
			},
			begins: `{"agents":[`,
		},
		{
			name: "Agent", noun: "read agent", method: http.MethodGet, path: "/v1/agents/{id}",
			call: func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
				return c.Agent(ctx, id, nil)
			},
			variants: map[string]send{
				"a+b=c%26d": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.Agent(ctx, id, map[string]string{"a b": "c&d"})
				},
			},
			id: "agt_returns", begins: `{"agent":{`,
		},
		{
			name: "AgentStats", noun: "read agent statistics", method: http.MethodGet, path: "/v1/agents/{id}/analytics/stats",
			call: func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
				return c.AgentStats(ctx, id, "", nil)
			},
			variants: map[string]send{
				"timeFilter=last7Days": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.AgentStats(ctx, id, "last7Days", nil)
				},
				"timeFilter=today&x=y": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.AgentStats(ctx, id, "today", map[string]string{"x": "y", "timeFilter": "allTime"})
				},
				"timeFilter=allTime": func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
					return c.AgentStats(ctx, id, "", map[string]string{"timeFilter": "allTime"})
				},
			},
			id: "agt_returns", begins: `{"stats":{`,
		},
		{
			name: "UpdateSessionAgent", noun: "update session agent", method: http.MethodPost,
			path: "/v1/sessions/{id}/updateAgent", body: `{ "agentId" : "agt_jobs" }`,
			call: func(c *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
				return c.UpdateSessionAgent(ctx, id, []byte(`{ "agentId" : "agt_jobs" }`))
			},
			id: "ses_orders_open", begins: `{"message":"success"`,
		},
	}
}

// TestEveryOperationHasARow finds operations by what they return. A read that
// takes only an ID differs from Members in its path, which the provider's tests
// check.
func TestEveryOperationHasARow(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, o := range operations() {
		rows[o.name] = true
	}
	client := reflect.TypeFor[*convo.Client]()
	returns := []reflect.Type{reflect.TypeFor[*convo.Response](), reflect.TypeFor[error]()}
	for i := range client.NumMethod() {
		method := client.Method(i)
		if method.Type.NumOut() != 2 || method.Type.Out(0) != returns[0] || method.Type.Out(1) != returns[1] {
			continue
		}
		if !rows[method.Name] && !method.Type.AssignableTo(reflect.TypeFor[send]()) {
			t.Errorf("the operation %s has no row in operations()", method.Name)
		}
		delete(rows, method.Name)
	}
	for name := range rows {
		t.Errorf("the client has no operation %s", name)
	}
}

func TestOperationsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, o := range operations() {
		variants := map[string]send{"": o.call}
		for query, call := range o.variants {
			variants["?"+query] = call
		}
		for query, call := range variants {
			t.Run(o.name+query, func(t *testing.T) {
				t.Parallel()
				const document = `{"message":"all well"}`
				server := startService(t, respond(http.StatusOK, document))
				client := newClient(t, convo.Config{
					BaseURL:   server.URL + "/api/",
					UserAgent: "terraform-provider-convo/1.2.3 terraform/1.14.0",
					Headers: map[string]string{
						"x-gateway-key": "gateway-secret", "authorization": "Basic other", "accept": "text/html",
					},
				})
				response, err := call(client, testContext(t), "id_1")
				if err != nil {
					t.Fatal(err)
				}
				path := "/api" + strings.Replace(o.path, "{id}", "id_1", 1)
				if diff := cmp.Diff(&convo.Response{Body: []byte(document), URL: server.URL + path}, response, cmpopts.IgnoreUnexported(convo.Response{})); diff != "" {
					t.Errorf("response (-want +got):\n%s", diff)
				}

				header := http.Header{
					"Accept":          {"application/json"},
					"Accept-Encoding": {"gzip"},
					"Authorization":   {"Bearer token-4f1d9c"},
					"User-Agent":      {"terraform-provider-convo/1.2.3 terraform/1.14.0"},
					"X-Gateway-Key":   {"gateway-secret"},
				}
				if o.method == http.MethodPost {
					header["Content-Type"] = []string{"application/json"}
					header["Content-Length"] = []string{"26"}
					header["Connection"] = []string{"close"}
				}
				want := []request{{o.method, path + query, header, o.body}}
				if diff := cmp.Diff(want, server.received()); diff != "" {
					t.Errorf("on the wire (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestErrorOfEachOperation(t *testing.T) {
	t.Parallel()
	for _, o := range operations() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusForbidden, ``))
			_, err := o.call(newClient(t, convo.Config{BaseURL: server.URL}), testContext(t), "id")
			if want := o.noun + ": the service returned 403 Forbidden"; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// TestEmptyResponse: a body that is missing is not one that is malformed.
func TestEmptyResponse(t *testing.T) {
	t.Parallel()
	for _, o := range operations() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, withHeader("X-Request-Id", "req-1", respond(http.StatusOK, "\r\n ")))
			_, err := o.call(newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}), testContext(t), "id")
			var empty *convo.ResponseError
			if !errors.As(err, &empty) || !errors.Is(empty.Err, convo.ErrEmpty) || empty.Status != 200 || empty.RequestID != "req-1" {
				t.Errorf("got %v, want ErrEmpty", err)
			}
			server.expectRequests(t, 1)
		})
	}
}

// TestDevelopmentServer holds that client and development server agree about the
// API: they share no code.
func TestDevelopmentServer(t *testing.T) {
	t.Parallel()
	server := startService(t, http.StripPrefix("/api", devserver.New(devserver.DefaultSeed())))
	client := newClient(t, convo.Config{BaseURL: server.URL + "/api", Token: devserver.TokenWrite})
	for _, o := range operations() {
		response, err := o.call(client, testContext(t), o.id)
		if err != nil {
			t.Errorf("%s: %v", o.name, err)
		} else if !strings.HasPrefix(string(response.Body), o.begins) {
			t.Errorf("%s: got %.60s, want it to begin with %s", o.name, response.Body, o.begins)
		}
	}
	if convo.Success != "success" {
		t.Errorf("got %q for the message of a success", convo.Success)
	}
}

func TestStatsPeriodParameter(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(http.StatusOK, `{}`))
	client := newClient(t, convo.Config{BaseURL: server.URL, StatsPeriodParameter: "time range"})
	if _, err := client.AgentStats(testContext(t), "agt_1", "allTime", nil); err != nil {
		t.Fatal(err)
	}
	if got := server.received()[0].URI; got != "/v1/agents/agt_1/analytics/stats?time+range=allTime" {
		t.Errorf("got %s", got)
	}
}

func TestAgentPayload(t *testing.T) {
	t.Parallel()
	for agentID, want := range map[string]string{"agt_1": `{"agentId":"agt_1"}`, "": `{}`, "a\"b\n": `{"agentId":"a\"b\n"}`} {
		if got := convo.AgentPayload(agentID); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
