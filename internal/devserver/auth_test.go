// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestOrderOfRefusals holds that 401 comes before 403, 403 before 400 and 400 before 404.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

	const absentWithBadInput = "/v1/workspaces/absent?getDefault=maybe"
	for _, test := range []struct {
		name, path, authorization string
		status                    int
	}{
		{"no token", absentWithBadInput, "", http.StatusUnauthorized},
		{"no access", absentWithBadInput, "Bearer " + devserver.TokenGuest, http.StatusForbidden},
		{"bad input", absentWithBadInput, "Bearer " + devserver.TokenRead, http.StatusBadRequest},
		{"absent", "/v1/workspaces/absent", "Bearer " + devserver.TokenRead, http.StatusNotFound},
		{"no route", "/v1/absent", "Bearer " + devserver.TokenGuest, http.StatusNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := send(t, http.MethodGet, baseURL+test.path, test.authorization, ""); got.status != test.status {
				t.Errorf("got %d %s, want %d", got.status, got.body, test.status)
			}
		})
	}
}
