// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAuthentication(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

	for name, authorization := range map[string]string{
		"no scheme":      devserver.TokenWrite,
		"other scheme":   "Basic " + devserver.TokenWrite,
		"two spaces":     "Bearer  " + devserver.TokenWrite,
		"token in upper": "Bearer DEV-TOKEN-WRITE",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, send(t, http.MethodGet, baseURL+"/v1/agents", authorization, ""), http.StatusUnauthorized,
				`{"code":"UNAUTHORIZED","message":"Authorization not provided","issues":[]}`)
		})
	}
}

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
		{"no route without token", "/v1/absent", "", http.StatusUnauthorized},
		{"no route without access", "/v1/absent", "Bearer " + devserver.TokenNoAccess, http.StatusForbidden},
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
