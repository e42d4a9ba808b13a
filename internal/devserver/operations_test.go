// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestOperations holds that the server has the operations of the document under their names.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, o := range apitest.Operations() {
		seed := devserver.DefaultSeed()
		seed.Failures = map[string]int{o.Name: http.StatusTeapot}
		got := send(t, serving(t, seed), o.Method, o.Target, "Bearer "+devserver.TokenWrite, o.Body)
		if got.Code != http.StatusTeapot {
			t.Errorf("server.go does not serve %s at %s %s. Correct routes there (step 1 of Add a Data Source in ADDING.md)", o.Name, o.Method, o.Path)
		}
	}
}

// TestAccess holds which of the callers can call each operation.
func TestAccess(t *testing.T) {
	t.Parallel()
	handler := serving(t, devserver.DefaultSeed())

	const (
		unauthorized = `{"code":"UNAUTHORIZED","issues":[],"message":"Authorization not provided"}`
		forbidden    = `{"code":"FORBIDDEN","issues":[],"message":"Insufficient access"}`
	)
	callers := []string{devserver.TokenGuest, devserver.TokenRead, devserver.TokenWrite}
	// The number of callers, from the first, without sufficient access.
	refused := map[string]int{"getWorkspace": 1, "listMembers": 1, "updateSessionAgent": 2}
	for _, o := range apitest.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			for _, authorization := range []string{"", "Bearer wrong-token"} {
				expect(t, send(t, handler, o.Method, o.Target, authorization, o.Body), http.StatusUnauthorized, unauthorized)
			}
			for i, token := range callers {
				got := send(t, handler, o.Method, o.Target, "Bearer "+token, o.Body)
				if i < refused[o.Name] {
					expect(t, got, http.StatusForbidden, forbidden)
				} else if got.Code != http.StatusOK {
					t.Errorf("%s: got %d %s. Correct the access in server.go, or refused here (step 1 of Add a Data Source in ADDING.md)", token, got.Code, got.Body)
				}
			}
		})
	}
}
