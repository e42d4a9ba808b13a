// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Of equal keys, the last one counts.
func TestWithNull(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"a":{"b":{"c":"secret","d":1}},"c":2}`:                               `{"a":{"b":{"c":null,"d":1}},"c":2}`,
		byteOrderMark + ` {"a": {"b": {"c": {"c": "secret"}}}}`:                `{"a":{"b":{"c":null}}}`,
		`{"a":{"b":{"c":"x"}},"a":{"b":{"c":"x"},"b":{"c":"x","\u0063":"x"}}}`: `{"a":{"b":{"c":null}}}`,
		`{"a":{"b":{"d":"<&>"}}}`:                                              `{"a":{"b":{"d":"<&>"}}}`,
		`{"a":{"b":null}}`:                                                     `{"a":{"b":null}}`,
		`{"b":{"c":1}}`:                                                        `{"b":{"c":1}}`,
	} {
		got, err := jsonvalue.Canonical(jsonvalue.WithNull([]byte(document), "a", "b", "c"))
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", document, got, err, want)
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
