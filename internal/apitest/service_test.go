// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
)

// recordedTest is a test whose failures are recorded.
type recordedTest struct {
	testing.TB
	failures []string
	cleanup  func()
}

func (t *recordedTest) Cleanup(cleanup func()) { t.cleanup = cleanup }
func (t *recordedTest) Errorf(format string, arguments ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, arguments...))
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	const stats, right = "GET /api/v1/agents/a/analytics/stats", `{"stats":{"totalViews":1,"totalStarts":1,"totalCompleted":1}}`
	for name, test := range map[string]struct {
		request, body string
		status        int
		response      string
		reason        string // of an exemption
		want          string // of the failure; "" for none
	}{
		"right":                     {request: stats + "?timeFilter=today", response: right},
		"any query":                 {request: "GET /v1/agents?a=b&c=", response: `{"agents":[]}`},
		"error":                     {request: stats, status: 404, response: `{"code":"c","message":"m"}`},
		"undocumented status":       {request: stats, status: 429, response: `{"code":"c","message":"m","issues":[]}`},
		"request exempt":            {request: stats + "?period=today", response: right, reason: "reason"},
		"response exempt":           {request: stats, response: `{}`, reason: "reason"},
		"wrong path":                {request: "GET /api/v1/agent", response: right, want: "GET /api/v1/agent: no matching operation was found"},
		"wrong method":              {request: "PUT /v1/agents", response: right, want: "PUT /v1/agents: method not allowed"},
		"wrong parameter":           {request: stats + "?period=today", response: right, want: "getAgentStats has no query parameter period"},
		"wrong value":               {request: stats + "?timeFilter=never", response: right, want: "value is not one of the allowed values"},
		"body of a read":            {request: stats, body: "{}", response: right, want: "request body not allowed for this request"},
		"no body":                   {request: "POST /v1/sessions/s/updateAgent", response: `{"message":"m"}`, want: "value is required but missing"},
		"field missing":             {request: stats, response: `{"stats":{"totalViews":1}}`, want: "the response of getAgentStats: stats.totalStarts is missing"},
		"field null":                {request: stats, response: strings.Replace(right, "1", "null", 1), want: "stats.totalViews is null"},
		"another type":              {request: stats, response: strings.Replace(right, "1", `"1"`, 1), want: "stats.totalViews has another type or value"},
		"element":                   {request: "GET /v1/agents", response: `{"agents":[{},{"tags":["a",2]}]}`, want: "agents[].tags[] has another type or value"},
		"not an object":             {request: stats, response: `[]`, want: "the body has another type or value"},
		"not JSON":                  {request: stats, response: `<p>`, want: "the body is not JSON"},
		"wrong error":               {request: stats, status: 500, response: right, want: "getAgentStats: code is missing"},
		"needless exemption":        {request: stats, response: right, reason: "reason", want: `Remove the exemption "reason"`},
		"deviation without a check": {request: "GET /unchecked/v1/agents", response: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := &recordedTest{TB: t}
			method, target, _ := strings.Cut(test.request, " ")
			var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(max(test.status, http.StatusOK))
				_, _ = io.WriteString(w, test.response)
			})
			if !strings.HasPrefix(target, "/unchecked") {
				handler = apitest.Checked(handler)
			}
			recorder := apitest.Record(recorded, handler)
			recorder.Exempt(test.reason)
			request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(test.body))
			request.Header.Set("Content-Type", "application/json")
			sent := httptest.NewRecorder()
			recorder.ServeHTTP(sent, request)
			recorded.cleanup()
			if sent.Body.String() != test.response || len(recorder.Requests()) != 1 {
				t.Errorf("got %d requests, and the response %s", len(recorder.Requests()), sent.Body)
			}
			if got := strings.Join(recorded.failures, "\n"); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
