// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// thing has a field of every kind, nested in every way.
type thing struct {
	Name      *string         `json:"name"`
	IsPastDue *bool           `json:"isPastDue"`
	ZIndex    *big.Float      `json:"zIndex"`
	Nodes     *jsonvalue.JSON `json:"nodes"`
	Tags      []*string       `json:"tags"`
	Notes     []note          `json:"notes"`
	Access    *access         `json:"access"`
	// Rest has the members without a field.
	Rest map[string]jsontext.Value `json:",embed"`
}

type note struct {
	X    *big.Float `json:"x"`
	Text *string    `json:"text"`
}

type access struct {
	Share *share `json:"share"`
}

type share struct {
	Token *string         `json:"token"`
	Rules *jsonvalue.JSON `json:"rules"`
}

func text(value string) *jsonvalue.JSON { return new(jsonvalue.JSON(value)) }

// compareNumbers compares numbers by their values.
var compareNumbers = cmp.Comparer(func(a, b *big.Float) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Cmp(b) == 0
})

func TestDecode(t *testing.T) {
	t.Parallel()
	rest := func(name, value string) map[string]jsontext.Value {
		return map[string]jsontext.Value{name: jsontext.Value(value)}
	}
	tests := map[string]struct {
		document string
		want     thing
	}{
		"an absent key is nil":            {`{}`, thing{}},
		"null is nil":                     {`{"name":null,"isPastDue":null,"zIndex":null,"nodes":null,"tags":null,"notes":null,"access":null}`, thing{}},
		"an empty string stays one":       {`{"name":""}`, thing{Name: new("")}},
		"an empty array is an empty list": {`{"tags":[],"notes":[]}`, thing{Tags: []*string{}, Notes: []note{}}},
		"an empty object is an object":    {`{"access":{}}`, thing{Access: &access{}}},
		"false and zero are values":       {`{"isPastDue":false,"zIndex":0}`, thing{IsPastDue: new(false), ZIndex: big.NewFloat(0)}},
		"unknown keys are returned":       {`{"more": {"name":"x","deep":[["]}"]]} ,"name":"n"}`, thing{Name: new("n"), Rest: rest("more", `{"name":"x","deep":[["]}"]]}`)}},
		"unknown keys in objects are not": {`{"access":{"more":1},"notes":[{"more":1}]}`, thing{Access: &access{}, Notes: []note{{}}}},
		"null elements of lists":          {`{"tags":["a",null],"notes":[null,{}]}`, thing{Tags: []*string{new("a"), nil}, Notes: []note{{}, {}}}},
		"nested objects": {
			`{"access":{"share":{"token":"t","rules":{"b":1,"a":[]}}}}`,
			thing{Access: &access{&share{Token: new("t"), Rules: text(`{"a":[],"b":1}`)}}},
		},
		"lists keep their order": {
			`{"notes":[{"x":2,"text":"b"},{"x":1,"text":"a"}]}`,
			thing{Notes: []note{{big.NewFloat(2), new("b")}, {big.NewFloat(1), new("a")}}},
		},
		"a string accepts a number":  {`{"name":12.50}`, thing{Name: new("12.50")}},
		"a string accepts an array":  {`{"name":[ 1, {"b":2,"a":1} ]}`, thing{Name: new(`[1,{"a":1,"b":2}]`)}},
		"a string in a list, too":    {`{"tags":[1,true]}`, thing{Tags: []*string{new("1"), new("true")}}},
		"text is canonical JSON":     {`{"nodes": [ {"b" : 1e400, "a": null} ]}`, thing{Nodes: text(`[{"a":null,"b":1e400}]`)}},
		"a string as text is quoted": {`{"nodes":"a"}`, thing{Nodes: text(`"a"`)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got thing
			if err := jsonvalue.Decode([]byte(test.document), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, compareNumbers); diff != "" {
				t.Errorf("unexpected value (-want +got):\n%s", diff)
			}
		})
	}
}

