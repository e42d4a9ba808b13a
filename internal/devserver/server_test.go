// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestErrorHandler has the envelopes of the status that only a failure causes, and of statuses that the API does not document.
func TestErrorHandler(t *testing.T) {
	t.Parallel()
	respond := func(status int, issues ...string) *httptest.ResponseRecorder {
		return get(t, apitest.Record(t, apitest.Checked(devserver.ErrorHandler(status, issues...))), "/v1/agents", devserver.TokenRead)
	}
	expect(t, respond(http.StatusInternalServerError), http.StatusInternalServerError,
		`{"code":"INTERNAL_SERVER_ERROR","issues":[],"message":"Internal server error"}`)
	expect(t, respond(http.StatusTooManyRequests, "slow down", "please"), http.StatusTooManyRequests,
		`{"code":"TOO_MANY_REQUESTS","issues":[{"message":"slow down"},{"message":"please"}],"message":"Too Many Requests"}`)
}
