// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// seededIDs returns the IDs of the default seed that a path parameter accepts.
func seededIDs(t *testing.T, parameter string) []string {
	t.Helper()
	var ids []string
	seed := devserver.DefaultSeed()
	switch parameter {
	case "workspaceId":
		for _, workspace := range seed.Workspaces {
			ids = append(ids, workspace.ID)
			if workspace.Slug != "" {
				ids = append(ids, workspace.Slug)
			}
		}
	case "agentId":
		for _, agent := range seed.Agents {
			ids = append(ids, agent.ID)
		}
	case "sessionId":
		for _, session := range seed.Sessions {
			if session.Active {
				ids = append(ids, session.ID)
			}
		}
	default:
		t.Fatalf("openapi.yaml has the path parameter %s: add its IDs of the default seed to seededIDs", parameter)
	}
	return ids
}

// tokens returns the tokens of the default seed whose mode is at least the one that an operation states in openapi.yaml,
// and the other tokens.
func tokens(t *testing.T, name string, operation *openapi3.Operation) (sufficient, insufficient []string) {
	t.Helper()
	var needed []string
	if operation.Security != nil && len(*operation.Security) == 1 {
		needed = (*operation.Security)[0]["bearer"]
	}
	modes := []devserver.Mode{devserver.ModeNone, devserver.ModeGuest, devserver.ModeRead, devserver.ModeWrite}
	if len(needed) != 1 || !slices.Contains(modes[1:], devserver.Mode(needed[0])) {
		t.Fatalf("%s: openapi.yaml must state `security: [{bearer: [MODE]}]` with one of the modes %v", name, modes[1:])
	}
	callers := devserver.DefaultSeed().Callers
	for _, token := range slices.Sorted(maps.Keys(callers)) {
		if slices.Index(modes, callers[token].Mode) >= slices.Index(modes, devserver.Mode(needed[0])) {
			sufficient = append(sufficient, token)
		} else {
			insufficient = append(insufficient, token)
		}
	}
	return sufficient, insufficient
}

// queries returns queries that an operation accepts, and queries that it does not.
func queries(operation *openapi3.Operation) (accepted, refused []string) {
	for _, parameter := range operation.Parameters {
		if parameter.Value.In != openapi3.ParameterInQuery {
			continue
		}
		set := "?" + parameter.Value.Name + "="
		switch schema := parameter.Value.Schema.Value; {
		case len(schema.Enum) > 0:
			for _, value := range schema.Enum {
				accepted = append(accepted, set+fmt.Sprint(value))
			}
			refused = append(refused, set+"never")
		case schema.Type.Is(openapi3.TypeBoolean):
			accepted = append(accepted, set+"true", set+"false")
			refused = append(refused, set+"maybe")
		case schema.Type.Is(openapi3.TypeObject): // any name and value
			accepted = append(accepted, "?anything=1&more=x")
		}
	}
	return accepted, refused
}

// bodies returns the example bodies of an operation, or an empty body for an operation without one.
func bodies(t *testing.T, name string, operation *openapi3.Operation) []string {
	t.Helper()
	if operation.RequestBody == nil {
		return []string{""}
	}
	named := operation.RequestBody.Value.Content["application/json"].Examples
	var examples []string
	for _, example := range slices.Sorted(maps.Keys(named)) {
		body, err := json.Marshal(named[example].Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, string(body))
	}
	if len(examples) == 0 {
		t.Fatalf("%s: openapi.yaml must have an example of the request body", name)
	}
	return examples
}

// acceptedExchanges returns exchanges for everything that the default seed has for an operation: each ID, and for one
// ID also each token that suffices, each query and each body.
func acceptedExchanges(t *testing.T, name string, operation *openapi3.Operation) []exchange {
	t.Helper()
	sufficient, _ := tokens(t, name, operation)
	accepted, _ := queries(operation)
	examples := bodies(t, name, operation)

	plain := exchange{operation: name, token: sufficient[0], body: examples[0], status: http.StatusOK}
	exchanges := []exchange{plain}
	for _, parameter := range operation.Parameters {
		if parameter.Value.In != openapi3.ParameterInPath {
			continue
		}
		exchanges = nil
		for _, id := range seededIDs(t, parameter.Value.Name) {
			e := plain
			e.params = map[string]string{parameter.Value.Name: id}
			exchanges = append(exchanges, e)
		}
	}
	if len(exchanges) == 0 {
		t.Fatalf("%s: the default seed has no ID for it", name)
	}

	plain = exchanges[0]
	for _, token := range sufficient[1:] {
		e := plain
		e.token = token
		exchanges = append(exchanges, e)
	}
	for _, query := range accepted {
		e := plain
		e.query = query
		exchanges = append(exchanges, e)
	}
	for _, body := range examples[1:] {
		e := plain
		e.body = body
		exchanges = append(exchanges, e)
	}
	return exchanges
}

// refusedExchanges returns an exchange for each way to spoil an accepted one: no token or a wrong one, a token whose mode
// does not suffice, an ID that is not in the seed, a query and a body that do not conform.
func refusedExchanges(t *testing.T, name string, operation *openapi3.Operation, accepted exchange) []exchange {
	t.Helper()
	var exchanges []exchange
	add := func(status int, spoil func(*exchange)) {
		e := accepted
		e.status = status
		spoil(&e)
		exchanges = append(exchanges, e)
	}

	for _, token := range []string{"", "wrong-token"} {
		add(http.StatusUnauthorized, func(e *exchange) { e.token = token })
	}
	_, insufficient := tokens(t, name, operation)
	for _, token := range insufficient {
		add(http.StatusForbidden, func(e *exchange) { e.token = token })
	}
	for parameter := range accepted.params {
		status := http.StatusNotFound
		if operation.Responses.Status(status) == nil && operation.Responses.Default() == nil {
			status = http.StatusBadRequest // the operation lists no 404
		}
		add(status, func(e *exchange) { e.params = map[string]string{parameter: "absent"} })
	}
	_, refused := queries(operation)
	for _, query := range refused {
		add(http.StatusBadRequest, func(e *exchange) { e.query, e.refused = query, true })
	}
	if accepted.body != "" {
		add(http.StatusBadRequest, func(e *exchange) { e.body, e.refused = `[]`, true })
	}
	return exchanges
}
