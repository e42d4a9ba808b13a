// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// TestAccYAMLDefinitions compares many more documents with Terraform's own result.
func TestFromYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: 1\nb: [x, ~]\n":                           `{"a":1,"b":["x",null]}`,
		"a: |-\n  007\nb: >-\n  yes\nc: |\n  ~\n":     `{"a":"007","b":"yes","c":"~\n"}`,
		"\ufeff# A\r\n%YAML 1.1\n\n---\na: b---\n...": `{"a":"b---"}`,
		"--- # A\na: 1e10000000\n":                    `{"a":"1e10000000"}`,
		"[]":                                          `[]`,
	} {
		if got, err := jsonvalue.FromYAML([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestFromYAMLErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "EOF",
		"# Comment\n":              "EOF",
		"a:\n\tb: 1\n":             "line 2: found character that cannot start any token",
		"a:\n  b: [\n  c: 1\n":     "line 3: did not find expected ',' or ']'",
		"a:\n  b: \x01\n":          "control characters are not allowed",
		"a: 1\n---\nb: 2\n":        "there is more than one document",
		"# A\n---\na: 1\n---\n[":   "there is more than one document",
		"a:\n  b: *c\n":            "unknown anchor 'c' referenced",
		"a: &a\n- b\n- *a\n":       "anchor 'a' value contains itself",
		"a:\n  ? [secret]\n  : c":  "invalid map key",
		"a:\n  ~: secret\n":        "unsupported map key",
		"a: !!int secret\n":        "cannot decode",
		nested("[x]", "[%s]"):      "document contains excessive aliasing",
		nested("{}", "{<<: [%s]}"): "document contains excessive aliasing",
		nested("{x: "+strings.Repeat("x", 9999)+"}", "[%s]"): "document contains excessive aliasing",
		strings.Repeat("[", 20_000):                          "exceeded max depth of 10000",
	} {
		if _, err := jsonvalue.FromYAML([]byte(text)); err == nil || err.Error() != want {
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
