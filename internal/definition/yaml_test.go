// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

func TestParseYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"graph: {}\na: 1\nb: [x, ~]\n":                         `{"a":1,"b":["x",null],"graph":{}}`,
		"graph:\n  a: |-\n    007\n  b: >-\n    yes\n":         `{"graph":{"a":"007","b":"yes"}}`,
		"\ufeff# A\r\n%YAML 1.1\n\n---\ngraph: {a: b---}\n...": `{"graph":{"a":"b---"}}`,
		"--- # A\ngraph: {a: 1e10000000}\n":                    `{"graph":{"a":"1e10000000"}}`,
		"\ufeff{\"graph\": {}}":                                `{"graph":{}}`,
	} {
		if got, err := definition.Parse([]byte(text)); err != nil || got.JSON() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const (
		empty   = "the definition is empty, or its file is not UTF-8"
		invalid = "the definition is not valid YAML: "
	)
	for text, want := range map[string]string{
		"":                         empty,
		" \r\n\t":                  empty,
		"# Comment\n":              empty,
		"a:\n\tb: 1\n":             invalid + "line 2: found character that cannot start any token",
		"a:\n  b: [\n  c: 1\n":     invalid + "line 3: did not find expected ',' or ']'",
		"a:\n  b: \x01\n":          invalid + "control characters are not allowed",
		"a: 1\n---\nb: 2\n":        invalid + "there is more than one document",
		"# A\n---\na: 1\n---\n[":   invalid + "there is more than one document",
		"a:\n  b: *c\n":            invalid + "unknown anchor 'c' referenced",
		"a: &a\n- b\n- *a\n":       invalid + "anchor 'a' value contains itself",
		"a:\n  ? [secret]\n  : c":  invalid + "invalid map key",
		"a:\n  ~: secret\n":        invalid + "unsupported map key",
		"a: !!int secret\n":        invalid + "cannot decode",
		nested("[x]", "[%s]"):      invalid + "document contains excessive aliasing",
		nested("{}", "{<<: [%s]}"): invalid + "document contains excessive aliasing",
		nested("{x: "+strings.Repeat("x", 9999)+"}", "[%s]"): invalid + "document contains excessive aliasing",
		strings.Repeat("[", 20_000):                          invalid + "exceeded max depth of 10000",
		"a:\n" + strings.Repeat("- ", 10_000) + "b":          invalid + "exceeded max depth",
		"{\n<<<<<<< HEAD\n":                                  "the definition is not valid JSON: line 2: invalid character '<' at start of value",
		"{\n\"a\": \"secret\"\n":                             "the definition is not valid JSON: line 3: unexpected EOF",
		"{\"a\": 1,\n\"a\": 2}":                              "the definition is not valid JSON: line 2: duplicate object member name",
		"{\"a\":" + strings.Repeat("[", 20_000):              "the definition is not valid JSON: line 1: exceeded max depth",
	} {
		if _, err := definition.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.100q: got the error %v, want %s", text, err, want)
		}
	}
}

// nested is a document in which each of 12 aliases stands for 9 of the one before.
func nested(first, format string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "a0: &a0 %s\n", first)
	for i := range 12 {
		aliases := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", ")
		fmt.Fprintf(&b, "a%d: &a%[1]d "+format+"\n", i+1, aliases)
	}
	return b.String()
}
