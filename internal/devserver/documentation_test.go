// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestSeedHasTheDocumentedFields compares the default seed with testdata/fields.txt, which has a line for each field of
// the reads in the API's documentation, with a question mark unless the documentation excludes null. It holds that the
// seed has few other fields, and that each field always has its documented type, has a value in some response, and is null
// or absent in another if it can be.
func TestSeedHasTheDocumentedFields(t *testing.T) {
	t.Parallel()
	const step = "(step 1 of Add an Attribute in ADDING.md)"
	documentation, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	bodies := seededBodies(t)
	// A service can return more than the API documents.
	documented := map[string]bool{
		"agents[].folderId": true, "agent.folder": true, "agent.schemaVersion": true, "agent.graph.viewport": true,
		"agent.canvas.annotations[].opacity": true,
	}
	for line := range strings.Lines(string(documentation)) {
		field, documentedType, _ := strings.Cut(strings.TrimSpace(line), " ")
		documented[field] = true
		want, nullable := strings.CutSuffix(documentedType, "?")
		path := strings.Split(strings.ReplaceAll(field, "[]", ".[]"), ".")
		found := map[string]bool{}
		for _, body := range bodies {
			if _, ok := body[path[0]]; ok {
				for _, value := range valuesOf(body, path) {
					found[typeOf(value)] = true
				}
			}
		}
		hasNull := found["null"]
		delete(found, "null")
		switch {
		case len(found) == 0:
			t.Errorf("%s is in fields.txt, but has no value in the seed. Add one %s", field, step)
		case want != "any" && (len(found) > 1 || !found[want]):
			t.Errorf("%s: the seed has values of the types %v, but fields.txt has %s. Correct one of them %s", field, slices.Sorted(maps.Keys(found)), want, step)
		case nullable && !hasNull:
			t.Errorf("%s can be null in fields.txt, but is never null or absent in the seed. Make it null once %s", field, step)
		case !nullable && hasNull:
			t.Errorf("%s is null or absent in the seed, but has no question mark in fields.txt. Correct one of them %s", field, step)
		}
	}
	undocumented := map[string]bool{}
	for _, body := range bodies {
		for key, value := range body {
			addUndocumented(undocumented, documented, key, value)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(undocumented)) {
		t.Errorf("%s is in the seed, but not in fields.txt. Add it %s", field, step)
	}
}

// addUndocumented adds the fields of a value that are not documented. Nothing is documented about what is inside of a
// documented field.
func addUndocumented(undocumented, documented map[string]bool, field string, value any) {
	if documented[field] {
		return
	}
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for key, member := range value {
			addUndocumented(undocumented, documented, field+"."+key, member)
		}
	case []any:
		for _, element := range value {
			addUndocumented(undocumented, documented, field+"[]", element)
		}
	default:
		undocumented[field] = true
	}
}

// seededBodies returns everything that can be read from the default seed.
func seededBodies(t *testing.T) []map[string]any {
	t.Helper()
	targets := []string{"/v1/agents"}
	seed := devserver.DefaultSeed()
	for _, workspace := range seed.Workspaces {
		targets = append(targets, "/v1/workspaces/"+workspace.ID)
		for name := range workspace.Documents {
			if name != "workspace" && name != "agents" {
				targets = append(targets, "/v1/workspaces/"+workspace.ID+"/"+name)
			}
		}
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
