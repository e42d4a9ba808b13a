// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// undocumentedFields are in the seed, because a service can return more than the API documents.
var undocumentedFields = []string{
	"agents[].folderId", "agent.folder", "agent.schemaVersion", "agent.graph.viewport", "agent.canvas.annotations[].opacity",
}

// alwaysInSeed are the fields that could be null, but identify objects of the seed.
var alwaysInSeed = []string{"agents[].id"}

// TestSeedHasTheDocumentedFields compares the default seed with the document: it has few other fields. Each documented
// field has a value in some response, and is null or absent in another if it can be.
func TestSeedHasTheDocumentedFields(t *testing.T) {
	t.Parallel()
	const step = "(step 1 of Add an Attribute in ADDING.md)"
	for _, o := range apitest.Operations() {
		if o.Method != http.MethodGet {
			continue
		}
		bodies := seededBodies(t, o)
		fields := o.Fields()
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			hasValue, hasNull := false, false
			for _, body := range bodies {
				for _, value := range valuesOf(body, strings.Split(strings.ReplaceAll(field, "[]", ".[]"), ".")) {
					hasValue, hasNull = hasValue || value != nil, hasNull || value == nil
				}
			}
			canBeNull := strings.HasSuffix(fields[field], "?") && !slices.Contains(alwaysInSeed, field)
			if !hasValue {
				t.Errorf("%s: %s is in openapi.yaml, but has no value in the seed. Add one %s", o.Name, field, step)
			}
			if canBeNull && !hasNull {
				t.Errorf("%s: %s can be null, but is never null or absent in the seed. Make it null once %s", o.Name, field, step)
			}
		}
		undocumented := map[string]bool{}
		for _, body := range bodies {
			for key, value := range body {
				addUndocumented(undocumented, fields, key, value)
			}
		}
		for _, field := range slices.Sorted(maps.Keys(undocumented)) {
			t.Errorf("%s: %s is in the seed, but not in openapi.yaml. Add it %s", o.Name, field, step)
		}
	}
}

// addUndocumented adds the fields of a value that are not documented. Nothing is documented about what is inside of a
// value without a documented structure.
func addUndocumented(undocumented map[string]bool, fields map[string]string, field string, value any) {
	object, _ := value.(map[string]any)
	list, _ := value.([]any)
	isInside := func(other string) bool { return strings.HasPrefix(other, field+".") || other == field+"[]" }
	switch {
	case slices.Contains(undocumentedFields, field):
	case fields[field] == "":
		undocumented[field] = true
	case slices.ContainsFunc(slices.Collect(maps.Keys(fields)), isInside):
		for key, member := range object {
			addUndocumented(undocumented, fields, field+"."+key, member)
		}
		for _, element := range list {
			addUndocumented(undocumented, fields, field+"[]", element)
		}
	}
}

// seededBodies returns every response to an operation that the default seed has.
func seededBodies(t *testing.T, o apitest.Operation) []map[string]any {
	t.Helper()
	ids := map[string][]string{"": {""}}
	seed := devserver.DefaultSeed()
	for _, workspace := range seed.Workspaces {
		ids["{workspaceId}"] = append(ids["{workspaceId}"], workspace.ID)
	}
	for _, agent := range seed.Agents {
		ids["{agentId}"] = append(ids["{agentId}"], agent.ID)
	}
	var bodies []map[string]any
	server := devserver.New(seed)
	parameter := regexp.MustCompile(`{\w+}`).FindString(o.Path)
	for _, id := range ids[parameter] {
		for _, token := range []string{devserver.TokenWrite, devserver.TokenTidepool} {
			response := send(t, server, o.Method, strings.Replace(o.Path, parameter, id, 1), "Bearer "+token, "")
			var body map[string]any
			if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil || response.Code != http.StatusOK {
				t.Fatalf("%s of %s: got %d %s", o.Name, id, response.Code, response.Body)
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
