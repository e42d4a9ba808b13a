// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// exchange is a request to an operation of openapi.yaml, and the status of its response.
type exchange struct {
	operation string            // method and path template
	params    map[string]string // of the path, unescaped
	query     string            // with its question mark
	token     string
	body      string
	status    int
	refused   bool // the request itself does not conform
}

func (e exchange) String() string {
	return fmt.Sprintf("%s %v %s %s %.40s: %d", e.operation, e.params, e.query, e.token, e.body, e.status)
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

// operationsOf returns the operations of a contract by method and path.
func operationsOf(contract *openapi3.T) map[string]*openapi3.Operation {
	operations := map[string]*openapi3.Operation{}
	for path, item := range contract.Paths.Map() {
		for method, operation := range item.Operations() {
			operations[method+" "+path] = operation
		}
	}
	return operations
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

// checkResponse compares a response with the contract.
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
		if e.status == http.StatusOK && response.StatusCode == http.StatusNotFound {
			t.Error("add an example of the response to openapi.yaml, or a function to dispatch in server.go")
		}
	}
	if err := checkResponse(t.Context(), input, response.StatusCode, response.Header, body); err != nil {
		t.Errorf("the response does not conform: %v", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	baseURL := start(t)

	for name, operation := range operationsOf(contract) {
		accepted := acceptedExchanges(t, name, operation)
		for _, e := range slices.Concat(accepted, refusedExchanges(t, name, operation, accepted[0])) {
			t.Run(e.String(), func(t *testing.T) {
				t.Parallel()
				checkExchange(t, contract, e, baseURL)
			})
		}
	}
}

// TestSeedHasEveryField holds that the default seed, or an example, has each field of openapi.yaml with a value, each list with an
// element, and each nullable field that is neither an object nor a list with null.
func TestSeedHasEveryField(t *testing.T) {
	t.Parallel()
	server := devserver.New(devserver.DefaultSeed())
	for name, operation := range operationsOf(loadContract(t)) {
		if operation.Responses.Status(http.StatusOK) == nil {
			t.Fatalf("%s: openapi.yaml has no response 200", name)
		}
		schema := operation.Responses.Status(http.StatusOK).Value.Content["application/json"].Schema.Value
		missing := map[string]bool{}
		for _, e := range acceptedExchanges(t, name, operation) {
			recorder := serve(server, e.request(t, ""))
			if recorder.Code != http.StatusOK {
				continue // TestContract reports it
			}
			var body any
			if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			checkFields(schema, "", body, missing)
		}
		for what, isMissing := range missing {
			// No agent can be read without its ID.
			if isMissing && what != "null for agents[].id in the default seed or the example" {
				t.Errorf("%s: there is no %s", name, what)
			}
		}
	}
}

// checkFields notes what of a value and the values in it is missing in all responses so far.
func checkFields(schema *openapi3.Schema, path string, value any, missing map[string]bool) {
	if schema.Type == nil {
		missing["type for "+path+" in openapi.yaml. If it can be anything, refer to AnyValue"] = true
		return
	}
	note := func(what string, found bool) {
		what += " in the default seed or the example"
		if before, noted := missing[what]; !noted || before {
			missing[what] = !found
		}
	}
	unspecified := len(*schema.Type) > 2
	if schema.Type.Permits(openapi3.TypeNull) && (unspecified || !schema.Type.Permits(openapi3.TypeObject) && !schema.Type.Permits(openapi3.TypeArray)) {
		note("null for "+path, value == nil)
	}
	note("value for "+path, value != nil)
	if array, ok := value.([]any); ok && !unspecified {
		note("element in "+path, len(array) > 0)
		for _, element := range array {
			checkFields(schema.Items.Value, path+"[]", element, missing)
		}
	}
	object, _ := value.(map[string]any)
	for name, property := range schema.Properties {
		if object != nil {
			checkFields(property.Value, strings.TrimPrefix(path+"."+name, "."), object[name], missing)
		}
	}
}

// TestContractInternalError holds that the response of [devserver.ErrorHandler] conforms, too.
func TestContractInternalError(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	baseURL := startHandler(t, devserver.ErrorHandler(http.StatusInternalServerError))
	for name, operation := range operationsOf(contract) {
		e := acceptedExchanges(t, name, operation)[0]
		e.status = http.StatusInternalServerError
		checkExchange(t, contract, e, baseURL)
	}
}

func TestContractOfGeneratedAgents(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	seed := devserver.ManyAgents(4)
	seed.Agents = append(seed.Agents, devserver.LargeAgent("agt_large", 1<<17))
	baseURL := startHandler(t, devserver.New(seed))

	e := exchange{operation: listAgents, token: devserver.TokenGuest, status: http.StatusOK}
	checkExchange(t, contract, e, baseURL)
	for _, agent := range seed.Agents {
		e.params = map[string]string{"agentId": agent.ID}
		for _, e.operation = range []string{getAgent, getStats} {
			checkExchange(t, contract, e, baseURL)
		}
	}
}

// TestContractStatesTheStatuses compares version and statuses of openapi.yaml with the API's documentation.
func TestContractStatesTheStatuses(t *testing.T) {
	t.Parallel()
	contract := loadContract(t)
	if got := contract.Info.Version; got != "1.0.1" {
		t.Errorf("got version %s, want 1.0.1", got)
	}

	unusual := map[string][]string{
		updateSession: {"200", "400", "401", "403", "500"},
		getAgent:      {"200", "default"},
	}
	for name, operation := range operationsOf(contract) {
		want := unusual[name]
		if want == nil {
			want = []string{"200", "400", "401", "403", "404", "500"}
		}
		if got := slices.Sorted(maps.Keys(operation.Responses.Map())); !slices.Equal(got, want) {
			t.Errorf("%s: got statuses %v, want %v", name, got, want)
		}
	}
}
