// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestSeedHasTheDocumentedFields compares the default seed with testdata/fields.txt, which has a line for each field of
// the API's documentation, with a question mark unless the documentation excludes null. It holds that each field always
// has its documented type, has a value in some response, and is null or absent in another if it can be.
func TestSeedHasTheDocumentedFields(t *testing.T) {
	t.Parallel()
	documentation, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	bodies := seededBodies(t)
	for line := range strings.Lines(string(documentation)) {
		field, documented, _ := strings.Cut(strings.TrimSpace(line), " ")
		want, nullable := strings.CutSuffix(documented, "?")
		found := map[string]bool{}
		for _, body := range bodies {
			for _, value := range valuesOf(body, strings.Split(strings.ReplaceAll(field, "[]", ".[]"), ".")) {
				found[typeOf(value)] = true
			}
		}
		if nullable != found["null"] {
			t.Errorf("%s: null is in a response: %t, want %t", field, found["null"], nullable)
		}
		delete(found, "null")
		if len(found) == 0 || want != "any" && (len(found) > 1 || !found[want]) {
			t.Errorf("%s: got values of the types %v, want %s", field, found, want)
		}
	}
}

// seededBodies returns everything that can be read from the default seed.
func seededBodies(t *testing.T) []map[string]any {
	t.Helper()
	targets := []string{"/v1/agents"}
	seed := devserver.DefaultSeed()
	for _, workspace := range seed.Workspaces {
		targets = append(targets, "/v1/workspaces/"+workspace.ID, "/v1/workspaces/"+workspace.ID+"/members")
	}
	for _, agent := range seed.Agents {
		targets = append(targets, "/v1/agents/"+agent.ID, "/v1/agents/"+agent.ID+"/analytics/stats")
	}
	var bodies []map[string]any
	server := devserver.New(seed)
	for _, target := range targets {
		for _, token := range []string{devserver.TokenWrite, devserver.TokenTidepool} {
			recorder := serve(server, newRequest(t, http.MethodGet, target, token))
			var body map[string]any
			if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil || recorder.Code != http.StatusOK {
				t.Fatalf("%s: got %d %s", target, recorder.Code, recorder.Body)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// valuesOf returns the values of a field in a value. An absent field is null.
func valuesOf(value any, path []string) []any {
	if len(path) == 0 {
		return []any{value}
	}
	var values []any
	switch value := value.(type) {
	case map[string]any:
		if member, ok := value[path[0]]; ok || len(path) == 1 {
			return valuesOf(member, path[1:])
		}
	case []any:
		for _, element := range value {
			values = append(values, valuesOf(element, path[1:])...)
		}
	}
	return values
}

// typeOf returns the name of a value's type in testdata/fields.txt.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	}
	return "array"
}
