// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

const byteOrderMark = "\xEF\xBB\xBF"

func TestDecodeSyntaxErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ document, want string }{
		"nothing":                      {"", "the text is empty"},
		"white space":                  {" \r\n\t", "the text is empty"},
		"a byte order mark":            {byteOrderMark, "the text is empty"},
		"half a document":              {`{"name":"a`, "the JSON text ends after 10 bytes, in the middle of a value"},
		"half after a byte order mark": {byteOrderMark + `{"name":"a`, "the JSON text ends after 13 bytes, in the middle of a value"},
		"a page":                       {"<html>", "unexpected character at byte 1"},
		"a page after spaces":          {"  <html>", "unexpected character at byte 3"},
		"two byte order marks":         {byteOrderMark + byteOrderMark + "{}", "unexpected character at byte 4"},
		"half a byte order mark":       {"\xEF\xBB{}", "unexpected character at byte 1"},
		"a byte order mark in between": {"{" + byteOrderMark + "}", "unexpected character at byte 2"},
		"more than one":                {"{} {}", "unexpected character at byte 4"},
		"a stray comma":                {`{"name":"a",}`, "unexpected character at byte 12"},
		"no colon":                     {`{"name" "a"}`, "unexpected character at byte 9"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := decoderOf(t, thing, jsonvalue.Options{}).Decode([]byte(test.document))
			var syntax *jsonvalue.SyntaxError
			if !errors.As(err, &syntax) || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// encoding/json accepts the same documents, and the same prefixes of them.
func TestDecodeAcceptsOnlyJSON(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, thing, jsonvalue.Options{})
	for _, document := range []string{
		`{"name":"a\"\\\/\b\f\n\r\t\u00e9\uAF09é","x":[1,-0,0.5,-12.034e+5,1E-0,2e9],"y":{"a":{},"b":[]},"z":[true,false,null]}`,
		" {\t\"x\"\r:\n[ 1 , 2 ] , \"y\" : { } } ",
		`{"x":01}`, `{"x":-}`, `{"x":-a}`, `{"x":+1}`, `{"x":.5}`, `{"x":1.}`, `{"x":1.e5}`, `{"x":1e}`, `{"x":1e+}`, `{"x":1e+-5}`, `{"x":1ee5}`,
		`{"x":0x1}`, `{"x":1 2}`, `{"x":-01}`, `{"x":1:}`, `{"x":1/}`, `{"x":NaN}`,
		`{"x":"\a"}`, `{"x":"\u12g4"}`, `{"x":"\u12/4"}`, `{"x":"\u12:4"}`, `{"x":"\u12@4"}`, `{"x":"\u12G4"}`, `{"x":"\u"}`, `{"x":"\u123"}`, `{"x":"\u123g"}`, "{\"x\":\"\x1f\"}", "{\"x\":\"\n\"}",
		"{\"x\":\"\\u12\x604\"}", "{\"x\":\x00}", "{\"x\":\"\x00\"}", "{\"\x00\":1}", "{\"x\":\"\x7f\"}", "{\"x\":\"\xff\"}", "{\"x\":1\x0b}",
		`{"x":tru}`, `{"x":trUe}`, `{"x":truee}`, `{"x":fals}`, `{"x":nul1}`, `{"x":nulll}`,
		`{,}`, `{"x"}`, `{"x",}`, `{"x":}`, `{x:1}`, `{1:1}`, `{"x":1;}`, `{"x":1]`, `{]`, `{"x":[}}`, `{"x":[1}}`, `{"x":[,]}`, `{"x":[1,]}`, `{"x":[1 "y"]}`,
		`{"x":["y":1]}`, `{"x":{"y"}}`, `{}}`, `{}]`, `{},`, `}`, `]`, `,`, `"x`, `{}x`,
	} {
		for end := range len(document) + 1 {
			beginning := []byte(document[:end])
			if strings.TrimSpace(document[:end]) == "" {
				continue
			}
			_, _, err := decoder.Decode(beginning)
			var syntax *jsonvalue.SyntaxError
			if errors.As(err, &syntax) == json.Valid(beginning) {
				t.Errorf("%q: got %v", beginning, err)
				continue
			}
			var value json.RawMessage
			ended := errors.Is(json.NewDecoder(bytes.NewReader(beginning)).Decode(&value), io.ErrUnexpectedEOF)
			if syntax != nil && syntax.Ended != ended {
				t.Errorf("%q: got %v", beginning, err)
			}
		}
	}
}

func TestDecodeAcceptsAByteOrderMark(t *testing.T) {
	t.Parallel()
	got := decode(t, thing, jsonvalue.Options{}, byteOrderMark+` {"name":"n"}`)
	if got["name"] != "n" {
		t.Errorf("got %v", got)
	}
}

func TestDecodeLimitsNesting(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		return `{"nodes":` + strings.Repeat(`[{"a":`, levels/2) + strings.Repeat(`}]`, levels/2) + `}`
	}
	decoder := decoderOf(t, thing, jsonvalue.Options{})
	for name, test := range map[string]struct{ document, want string }{
		"objects and arrays": {strings.Replace(nested(9_998), `:}`, `:[]}`, 1), ""},
		"one more":           {strings.Replace(nested(9_998), `:}`, `:[[]]}`, 1), "the document is nested more than 10,000 levels deep"},
		"without an end":     {strings.Repeat("[", 20_000), "the document is nested more than 10,000 levels deep"},
		"cut off":            {strings.Repeat("[", 10_000), "the JSON text ends after 10000 bytes, in the middle of a value"},
		"side by side":       {`{"nodes":[` + strings.Repeat("[[]],", 20_000) + "[]]}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := decoder.Decode([]byte(test.document))
			var syntax *jsonvalue.SyntaxError
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("got %v", err)
			}
			if strings.Contains(test.want, "nested") && errors.As(err, &syntax) {
				t.Error("got a syntax error, but the document is JSON")
			}
		})
	}
}
