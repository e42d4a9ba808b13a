// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// exchange is one request to an operation of openapi.yaml, and the status it is answered with.
type exchange struct {
	operation string            // method and path template
	params    map[string]string // of the path, unescaped
	query     string
	token     string
	body      string
	status    int
	refused   bool // the request itself does not conform
}

func (e exchange) String() string {
	return fmt.Sprintf("%s %v %s %s %.40s", e.operation, e.params, e.query, e.token, e.body)
}

func (e exchange) request(t *testing.T, baseURL string) *http.Request {
	t.Helper()
	method, target, _ := strings.Cut(e.operation, " ")
	for name, value := range e.params {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value))
	}
	request, err := http.NewRequestWithContext(t.Context(), method, baseURL+target+e.query, strings.NewReader(e.body))
	if err != nil {
		t.Fatal(err)
	}
	if e.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if e.token != "" {
		request.Header.Set("Authorization", "Bearer "+e.token)
	}
	return request
}

// loadContract reads openapi.yaml, which must be a valid document itself.
func loadContract(t *testing.T) *openapi3.T {
	t.Helper()
	contract, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := contract.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return contract
}

// requestInput finds the operation of an exchange in the contract.
func requestInput(
	t *testing.T, contract *openapi3.T, e exchange, request *http.Request,
) *openapi3filter.RequestValidationInput {
	t.Helper()
	method, path, _ := strings.Cut(e.operation, " ")
	item := contract.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		t.Fatalf("the contract has no operation %s", e.operation)
	}
	return &openapi3filter.RequestValidationInput{
		Request:    request,
		PathParams: e.params,
		Route: &routers.Route{
			Spec: contract, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method),
		},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
}

// checkResponse compares an answer with the contract.
func checkResponse(
	ctx context.Context, input *openapi3filter.RequestValidationInput, status int, header http.Header, body []byte,
) error {
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status,
		Header:                 header,
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(ctx, response.SetBodyBytes(body))
}

// checkExchange sends the request of an exchange and compares both sides with the contract.
func checkExchange(t *testing.T, contract *openapi3.T, e exchange, baseURL string) {
	t.Helper()
	request := e.request(t, baseURL)
	input := requestInput(t, contract, e, request)
	if err := openapi3filter.ValidateRequest(t.Context(), input); (err != nil) != e.refused {
		t.Errorf("got %v for the request, want it refused: %t", err, e.refused)
	}

	response, err := http.DefaultClient.Do(e.request(t, baseURL))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != e.status {
		t.Errorf("got %d %s, want %d", response.StatusCode, body, e.status)
	}
	if err := checkResponse(t.Context(), input, response.StatusCode, response.Header, body); err != nil {
		t.Errorf("the answer does not conform: %v", err)
	}
}

const (
	getWorkspace  = "GET /v1/workspaces/{workspaceId}"
	getStats      = "GET /v1/agents/{agentId}/analytics/stats"
	listMembers   = "GET /v1/workspaces/{workspaceId}/members"
	listAgents    = "GET /v1/agents"
	updateSession = "POST /v1/sessions/{sessionId}/updateAgent"
	getAgent      = "GET /v1/agents/{agentId}"
)

func workspaceID(id string) map[string]string { return map[string]string{"workspaceId": id} }
func agentID(id string) map[string]string     { return map[string]string{"agentId": id} }
func sessionID(id string) map[string]string   { return map[string]string{"sessionId": id} }

// successes lists an exchange for every answer the default seed has.
func successes() []exchange {
	const ok = http.StatusOK
	var exchanges []exchange
	for _, id := range []string{"ws_larkspur01", "larkspur", "ws_tidepool02"} {
		params := workspaceID(id)
		exchanges = append(exchanges,
			exchange{operation: getWorkspace, params: params, token: devserver.TokenRead, status: ok},
			exchange{operation: getWorkspace, params: params, query: "?getDefault=true", token: devserver.TokenRead, status: ok},
			exchange{operation: listMembers, params: params, token: devserver.TokenRead, status: ok},
		)
	}
	for _, query := range []string{"", "?anything=1&more=x"} {
		exchanges = append(exchanges, exchange{operation: listAgents, query: query, token: devserver.TokenGuest, status: ok})
	}
	for _, agent := range devserver.DefaultSeed().Agents {
		params := agentID(agent.ID)
		for _, token := range []string{devserver.TokenGuest, devserver.TokenRead, devserver.TokenWrite} {
			exchanges = append(exchanges, exchange{operation: getAgent, params: params, token: token, status: ok})
		}
		for _, query := range []string{"", "?timeFilter=today", "?timeFilter=lastMonth", "?timeFilter=allTime"} {
			exchanges = append(exchanges,
				exchange{operation: getStats, params: params, query: query, token: devserver.TokenGuest, status: ok})
		}
	}
	for _, body := range []string{`{"agentId":"agt_jobs"}`, `{"other":[1]}`, `{}`} {
		exchanges = append(exchanges, exchange{
			operation: updateSession, params: sessionID("ses_orders_open"), token: devserver.TokenWrite, body: body, status: ok,
		})
	}
	return exchanges
}

