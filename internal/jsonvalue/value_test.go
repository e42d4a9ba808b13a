// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// The value is null, and nothing else changes.
func TestWithhold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":{"c":"secret","d":1}},"c":2}`:                        `{"a":{"b":{"c":null,"d":1}},"c":2}`,
		`{"a":{"b":{"c":{"c":"secret"}}}}`:                              `{"a":{"b":{"c":null}}}`,
		`{"a":{"b":{"c":0,"d":"<&>"}},"d":[1.0,12345678901234567890]}`:  `{"a":{"b":{"c":null,"d":"<&>"}},"d":[1.0,12345678901234567890]}`,
		`{"a":{"b":{"d":"<&>"}}}`:                                       `{"a":{"b":{"d":"<&>"}}}`,
		`{"a":{"b":null}}`:                                              `{"a":{"b":null}}`,
		`{"a":{"b":{"c":1}},"d":1,"e":2,"f":3,"g":4,"h":5,"i":6,"j":7}`: `{"a":{"b":{"c":null}},"d":1,"e":2,"f":3,"g":4,"h":5,"i":6,"j":7}`,
		`{"b":{"c":1}}`:                                                 `{"b":{"c":1}}`,
	} {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		v.Member("a", "b", "c").Withhold()
		if got := v.JSON(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// The JSON is equal for equal content, and only then.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` { "b" : [ 1 , { } , [ ] ] , "a" : null } `:                `{"a":null,"b":[1,{},[]]}`,
		`{"b":{"x":1},"a":{"d":1,"c":{"z":0,"y":[{"f":1,"e":2}]}}}`: `{"a":{"c":{"y":[{"e":2,"f":1}],"z":0},"d":1},"b":{"x":1}}`,
		`{"a!":1,"a b":2,"a":3,"":4,"Z":5,"é":6,"\n":7}`:            `{"":4,"\n":7,"Z":5,"a":3,"a b":2,"a!":1,"é":6}`,
		`[1.0,1,-0,1E400,12345678901234567890,0.10e-7]`:             `[1.0,1,-0,1E400,12345678901234567890,0.10e-7]`,
		`["\u003c\u0041\/\n",",:{}[]","\"",",","}"]`:                `["<A/\n",",:{}[]","\"",",","}"]`,
		"[\"\xff\",\"\\ud800\"]":                                    "[\"\uFFFD\",\"\uFFFD\"]",
		`"text"`:                                                    `"text"`,
	} {
		if got, err := jsonvalue.Parse([]byte(text)); err != nil || got.JSON() != want {
			t.Errorf("%s: got %s, %v", text, got.JSON(), err)
		}
	}
	for _, text := range []string{``, `{`, `{"a":1}}`, `{"a":[{"b":1,"\u0062":1}]}`, `[1] 2`, `nul`, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		if got, err := jsonvalue.Parse([]byte(text)); err == nil {
			t.Errorf("%.20s: got %.20s", text, got.JSON())
		}
	}
}
