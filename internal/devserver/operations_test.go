// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// send sends one request; an empty authorization sends no such header.
func send(t *testing.T, handler http.Handler, method, target, authorization, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

// TestOperations holds that the server has the operations of the document under their names.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, o := range apitest.Operations() {
		seed := devserver.DefaultSeed()
		seed.Failures = map[string]int{o.Name: http.StatusTeapot}
		got := send(t, devserver.New(seed), o.Method, o.Target, "Bearer "+devserver.TokenWrite, o.Body)
		if got.Code != http.StatusTeapot {
			t.Errorf("server.go does not serve %s at %s %s. Correct routes there (step 1 of Add a Data Source in ADDING.md)", o.Name, o.Method, o.Path)
		}
	}
}

// TestAccess holds which of the callers can call each operation, and that responses are those of the document.
func TestAccess(t *testing.T) {
	t.Parallel()
	handler := apitest.Record(t, apitest.Checked(devserver.New(devserver.DefaultSeed())))

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
			expect := func(authorization string, status int, body string) {
				t.Helper()
				got := send(t, handler, o.Method, o.Target, authorization, o.Body)
				contentType := got.Header().Get("Content-Type")
				if got.Code != status || status != http.StatusOK && got.Body.String() != body+"\n" || contentType != "application/json" {
					t.Errorf("%s: got %d %s %s. Correct the access in server.go, or refused here (step 1 of Add a Data Source in ADDING.md)",
						authorization, got.Code, contentType, got.Body)
				}
			}
			for _, authorization := range []string{"", "Bearer wrong-token"} {
				expect(authorization, http.StatusUnauthorized, unauthorized)
			}
			for i, token := range callers {
				if i < refused[o.Name] {
					expect("Bearer "+token, http.StatusForbidden, forbidden)
				} else {
					expect("Bearer "+token, http.StatusOK, "")
				}
			}
		})
	}
}
