// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

type types = map[string]tftypes.Type

func objectOf(attributes types) tftypes.Object { return tftypes.Object{AttributeTypes: attributes} }

func listOf(element tftypes.Type) tftypes.List { return tftypes.List{ElementType: element} }

// thing has one attribute of every kind, nested in every way.
var thing = objectOf(types{
	"name":        tftypes.String,
	"is_past_due": tftypes.Bool,
	"z_index":     tftypes.Number,
	"nodes_json":  tftypes.String,
	"tags":        listOf(tftypes.String),
	"notes":       listOf(objectOf(types{"x": tftypes.Number, "text": tftypes.String})),
	"access":      objectOf(types{"share": objectOf(types{"token": tftypes.String, "rules_json": tftypes.String})}),
})

func TestDecode(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	type list = []any

	tests := map[string]struct {
		document string
		want     object
	}{
		"an absent field is null":           {`{}`, object{}},
		"null is null":                      {`{"name":null,"isPastDue":null,"zIndex":null,"nodes":null,"tags":null,"notes":null,"access":null}`, object{}},
		"an empty string stays one":         {`{"name":""}`, object{"name": ""}},
		"an empty array is an empty list":   {`{"tags":[],"notes":[]}`, object{"tags": list{}, "notes": list{}}},
		"an empty object is an object":      {`{"access":{}}`, object{"access": object{}}},
		"false and zero are values":         {`{"isPastDue":false,"zIndex":0}`, object{"is_past_due": false, "z_index": "0"}},
		"unknown fields are passed over":    {`{"more":{"name":"x","deep":[[{"a":"]}"}]]},"name":"n","last":"\\"}`, object{"name": "n"}},
		"names of another case are unknown": {`{"is_past_due":true,"IsPastDue":true,"Name":"x","nodes_json":"x","nodesJson":1}`, object{}},
		"white space anywhere":              {" \n{ \"name\" :\t\"n\" ,\r\n\"tags\" : [ \"a\" , \"b\" ] } \n", object{"name": "n", "tags": list{"a", "b"}}},
		"white space after a literal":       {"{\"zIndex\":1\t,\"name\":2\n,\"tags\":[3 ,4\r],\"isPastDue\":true\t}", object{"z_index": "1", "name": "2", "tags": list{"3", "4"}, "is_past_due": true}},
		"the last of equal keys counts":     {`{"name":"a","name":"b","\u006eame":"c"}`, object{"name": "c"}},
		"an escaped key is the same key":    {`{"is\u0050astDue":true}`, object{"is_past_due": true}},
		"null elements of lists":            {`{"tags":["a",null],"notes":[null,{}]}`, object{"tags": list{"a", nil}, "notes": list{nil, object{}}}},
		"nested objects": {
			`{"access":{"share":{"token":"t","rules":{"b":1,"a":[]}}}}`,
			object{"access": object{"share": object{"token": "t", "rules_json": `{"a":[],"b":1}`}}},
		},
		"lists keep their order": {
			`{"notes":[{"x":2,"text":"b"},{"x":1,"text":"a"}]}`,
			object{"notes": list{object{"x": "2", "text": "b"}, object{"x": "1", "text": "a"}}},
		},
		"a string takes a number as its text": {`{"name":12.50}`, object{"name": "12.50"}},
		"a string takes an array as its text": {`{"name":[ 1, {"b":2,"a":1} ]}`, object{"name": `[1,{"a":1,"b":2}]`}},
		"escapes in strings":                  {`{"name":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80"}`, object{"name": "a\"\\/\b\f\n\r\té🚀"}},
		"half a surrogate pair":               {`{"name":"\ud83d"}`, object{"name": "\uFFFD"}},
		"bytes that are not UTF-8":            {"{\"name\":\"a\xffb\"}", object{"name": "a\uFFFDb"}},

		"json is compact with sorted keys": {`{"nodes": [ {"b" : 1, "a": {"d":null, "c":true}} ]}`, object{"nodes_json": `[{"a":{"c":true,"d":null},"b":1}]`}},
		"json sorts keys by their content": {`{"nodes":{"\u0062":1,"aa":2,"a":3,"":4,"B":5,"é":6,"\n":7}}`, object{"nodes_json": `{"":4,"\n":7,"B":5,"a":3,"aa":2,"b":1,"é":6}`}},
		"json escapes what it must":        {`{"nodes":"\u0000\u001F\b\f\n\r\t\"\\\/\u007f\u2027\u2028\u2029"}`, object{"nodes_json": "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7f‧\\u2028\\u2029\""}},
		"json keeps the text of numbers":   {`{"nodes":[9007199254740993,1e-7,1.0,-0,1E5,12345678901234567890123]}`, object{"nodes_json": `[9007199254740993,1e-7,1.0,-0,1E5,12345678901234567890123]`}},
		"json is not escaped for HTML":     {`{"nodes":"<a href=\"x\">&\u003c/a>"}`, object{"nodes_json": `"<a href=\"x\">&</a>"`}},
		"json of empty things":             {`{"nodes":[{},[],""]}`, object{"nodes_json": `[{},[],""]`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := withoutNull(decode(t, thing, test.document))
			if diff := cmp.Diff(any(test.want), got); diff != "" {
				t.Errorf("unexpected value (-want +got):\n%s", diff)
			}
		})
	}
}