// The first conflict is the error.
func TestDecodeConflicts(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"isPastDue":1}`:                      "isPastDue: expected a bool, got a number",
		`{"notes":[{},{"x":"1"}]}`:             "notes[1].x: expected a number, got a string",
		`{"access":{"share":[{"token":"t"}]}}`: "access.share: expected an object, got an array",
		`{"notes":{}}`:                         "notes: expected an array, got an object",
		`{"zIndex":[],"isPastDue":"yes"}`:      "zIndex: expected a number, got an array",
		`{"name":"n"`:                          "the JSON text ends in the middle of a value",
		`[{}]`:                                 "expected an object, got an array",
		`"text"`:                               "expected an object, got a string",
		`{"name":"a","\u006eame":"a"}`:         "name: the key occurs twice",
		`{"access":{},"access":{}}`:            "access: the key occurs twice",
		`{"notes":[{},{"x":1,"x":null}]}`:      "notes[1].x: the key occurs twice",
		`{"nodes":[{"a":{"b":1,"b":2}}]}`:      "nodes[0].a.b: the key occurs twice",
		`{"more":{"a":1,"a":2}}`:               "more.a: the key occurs twice",
	} {
		if err := jsonvalue.Decode([]byte(document), new(thing)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", document, err, want)
		}
	}
}

// The position of what is not JSON is known, but it is not quoted.
func TestDecodeSyntaxErrors(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"tags":[}`:               "not valid JSON (line 1, column 10)",
		`{"tags":[],}`:             "not valid JSON (line 1, column 11)",
		`{"tags":[,]}`:             "not valid JSON (line 1, column 10)",
		"":                         "not valid JSON (line 1, column 1)",
		" \r\n\t":                  "not valid JSON (line 2, column 2)",
		"<html>":                   "not valid JSON (line 1, column 1)",
		"\n  <html>":               "not valid JSON (line 2, column 3)",
		"{\uFEFF}":                 "not valid JSON (line 1, column 2)",
		`{"name":"a",}`:            "not valid JSON (line 1, column 12)",
		`{"name" "a"}`:             "not valid JSON (line 1, column 9)",
		"\uFEFF{}":                 "the JSON text begins with a byte order mark",
		"{} {}":                    "more text follows the JSON text at line 1, column 4",
		"{\n\"name\":\"a\"}\n<!--": "more text follows the JSON text at line 3, column 1",
	} {
		err := jsonvalue.Decode([]byte(document), new(thing))
		if err == nil || err.Error() != want || errors.Is(err, jsonvalue.ErrNotJSON) != strings.HasPrefix(want, "not valid JSON") {
			t.Errorf("%q: got %v, want %s", document, err, want)
		}
	}
}

// More levels than encoding/json accepts are an error, and no stack overflow.
func TestDecodeLimitsNesting(t *testing.T) {
	t.Parallel()
	for _, levels := range []int{9_000, 20_000} {
		document := `{"nodes":` + strings.Repeat(`[{"a":`, levels/2) + "1" + strings.Repeat(`}]`, levels/2) + `}`
		if err := jsonvalue.Decode([]byte(document), new(thing)); (err == nil) != json.Valid([]byte(document)) {
			t.Errorf("%d levels: got %v", levels, err)
		}
	}
}

func TestNumbersAreLimited(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"1e400", "-1e399", "1e-400", "1." + strings.Repeat("7", 70) + "e330", strings.Repeat("7", 401), "0." + strings.Repeat("0", 400) + "1", "1e999999999",
		"1e99999999999999999999", "1E-99999999999999999999", "1e-9223372036854775808", strings.Repeat("7", 10_000_000),
	} {
		err := jsonvalue.Decode([]byte(`{"notes":[{},{"x":`+number+`}]}`), new(thing))
		if err == nil || err.Error() != "notes[1].x: the number has more than 400 digits when it is written without an exponent" {
			t.Errorf("%.40s: got %v", number, err)
		}
	}
}

// A required field is missing if it has the zero value of its type, whatever the type is.
func TestMissing(t *testing.T) {
	t.Parallel()
	type target struct {
		Pointer  *string                   `json:"pointer" required:"true"`
		List     []string                  `json:"list" required:"true"`
		Map      map[string]jsontext.Value `json:"map" required:"true"`
		Text     jsonvalue.JSON            `json:"text" required:"true"`
		Bool     bool                      `json:"bool" required:"true"`
		Struct   note                      `json:"struct" required:"true"`
		Optional *string                   `json:"optional"`
	}
	for document, want := range map[string][]string{
		`{}`: {"pointer", "list", "map", "text", "bool", "struct"},
		`{"pointer":null,"list":null,"map":{},"text":"t","bool":false,"struct":{}}`: {"pointer", "list", "bool", "struct"},
		`{"pointer":"","list":[],"map":{},"text":"","bool":true,"struct":{"x":0}}`:  nil,
	} {
		var got target
		if err := jsonvalue.Decode([]byte(document), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, jsonvalue.Missing(&got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", document, diff)
		}
	}
}
