// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// responses has all keys of the responses to reads.
type responses struct {
	Workspace       api.Workspace      `json:"workspace"`
	Members         []api.Member       `json:"members"`
	Agents          []api.AgentSummary `json:"agents"`
	Agent           definition.Fields  `json:"agent"`
	CurrentUserMode *string            `json:"currentUserMode" required:"true"`
	Stats           api.AgentStats     `json:"stats"`
}

// The structs of the client, and that of a definition, have exactly the fields that the
// API documents, with the tag required if the documentation excludes null, except in the
// elements of lists.
func TestStructsHaveTheDocumentedFields(t *testing.T) {
	t.Parallel()
	documented := map[string]string{}
	for line := range strings.Lines(readText(t, "../devserver/testdata/fields.txt")) {
		field, fieldType, _ := strings.Cut(strings.TrimSpace(line), " ")
		// A struct has JSON text if the structure of a value, or of a list's elements, is undocumented.
		if json := strings.NewReplacer("any", "JSON", "object", "JSON").Replace(fieldType); json != fieldType {
			field, fieldType = strings.TrimSuffix(field, "[]"), json
		}
		if strings.Contains(field, "[].") {
			fieldType = strings.TrimSuffix(fieldType, "?")
		}
		documented[field] = fieldType
	}
	decoded := map[string]string{}
	addFields(decoded, "", "", reflect.TypeFor[responses]())
	for _, field := range slices.Sorted(maps.Keys(documented)) {
		switch decoded[field] {
		case documented[field]:
		case "":
			t.Errorf("%s is in fields.txt, but no struct has it. Add it to the structs (step 2 of Add an Attribute in ADDING.md). "+
				"Add the client's struct of a new data source to responses in this test", field)
		default:
			t.Errorf("%s is %s in fields.txt, but %s in the struct. Correct its type or its tag required (step 2 of Add an Attribute in ADDING.md)",
				field, documented[field], decoded[field])
		}
		delete(decoded, field)
	}
	for _, field := range slices.Sorted(maps.Keys(decoded)) {
		t.Errorf("%s is in a struct, but not in internal/devserver/testdata/fields.txt. Add it (step 1 of Add an Attribute in ADDING.md)", field)
	}
}

// typeNames are the names of the structs' types in fields.txt.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[*string](): "string", reflect.TypeFor[*bool](): "boolean", reflect.TypeFor[*big.Float](): "number",
	reflect.TypeFor[*jsonvalue.Text](): "JSON",
}

// addFields adds the types of all fields in a type, as fields.txt has them.
func addFields(fields map[string]string, path, null string, in reflect.Type) {
	switch name := typeNames[in]; {
	case name != "":
		fields[path] = name + null
	case in.Kind() == reflect.Pointer:
		addFields(fields, path, null, in.Elem())
	case in.Kind() == reflect.Slice:
		addFields(fields, path+"[]", null, in.Elem())
	case in.Kind() == reflect.Struct:
		for _, field := range reflect.VisibleFields(in) {
			null := "?"
			if field.Tag.Get("required") != "" || strings.Contains(path, "[]") {
				null = ""
			}
			if name := field.Tag.Get("json"); name != "" {
				addFields(fields, strings.TrimPrefix(path+"."+name, "."), null, field.Type)
			}
		}
	default:
		fields[path] = in.String()
	}
}
