// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestStart(t *testing.T) {
	t.Parallel()
	baseURL, stop, err := devserver.New().Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(baseURL, "http://127.0.0.1:") || !strings.HasSuffix(baseURL, "/api") {
		t.Errorf("got the base URL %s", baseURL)
	}
	get := func() (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, baseURL+"/v1/agents", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}
	if status, err := get(); err != nil || status != http.StatusUnauthorized {
		t.Errorf("got %d, %v from a server that runs, want 401 without a token", status, err)
	}
	stop()
	if status, err := get(); err == nil {
		t.Errorf("got %d from a server that was stopped", status)
	}
}
