// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the bytes, there is no panic, an error is one of the two kinds, and
// a value conforms to the type, survives the way to Terraform, and has the
// strings and the free-form content that encoding/json finds.
func FuzzDecode(f *testing.F) {
	for _, document := range []string{
		`{}`, `null`, `[]`, `"text"`, `12`, ``, ` `, `{"name":`, `{"name":"n"} x`,
		`{"name":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80\ud83d","isPastDue":true,"zIndex":-0.5e-7}`,
		"{\"name\":\"\xff\xfe\",\"nodes\":{\"\xff\":1,\"\\u0000\":\"\u2028\"}}",
		`{"nodes":[{"b":1,"a":{"c":[[],{},null,1e400]}},9007199254740993]}`,
		`{"tags":["a",null,1],"notes":[{"x":1},{"text":{}}],"access":{"share":{"token":"t","rules":[]}}}`,
		`{"name":"a","name":"b","nodes":1,"nodes":2,"\u006eodes":3}`,
		`{"zIndex":1e999999999}`, `{"zIndex":"1"}`, `{"tags":{}}`, `{"access":[]}`,
	} {
		f.Add([]byte(document))
	}
	decoder, err := jsonvalue.NewDecoder(thing, jsonvalue.Options{SortBy: map[string][]string{"notes": {"text"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		value, _, err := decoder.Decode(t.Context(), document)
		if err != nil {
			var syntax *jsonvalue.SyntaxError
			var mismatch *jsonvalue.MismatchError
			if errors.As(err, &syntax) == json.Valid(document) || !errors.As(err, &syntax) && !errors.As(err, &mismatch) {
				t.Fatalf("unexpected error %v", err)
			}
			return
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
		if nodes, ok := got["nodes_json"].(string); ok {
			if again := parse(t, nodes); !reflect.DeepEqual(again, want["nodes"]) {
				t.Errorf("got the nodes %v, want %v", again, want["nodes"])
			}
		} else if want["nodes"] != nil {
			t.Errorf("lost the nodes %v", want["nodes"])
		}
	})
}

func parse(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
