// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestOperations holds that the server has the operations of the document under their names.
func TestOperations(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, o := range apitest.Operations() {
		documented = append(documented, o.Name)
		seed := devserver.DefaultSeed()
		seed.Failures = map[string]int{o.Name: http.StatusTeapot}
		got := send(t, o.Method, startSeed(t, seed).URL+"/api"+o.Target, "Bearer "+devserver.TokenWrite, o.Body)
		if got.status != http.StatusTeapot {
			t.Errorf("server.go does not serve %s at %s %s. Correct routes there (step 1 of Add a Data Source in ADDING.md)", o.Name, o.Method, o.Path)
		}
	}
	served := slices.Sorted(slices.Values(devserver.Operations()))
	if !slices.Equal(documented, served) {
		t.Errorf("openapi.yaml has the operations %v, and server.go has %v. Correct one of them (step 1 of Add a Data Source in ADDING.md)", documented, served)
	}
}

// TestAccess holds which of the callers can call each operation.
func TestAccess(t *testing.T) {
	t.Parallel()
	baseURL := startWrong(t)

	const (
		unauthorized = `{"code":"UNAUTHORIZED","message":"Authorization not provided","issues":[]}`
		forbidden    = `{"code":"FORBIDDEN","message":"Insufficient access","issues":[]}`
	)
	callers := []string{devserver.TokenNoAccess, devserver.TokenGuest, devserver.TokenRead, devserver.TokenWrite}
	// The number of callers, from the first, without sufficient access, unless it is 1.
	refused := map[string]int{"getWorkspace": 2, "listMembers": 2, "updateSessionAgent": 3}
	for _, o := range apitest.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			for _, authorization := range []string{"", "Bearer wrong-token"} {
				expect(t, send(t, o.Method, baseURL+o.Target, authorization, o.Body), http.StatusUnauthorized, unauthorized)
			}
			for i, token := range callers {
				got := send(t, o.Method, baseURL+o.Target, "Bearer "+token, o.Body)
				if i < cmp.Or(refused[o.Name], 1) {
					expect(t, got, http.StatusForbidden, forbidden)
				} else if got.status != http.StatusOK {
					t.Errorf("%s: got %d %s. Correct the access in server.go, or refused here (step 1 of Add a Data Source in ADDING.md)", token, got.status, got.body)
				}
			}
		})
	}
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	baseURL := startWrong(t)

	for _, test := range []struct{ method, path string }{
		{"GET", "/v2/agents"},
		{"POST", "/v1/agents"},
		{"DELETE", "/v1/agents/agt_returns"},
		{"GET", "/v1/sessions/ses_returns_open/updateAgent"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			got := send(t, test.method, baseURL+test.path, "Bearer "+devserver.TokenWrite, "")
			expect(t, got, http.StatusNotFound, notFoundBody)
		})
	}
}

func TestEscapedIDs(t *testing.T) {
	t.Parallel()

	for id, segment := range map[string]string{
		"a/b": "a%2Fb",
		"%2F": "%252F",
		"..":  "%2E%2E",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			seed := devserver.DefaultSeed()
			seed.Agents = []devserver.Agent{{ID: id, Definition: json.RawMessage(`{"found":true}`),
				Documents: map[string]json.RawMessage{"stats": json.RawMessage(`{"allTime":{"found":true}}`)}}}
			seed.Workspaces = []devserver.Workspace{{ID: "ws", Slug: id, Documents: map[string]json.RawMessage{"workspace": json.RawMessage(`{"found":true}`)}}}
			seed.Sessions = []devserver.Session{{ID: id, Active: true}}
			s := startSeed(t, seed)
			s.ExemptResponses("the documents show that the object was found")
			baseURL := s.URL + "/api"

			expect(t, get(t, baseURL+"/v1/agents/"+segment, devserver.TokenWrite), http.StatusOK,
				`{"agent":{"found":true},"currentUserMode":"write"}`)
			expect(t, get(t, baseURL+"/v1/agents/"+segment+"/analytics/stats", devserver.TokenWrite), http.StatusOK,
				`{"stats":{"found":true}}`)
			expect(t, get(t, baseURL+"/v1/workspaces/"+segment, devserver.TokenWrite), http.StatusOK,
				`{"workspace":{"found":true}}`)
			expect(t, update(t, baseURL, segment, `{}`), http.StatusOK, `{"message":"success"}`)
		})
	}
}
