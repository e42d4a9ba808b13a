// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the bytes, there is no panic, a syntax error means no JSON, and
// a value conforms to the type, survives the way to Terraform, and has the
// strings and the JSON text that encoding/json finds and writes.
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
		`{"nodes":[{"secret":{"x":1},"z":1,"a":{"secret":2}},[[{"s\u0065cret":"x","secret":"y"}]],"secret"],"more":[1],"more":{}}`,
		`{"zIndex":1e999999999}`, `{"zIndex":"1"}`, `{"tags":{}}`, `{"access":[]}`,
	} {
		f.Add([]byte(document))
	}
	decoder, err := jsonvalue.NewDecoder(thing)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if bytes.Count(document, []byte("["))+bytes.Count(document, []byte("{")) > 10_000 {
			return // The limit of nesting has a test of its own.
		}
		if !jsontext.Value(document).IsValid(jsontext.AllowInvalidUTF8(true)) && json.Valid(document) {
			return // Which of equal keys counts is not specified.
		}
		value, rest, err := decoder.Decode(document)
		if err != nil {
			if errors.Is(err, jsonvalue.ErrNotJSON) && json.Valid(document) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		if !json.Valid(document) {
			t.Fatal("accepted text that is not JSON")
		}
		dynamic, err := tfprotov6.NewDynamicValue(thing, value)
		if err != nil {
			t.Fatal(err)
		}
		arrived, err := dynamic.Unmarshal(thing)
		if err != nil {
			t.Fatal(err)
		}
		if !arrived.Equal(value) || !arrived.IsFullyKnown() {
			t.Fatalf("%s arrived as %s", value, arrived)
		}

		var want map[string]any
		standard := json.NewDecoder(bytes.NewReader(document))
		standard.UseNumber()
		if err := standard.Decode(&want); err != nil {
			t.Fatal(err)
		}
		got := plain(t, value).(map[string]any)
		if text, ok := want["name"].(string); ok && got["name"] != text {
			t.Errorf("got the name %q, want %q", got["name"], text)
		}
		text, _ := got["nodes_json"].(string)
		if (want["nodes"] == nil) != (text == "") || text != "" && canonical(t, json.RawMessage(text)) != canonical(t, want["nodes"]) {
			t.Errorf("got the nodes %s, want %v", text, want["nodes"])
		}
		for key, value := range want {
			raw, found := rest[key]
			if found == slices.Contains([]string{"name", "isPastDue", "zIndex", "nodes", "tags", "notes", "access"}, key) {
				t.Errorf("got %q among the other members: %v", key, found)
			}
			if found && canonical(t, raw) != canonical(t, value) {
				t.Errorf("got %s for %q, want %v", raw, key, value)
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