// failures lists an exchange for every error the service answers of itself, all about what is absent.
func failures() []exchange {
	const badRequest, notFound = http.StatusBadRequest, http.StatusNotFound
	exchanges := []exchange{
		{operation: getWorkspace, status: notFound},
		{operation: listMembers, status: notFound},
		{operation: getStats, status: notFound},
		{operation: getAgent, status: notFound},
		{operation: getWorkspace, query: "?getDefault=maybe", status: badRequest, refused: true},
		{operation: getStats, query: "?timeFilter=never", status: badRequest, refused: true},
		{operation: updateSession, body: `[]`, status: badRequest, refused: true},
		{operation: updateSession, body: `{"agentId":7}`, status: badRequest, refused: true},
		{operation: updateSession, body: `{}`, status: badRequest},
	}
	for i := range exchanges {
		exchanges[i].token = devserver.TokenWrite
	}
	for _, e := range []exchange{
		{operation: getWorkspace},
		{operation: getStats},
		{operation: listMembers},
		{operation: listAgents},
		{operation: updateSession, body: `{}`},
		{operation: getAgent},
	} {
		e.status = http.StatusUnauthorized
		exchanges = append(exchanges, e)
		e.token, e.status = devserver.TokenNoAccess, http.StatusForbidden
		exchanges = append(exchanges, e)
	}
	for i := range exchanges {
		exchanges[i].params = map[string]string{"workspaceId": "absent", "agentId": "absent", "sessionId": "absent"}
	}
	return exchanges
}

func TestContract(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	_, baseURL := start(t)

	for _, e := range append(successes(), failures()...) {
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			checkExchange(t, contract, e, baseURL)
		})
	}
}

// TestContractInternalError lets every request end before its answer, which is the one failure the service has itself.
func TestContractInternalError(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	server := devserver.New()
	ended := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		server.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(ended.Close)

	for _, e := range successes() {
		e.status = http.StatusInternalServerError
		checkExchange(t, contract, e, ended.URL)
	}
}

func TestContractOfGeneratedAgents(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	seed := devserver.ManyAgents(40)
	seed.Agents = append(seed.Agents, devserver.LargeAgent("agt_large", 1<<17))
	_, baseURL := start(t, devserver.WithSeed(seed))

	e := exchange{operation: listAgents, token: devserver.TokenGuest, status: http.StatusOK}
	checkExchange(t, contract, e, baseURL)
	for _, agent := range seed.Agents {
		e.params = agentID(agent.ID)
		for _, e.operation = range []string{getAgent, getStats} {
			checkExchange(t, contract, e, baseURL)
		}
	}
}

// TestContractStatesTheOperations compares the operations and the statuses of the document with the interface.
func TestContractStatesTheOperations(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	if got := contract.Info.Version; got != "1.0.1" {
		t.Errorf("got version %s, want 1.0.1", got)
	}

	want := map[string][]string{
		getWorkspace:  {"200", "400", "401", "403", "404", "500"},
		getStats:      {"200", "400", "401", "403", "404", "500"},
		listMembers:   {"200", "400", "401", "403", "404", "500"},
		listAgents:    {"200", "400", "401", "403", "404", "500"},
		updateSession: {"200", "400", "401", "403", "500"},
		getAgent:      {"200", "default"},
	}
	for path, item := range contract.Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			statuses := slices.Sorted(maps.Keys(operation.Responses.Map()))
			if !slices.Equal(statuses, want[name]) {
				t.Errorf("%s: got statuses %v, want %v", name, statuses, want[name])
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}
