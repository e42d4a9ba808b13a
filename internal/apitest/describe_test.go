// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package apitest

import (
	"errors"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// A key that a service chooses is not shown. No operation has a type for the values of such keys.
func TestFreeKey(t *testing.T) {
	t.Parallel()
	schema := openapi3.NewObjectSchema().
		WithProperty("widths", openapi3.NewObjectSchema().WithAdditionalProperties(openapi3.NewStringSchema()))
	value := map[string]any{"widths": map[string]any{"secret": 7.0}}
	found, ok := errors.AsType[*openapi3.SchemaError](schema.VisitJSON(value))
	if !ok || describe(schema, found) != "widths.* has another type or value" {
		t.Errorf("got %v", found)
	}
}
