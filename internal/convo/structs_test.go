// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// The structs of responses have exactly the documented fields, with the tag required if a field is always there and never null.
func TestStructsHaveTheDocumentedFields(t *testing.T) {
	t.Parallel()
	for o, row := range operations(t) {
		documented, decoded := documentedFields(o), decodedFields(o, row)
		for _, field := range slices.Sorted(maps.Keys(documented)) {
			switch decoded[field] {
			case documented[field]:
			case "":
				t.Errorf("%s: %s is in openapi.yaml, but not in the struct. Add it (step 2 of Add an Attribute in ADDING.md)", o.Name, field)
			default:
				t.Errorf("%s: %s is %s in openapi.yaml, but %s in the struct. Correct its type or its tags (step 2 of Add an Attribute in ADDING.md)",
					o.Name, field, documented[field], decoded[field])
			}
			delete(decoded, field)
		}
		for _, field := range slices.Sorted(maps.Keys(decoded)) {
			t.Errorf("%s: %s is in the struct, but not in openapi.yaml. Add it (step 1 of Add an Attribute in ADDING.md)", o.Name, field)
		}
	}
}

// documentedFields returns the types of a response's fields as structs have them.
func documentedFields(o apitest.Operation) map[string]string {
	fields := o.Fields()
	hasMembers := func(object string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(field string) bool { return strings.HasPrefix(field, object+".") })
	}
	found := map[string]string{}
	for field, name := range fields {
		name, isNullable := strings.CutSuffix(name, "?")
		element := strings.TrimSuffix(fields[field+"[]"], "?")
		// A struct has JSON text if the structure of a value, or of a list's elements, is undocumented.
		if name == "any" || name == "object" && !hasMembers(field) || element == "any" {
			name = "JSON"
		}
		if strings.HasSuffix(field, "[]") {
			if name != "JSON" {
				found[field] = name // Elements have no tag.
			}
		} else if found[field] = name; isNullable {
			found[field] += "?"
		}
	}
	return found
}

// decodedFields returns the types of a response's fields in the struct to which it is decoded.
func decodedFields(o apitest.Operation, row row) map[string]string {
	fields := map[string]string{}
	if row.decoded != nil {
		addFields(fields, "", "", reflect.TypeOf(row.decoded))
		delete(fields, "")
		return fields
	}
	decoded := reflect.Indirect(reflect.ValueOf(row.result))
	if decoded.Kind() == reflect.Struct && decoded.FieldByName("Elements").IsValid() {
		decoded = decoded.FieldByName("Elements")
	}
	for field := range o.Fields() {
		if !strings.ContainsAny(field, ".[") { // the only key of the response
			addFields(fields, field, "", decoded.Type())
		}
	}
	return fields
}

var typeNames = map[reflect.Type]string{
	reflect.TypeFor[string](): "string", reflect.TypeFor[bool](): "boolean", reflect.TypeFor[big.Float](): "number",
	reflect.TypeFor[jsonvalue.JSON](): "JSON",
}

// addFields adds the types of a value and of everything inside of it.
func addFields(fields map[string]string, path, null string, in reflect.Type) {
	switch name := typeNames[in]; {
	case name != "":
		fields[path] = name + null
	case in.Kind() == reflect.Pointer:
		addFields(fields, path, null, in.Elem())
	case in.Kind() == reflect.Slice:
		fields[path] = "array" + null
		addFields(fields, path+"[]", "", in.Elem())
	case in.Kind() == reflect.Struct:
		fields[path] = "object" + null
		for _, field := range reflect.VisibleFields(in) {
			null := "?"
			if field.Tag.Get("required") != "" {
				null = ""
			}
			name, state := field.Tag.Get("json"), field.Tag.Get("tfsdk")
			if name == "" {
				continue
			}
			at := strings.TrimPrefix(path+"."+name, ".")
			addFields(fields, at, null, field.Type)
			// An audit's JSON, which has the names of the state, could not be read otherwise.
			if state = strings.ReplaceAll(strings.TrimSuffix(state, "_json"), "_", ""); state != "" && !strings.EqualFold(name, state) {
				fields[at] += " with other words in the tag tfsdk"
			}
		}
	default:
		fields[path] = in.String()
	}
}
