// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the bytes, there is no panic, a syntax error means no JSON, and the
// struct has the strings and the JSON text that encoding/json finds and writes.
func FuzzDecode(f *testing.F) {
	for _, document := range []string{
		`{}`, `null`, `[]`, `"text"`, `12`, ``, ` `, `{"name":`, `{"name":"n"} x`,
		`{"name":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80\ud83d","isPastDue":true,"zIndex":-0.5e-7}`,
		"{\"name\":\"\xff\xfe\",\"nodes\":{\"\xff\":1,\"\\u0000\":\"\u2028\"}}",
		`{"nodes":[{"b":1,"a":{"c":[[],{},null,1e400]}},9007199254740993]}`,
		`{"tags":["a",null,1],"notes":[{"x":1},{"text":{}}],"access":{"share":{"token":"t","rules":[]}}}`,
		`{"name":"a","name":"b","nodes":1,"nodes":2,"\u006eodes":3}`,
		`{"nodes":{"b":{"z":1,"a":[{"y":2,"x":{"q":[]}}],"z":3},"a":"\/\u2028\u0000\u001f\b\f","":1,"\u0062":{"d":"\\u","c":2},"A":"\u007f"}}`,
		"{\"nodes\":[\"\u2027\u2028\u2029\u202a\u2030\",{\"\u2028\\\\\\\"\":\"\u2029\",\"\\b\\f\\n\\r\\t\":1,\"â\":2,\"â\u0080\":\"â\u0080\"}]}",
		`{"zIndex":1e999999999}`, `{"zIndex":"1"}`, `{"tags":{}}`, `{"access":[]}`, `{"notes":[[],{}],"access":[[]]}`, `{"more":[1],"total":{}}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if bytes.Count(document, []byte("["))+bytes.Count(document, []byte("{")) > 10_000 {
			return // The limit of nesting has a test of its own.
		}
		if !jsontext.Value(document).IsValid(jsontext.AllowInvalidUTF8(true)) && json.Valid(document) {
			return // Which of equal keys counts is not specified.
		}
		var got thing
		if err := jsonvalue.Decode(document, &got); err != nil {
			if errors.Is(err, jsonvalue.ErrNotJSON) && json.Valid(document) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		if !json.Valid(document) {
			t.Fatal("accepted text that is not JSON")
		}
		var value any
		standard := json.NewDecoder(bytes.NewReader(document))
		standard.UseNumber()
		if err := standard.Decode(&value); err != nil {
			t.Fatal(err)
		}
		want, _ := value.(map[string]any) // null and [] have no members.
		if name, ok := want["name"].(string); ok && (got.Name == nil || *got.Name != name) {
			t.Errorf("got the name %v, want %q", got.Name, name)
		}
		if (want["nodes"] == nil) != (got.Nodes == nil) || got.Nodes != nil && canonical(t, json.RawMessage(*got.Nodes)) != canonical(t, want["nodes"]) {
			t.Errorf("got the nodes %v, want %v", got.Nodes, want["nodes"])
		}
		for key, value := range got.Rest {
			if canonical(t, json.RawMessage(value)) != canonical(t, want[key]) {
				t.Errorf("got %s for %q, want %v", value, key, want[key])
			}
		}
	})
}

// canonical writes a value as encoding/json does.
func canonical(t *testing.T, value any) string {
	t.Helper()
	if raw, ok := value.(json.RawMessage); ok {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
