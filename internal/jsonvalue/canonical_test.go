// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Keys are sorted on the levels that definitions have. Deeper ones keep their
// order, because sorting copies an object once per level: with all levels, this
// document of 8 MB would be copied some 10,000 times.
func TestKeysAreSortedOnManyLevels(t *testing.T) {
	t.Parallel()
	const levels = 9_900
	payload := strings.Repeat("x", 8<<20)
	document := `{"value":` + strings.Repeat(`{"b":0,"a":`, levels) + `"` + payload + `"` + strings.Repeat("}", levels) + "}"
	decoder, err := jsonvalue.NewDecoder(objectOf(types{"value_json": tftypes.String}), jsonvalue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := decoder.Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]tftypes.Value
	var text string
	if err := value.As(&fields); err != nil {
		t.Fatal(err)
	}
	if err := fields["value_json"].As(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, strings.Repeat(`{"a":`, 90)) || !strings.HasSuffix(text, strings.Repeat(`,"b":0}`, 90)) {
		t.Errorf("the keys of the outer levels are not sorted: %.200s", text)
	}
	if len(text) != len(document)-len(`{"value":}`) {
		t.Errorf("got %d bytes, want %d", len(text), len(document)-len(`{"value":}`))
	}
}