// The suffix _json is special for a string only, and an empty word of a name
// adds nothing to the key.
func TestDecodeNames(t *testing.T) {
	t.Parallel()
	typ := objectOf(types{"head_json": tftypes.Number, "seat_count": tftypes.Number, "a_hash": tftypes.String, "a__b_": tftypes.String})
	got := decode(t, typ, `{"head":[1],"headJson":3,"seat":[1],"seatCount":12,"aHash":"h","aB":"x"}`)
	want := map[string]any{"head_json": "3", "seat_count": "12", "a_hash": "h", "a__b_": "x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected value (-want +got):\n%s", diff)
	}
}

// One key can feed a typed attribute and one with the suffix.
func TestDecodeTypedAndVerbatim(t *testing.T) {
	t.Parallel()
	typ := objectOf(types{"agent": objectOf(types{"name": tftypes.String}), "agent_json": tftypes.String, "mode": tftypes.String})
	got := decode(t, typ, `{"agent":{"zoo":1,"name":"n"},"mode":"read"}`)
	want := map[string]any{"agent": map[string]any{"name": "n"}, "agent_json": `{"name":"n","zoo":1}`, "mode": "read"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected value (-want +got):\n%s", diff)
	}
}

func TestDecodeReturnsOtherMembers(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, thing)
	tests := map[string]struct {
		document string
		want     map[string]json.RawMessage
	}{
		"none":       {`{"name":"n","access":{"total":1},"notes":[{"total":1}]}`, nil},
		"equal keys": {`{"more":[],"more":[true]}`, map[string]json.RawMessage{"more": json.RawMessage(`[true]`)}},
		"some": {
			`{"total" : 250 ,"name":"n","page":{ "next": "a}" },"cur\u0073or":"abc","more":[ true ]}`,
			map[string]json.RawMessage{
				"total": json.RawMessage("250"), "page": json.RawMessage(`{ "next": "a}" }`), "cursor": json.RawMessage(`"abc"`), "more": json.RawMessage(`[ true ]`),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, rest, err := decoder.Decode([]byte(test.document))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, rest); diff != "" {
				t.Errorf("unexpected members (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeCounts(t *testing.T) {
	t.Parallel()
	typ := objectOf(types{
		"nodes#count": tftypes.Number, "empty#count": tftypes.Number, "null#count": tftypes.Number, "absent#count": tftypes.Number,
		"a": objectOf(types{"b#count": tftypes.Number, "c#count": tftypes.Number, "c": listOf(tftypes.String)}),
	})
	got := decode(t, typ, `{"null":null,"nodes":[1,"a]",[2,3],{"b":[]},null],"empty":[]}`)
	want := map[string]any{"nodes#count": "5", "empty#count": "0", "null#count": nil, "absent#count": nil, "a": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected value (-want +got):\n%s", diff)
	}
	_, _, err := decoderOf(t, typ).Decode([]byte(`{"a":{"b":1,"c":{}},"nodes":{},"empty":[]}`))
	if err == nil || err.Error() != "a.b: expected an array, got a number" {
		t.Errorf("got %v", err)
	}
}

// TestDecodeHashes: a hash covers the text of the members, but neither the white
// space around them nor those that are left out.
func TestDecodeHashes(t *testing.T) {
	t.Parallel()
	typ := objectOf(types{"a": objectOf(types{"b": tftypes.Number}), "a#hash": tftypes.String, "c#hash": tftypes.String})
	for document, want := range map[string]any{
		`{"a":{}}`:   fmt.Sprintf("%x", sha256.Sum256(nil)),
		`{"a":null}`: nil,
		`{}`:         nil,
		"{ \"a\" : {\n \"b\" : 1 , \"ref\" : 2, \"d\" : [ 1,\"\\u0061\" ]\n} }": fmt.Sprintf("%x", sha256.Sum256([]byte(`,b:1,d:[ 1,"\u0061" ]`))),
	} {
		got := decode(t, typ, document, "ref")
		if got["a#hash"] != want || got["c#hash"] != nil {
			t.Errorf("%s: got %v, want %v", document, got, want)
		}
	}
}

// The first mismatch is the error.
func TestDecodeMismatches(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"isPastDue":1}`:                      "isPastDue: expected a bool, got a number",
		`{"notes":[{},{"x":"1"}]}`:             "notes[1].x: expected a number, got a string",
		`{"tags":true}`:                        "tags: expected an array, got a bool",
		`{"access":{"share":[{"token":"t"}]}}`: "access.share: expected an object, got an array",
		`{"notes":{}}`:                         "notes: expected an array, got an object",
		`{"notes":["x"]}`:                      "notes[0]: expected an object, got a string",
		`{"zIndex":[],"isPastDue":"yes"}`:      "zIndex: expected a number, got an array",
		`{"name":"n"`:                          "the JSON text ends in the middle of a value",
		`[]`:                                   "expected an object, got an array",
		`null`:                                 "expected an object, got null",
	} {
		if _, _, err := decoderOf(t, thing).Decode([]byte(document)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", document, err, want)
		}
	}
}

func TestNewDecoderRefuses(t *testing.T) {
	t.Parallel()
	for want, typ := range map[string]tftypes.Object{
		"m: tftypes.Map[tftypes.String] cannot be decoded from JSON":     objectOf(types{"m": tftypes.Map{ElementType: tftypes.String}}),
		"l: []: tftypes.Set[tftypes.String] cannot be decoded from JSON": objectOf(types{"l": listOf(tftypes.Set{ElementType: tftypes.String})}),
		"d: tftypes.DynamicPseudoType cannot be decoded from JSON":       objectOf(types{"d": tftypes.DynamicPseudoType}),
	} {
		if _, err := jsonvalue.NewDecoder(typ); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func decoderOf(t *testing.T, typ tftypes.Object, unhashed ...string) *jsonvalue.Decoder {
	t.Helper()
	decoder, err := jsonvalue.NewDecoder(typ, unhashed...)
	if err != nil {
		t.Fatal(err)
	}
	return decoder
}

// decode decodes a document and returns it in Go's own values, numbers as text.
func decode(t *testing.T, typ tftypes.Object, document string, unhashed ...string) map[string]any {
	t.Helper()
	value, _, err := decoderOf(t, typ, unhashed...).Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if !value.Type().Equal(typ) {
		t.Fatalf("got a value of type %s", value.Type())
	}
	return plain(t, value).(map[string]any)
}

func plain(t *testing.T, value tftypes.Value) any {
	t.Helper()
	if value.IsNull() {
		return nil
	}
	var (
		text       string
		flag       bool
		number     big.Float
		elements   []tftypes.Value
		attributes map[string]tftypes.Value
	)
	switch {
	case value.As(&text) == nil:
		return text
	case value.As(&flag) == nil:
		return flag
	case value.As(&number) == nil:
		return number.Text('g', -1)
	case value.As(&elements) == nil:
		list := []any{}
		for _, element := range elements {
			list = append(list, plain(t, element))
		}
		return list
	case value.As(&attributes) == nil:
		object := map[string]any{}
		for name, attribute := range attributes {
			object[name] = plain(t, attribute)
		}
		return object
	}
	t.Fatalf("unexpected value %s", value)
	return nil
}

// withoutNull returns a value without the null attributes of its objects.
func withoutNull(value any) any {
	switch value := value.(type) {
	case map[string]any:
		result := map[string]any{}
		for name, attribute := range value {
			if attribute != nil {
				result[name] = withoutNull(attribute)
			}
		}
		return result
	case []any:
		result := []any{}
		for _, element := range value {
			result = append(result, withoutNull(element))
		}
		return result
	}
	return value
}
