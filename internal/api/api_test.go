// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package api_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// The JSON of an audit, which has the names of the state, can be read only if both names of a
// field differ in nothing but letter case and underscores.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, object := range []any{api.Workspace{}, api.Member{}, api.User{}, api.AgentSummary{}, api.AgentStats{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(object)) {
			response, state := field.Tag.Get("json"), field.Tag.Get("tfsdk")
			if state == "" || !strings.EqualFold(response, strings.ReplaceAll(state, "_", "")) {
				t.Errorf("%T.%s has the names %q and %q", object, field.Name, response, state)
			}
		}
	}
}
