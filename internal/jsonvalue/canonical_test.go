// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// The value is null under each of equal keys, and nothing else changes.
func TestWithNull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":{"c":"secret","d":1}},"c":2}`:                             `{"a":{"b":{"c":null,"d":1}},"c":2}`,
		`{"a":{"b":{"c":{"c":"secret"}}}}`:                                   `{"a":{"b":{"c":null}}}`,
		`{"a":{"b":{"c":"x"}},"a":{"b":{"c":"x"},"b":{"c":"x","c":"x"}}}`:    `{"a":{"b":{"c":null}}}`,
		`{"a":{"b":{"c":0,"d":"<&>\u2028"}},"d":[1.0,12345678901234567890]}`: `{"a":{"b":{"c":null,"d":"<&>\u2028"}},"d":[1.0,12345678901234567890]}`,
		`{"a":{"b":{"d":"<&>"}}}`:                                            `{"a":{"b":{"d":"<&>"}}}`,
		`{"a":{"b":null}}`:                                                   `{"a":{"b":null}}`,
		`{"b":{"c":1}}`:                                                      `{"b":{"c":1}}`,
	} {
		if got := string(jsonvalue.WithNull([]byte(text), "a", "b", "c")); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Neither equal keys nor bytes that are not UTF-8 are an error.
func TestCanonicalOfUnusualText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b":1,"a":2,"a":1}`:    `{"a":1,"a":2,"b":1}`,
		"[\"\xff\",\"\\ud800\"]": "[\"\uFFFD\",\"\uFFFD\"]",
	} {
		if got, err := jsonvalue.Canonical([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
}
