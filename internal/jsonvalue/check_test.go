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
		"a page":                       {"<html>", "unexpected character at byte 1"},
		"a page after spaces":          {"  <html>", "unexpected character at byte 3"},
		"a byte order mark in between": {"{" + byteOrderMark + "}", "unexpected character at byte 2"},
		"more than one":                {"{} {}", "unexpected character at byte 3"},
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
		`{"x":01}`, `{"x":-}`, `{"x":.5}`, `{"x":1.e5}`, `{"x":1e+}`, `{"x":NaN}`, `{"x":tru}`, `{"x":nulll}`,
		`{"x":"\a"}`, `{"x":"\u12g4"}`, "{\"x\":\"\x1f\"}", "{\"x\":\x00}", "{\"x\":\"\xff\"}", "{\"x\":1\x0b}",
		`{,}`, `{"x"}`, `{"x",}`, `{x:1}`, `{"x":1]`, `{]`, `{"x":[1}}`, `{"x":[,]}`, `{"x":[1 "y"]}`, `{}}`, `{},`, `]`, `"x`, `{}x`,
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

// More levels than encoding/json accepts are an error, and no stack overflow.
func TestDecodeLimitsNesting(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, thing, jsonvalue.Options{})
	for _, levels := range []int{9_000, 20_000} {
		document := `{"nodes":` + strings.Repeat(`[{"a":`, levels/2) + "1" + strings.Repeat(`}]`, levels/2) + `}`
		if _, _, err := decoder.Decode([]byte(document)); (err == nil) != json.Valid([]byte(document)) {
			t.Errorf("%d levels: got %v", levels, err)
		}
	}
}
