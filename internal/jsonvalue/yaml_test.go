// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// TestAccYAMLDefinitions compares many more documents with Terraform's own result. These
// are different there: it changes block scalars that look like another value, and takes
// minutes to calculate a large exponent.
func TestFromYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: 1\nb: [x, ~]\n":                         `{"a":1,"b":["x",null]}`,
		"a: |-\n  007\nb: >-\n  yes\nc: |\n  ~\n":   `{"a":"007","b":"yes","c":"~\n"}`,
		"a: 1e10000000\nb: -1e-99999999999\n":       `{"a":1e10000000,"b":-1e-99999999999}`,
		"a: .inf\nb: .nan\nc: 0xfffffffffffffffff":  `{"a":".inf","b":".nan","c":"0xfffffffffffffffff"}`,
		"a: &a {b: 1}\nc: {<<: [*a, {b: 2}], d: 3}": `{"a":{"b":1},"c":{"b":1,"b":2,"d":3}}`,
		"[]": `[]`,
	} {
		if got, err := jsonvalue.FromYAML([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestFromYAMLErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "EOF",
		"# Comment\n":               "EOF",
		"a:\n\tb: 1\n":              "line 2: found character that cannot start any token",
		"a:\n  b: [\n  c: 1\n":      "line 3: did not find expected ',' or ']' while parsing a flow sequence from line 2",
		"a:\n  b: \x01\n":           "line 2: control characters are not allowed (value: 1)",
		"a:\n  b: \xff\n":           "line 2: invalid leading UTF-8 octet (value: 255)",
		"a: 1\nb c\n\nd: 2\n":       "line 2: could not find expected ':'",
		"a: 1\n? b\nc\n":            "line 3: could not find expected ':'",
		"a: 1\n---\nb: 2\n":         "line 2: a second document begins",
		"a: 1\n---\n[":              "line 3: did not find expected node content",
		"a:\n  b: *c\n":             "line 2: unknown anchor 'c' referenced",
		"a: &a\n- b\n- *a\n":        "line 3: the alias is inside of what it stands for",
		"a: &a\n  <<: *a\n":         "line 2: the alias is inside of what it stands for",
		"a:\n  <<: b\n":             "line 2: only mappings can be merged",
		"a:\n  <<: [[{}]]\n":        "line 2: only mappings can be merged",
		"a:\n  ? [b]\n  : c\n":      "line 2: a key is not a string",
		"a:\n  ~: c\n":              "line 2: a key is null",
		"a: !!int b\n":              "line 1: the tag is not supported, or the value does not have its type",
		"a: b\nc: !d {}\n":          "line 2: the tag is not supported, or the value does not have its type",
		"a: !d b\n":                 "line 1: the tag is not supported, or the value does not have its type",
		strings.Repeat("[", 20_000): "line 1: exceeded max depth of 10000",
		nested("[x]", "[%s]"):       "line 2: the aliases in the document make it too large",
		nested("{}", "{<<: [%s]}"):  "line 2: the aliases in the document make it too large",
		nested("{x: "+strings.Repeat("x", 9999)+"}", "[%s]"): "line 2: the aliases in the document make it too large",
	} {
		done := make(chan error, 1)
		go func() {
			_, err := jsonvalue.FromYAML([]byte(text))
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || err.Error() != want {
				t.Errorf("%.100q: got the error %v, want %s", text, err, want)
			}
		case <-time.After(time.Minute): // Ends what would take all memory. Each takes milliseconds.
			t.Fatalf("%.100q: still running after a minute", text)
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
