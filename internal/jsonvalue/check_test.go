// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

func TestDecodeSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"", " \r\n\t", "\uFEFF{}", "<html>", "  <html>", "{\uFEFF}", "{} {}", `{"name":"a",}`, `{"name" "a"}`,
	} {
		if _, _, err := decoderOf(t, thing).Decode([]byte(document)); !errors.Is(err, jsonvalue.ErrNotJSON) {
			t.Errorf("%q: got %v, want ErrNotJSON", document, err)
		}
	}
}

// encoding/json accepts the same documents, and the same prefixes of them.
func TestDecodeAcceptsOnlyJSON(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, thing)
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
			if (err == nil) != json.Valid(beginning) {
				t.Errorf("%q: got %v", beginning, err)
			}
		}
	}
}

// More levels than encoding/json accepts are an error, and no stack overflow.
func TestDecodeLimitsNesting(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, thing)
	for _, levels := range []int{9_000, 20_000} {
		document := `{"nodes":` + strings.Repeat(`[{"a":`, levels/2) + "1" + strings.Repeat(`}]`, levels/2) + `}`
		if _, _, err := decoder.Decode([]byte(document)); (err == nil) != json.Valid([]byte(document)) {
			t.Errorf("%d levels: got %v", levels, err)
		}
	}
}
