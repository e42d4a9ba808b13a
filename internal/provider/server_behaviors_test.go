// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// draftStats returns 404 for the statistics of an agent that was never published.
func draftStats(r *http.Request) http.Handler {
	if r.URL.Path == "/v1/agents/agt_scratch/analytics/stats" {
		return devserver.ErrorHandler(http.StatusNotFound)
	}
	return nil
}

// unpaidAgents returns 404 for all definitions, as for a past-due workspace.
func unpaidAgents(r *http.Request) http.Handler {
	if isDefinition, _ := path.Match("/v1/agents/*", r.URL.Path); isDefinition {
		return devserver.ErrorHandler(http.StatusNotFound)
	}
	return nil
}

// workspaceInQuery lists the agents of the workspace in a query parameter.
func workspaceInQuery(next http.Handler) http.Handler {
	tokens := map[string]string{"ws_larkspur01": devserver.TokenWrite, "ws_tidepool02": devserver.TokenTidepool}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/agents" {
			workspaceID := r.URL.Query().Get("workspaceId")
			if workspaceID == "" {
				devserver.ErrorHandler(http.StatusBadRequest, "query parameter workspaceId is required").ServeHTTP(w, r)
				return
			}
			if tokens[workspaceID] == "" {
				jsonHandler(http.StatusOK, `{"agents":[]}`)(w, r)
				return
			}
			r.Header.Set("Authorization", "Bearer "+tokens[workspaceID])
		}
		next.ServeHTTP(w, r)
	})
}

// withoutFields leaves out documented fields of the responses. A path consists of
// the keys from the root, and applies to every element of a list.
func withoutFields(paths ...string) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			decoder := json.NewDecoder(recorder.Body)
			decoder.UseNumber()
			var body any
			if err := decoder.Decode(&body); err != nil {
				panic(err)
			}
			for _, path := range paths {
				removeField(body, strings.Split(path, "."))
			}
			w.WriteHeader(recorder.Code)
			_ = json.NewEncoder(w).Encode(body)
		})
	}
}

func removeField(value any, path []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
			return
		}
		removeField(value[path[0]], path[1:])
	}
}

// Servers differ from the API's documentation in these ways every day. An audit
// succeeds with what can be read, and an error names the cause.
func TestAccServerBehaviors(t *testing.T) {
	t.Parallel()
	const audit = `
data "convo_workspace_audit" "test" {
  workspace_id  = "larkspur"
  stats_periods = ["last7Days"]
}
`
	check := func(value knownvalue.Check, path ...string) statecheck.StateCheck {
		attribute := tfjsonpath.New(path[0])
		for _, key := range path[1:] {
			attribute = attribute.AtMapKey(key)
		}
		return statecheck.ExpectKnownValue("data.convo_workspace_audit.test", attribute, value)
	}
	tests := map[string]struct {
		options     []option
		config      string
		checks      []statecheck.StateCheck
		expectError string
	}{
		"drafts without statistics": {
			options: []option{withFault(draftStats)},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Int64Exact(0), "summary", "problems"),
				check(knownvalue.Null(), "agents", "agt_scratch", "stats", "last7Days", "total_views"),
			},
		},
		"past-due workspace without definitions": {
			options: []option{withFault(unpaidAgents)},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Bool(true), "workspace", "is_past_due"),
				check(knownvalue.Int64Exact(12), "summary", "problems"),
				check(knownvalue.Null(), "summary", "locked"),
				check(knownvalue.Int64Exact(6), "summary", "published"),
			},
		},
		"missing fields": {
			options: []option{withoutFields("workspace.lastActivityAt", "workspace.plan", "agents.isPublished")},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Null(), "workspace", "plan"),
				check(knownvalue.ListPartial(map[int]knownvalue.Check{0: knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"kind":    knownvalue.StringExact("missing_fields"),
					"message": knownvalue.StringRegexp(regexp.MustCompile("lastActivityAt, plan")),
				})}), "problems"),
			},
		},
		"issues with paths": {
			options: []option{withFault(func(r *http.Request) http.Handler {
				if r.URL.Path != "/v1/agents" {
					return nil
				}
				return jsonHandler(http.StatusBadRequest, `{"code":"BAD_REQUEST","message":"Invalid input data","data":{"issues":[{"message":"Required","path":["workspaceId"]}]}}`)
			})},
			config: audit,
			// Terraform wraps the lines of a message.
			expectError: `(?s)- workspaceId: Required.*query\s+parameters.*agent_query`,
		},
		"workspace in the query": {
			options: []option{workspaceInQuery},
			config: `
data "convo_workspace_audit" "test" {
  workspace_id = "larkspur"
  agent_query  = { workspaceId = "ws_larkspur01" }
}
`,
			checks: []statecheck.StateCheck{check(knownvalue.Int64Exact(12), "summary", "agents")},
		},
		"wrong token": {
			options: []option{withFault(func(*http.Request) http.Handler { return devserver.ErrorHandler(http.StatusNotFound) })},
			config: `
data "convo_agent" "test" {
  agent_id = "agt_returns"
}
`,
			expectError: `(?s)404 Not Found.*Some\s+services\s+return\s+404\s+if\s+the\s+token\s+is\s+invalid`,
		},
		"session update without permission": {
			options: []option{withFault(func(*http.Request) http.Handler { return devserver.ErrorHandler(http.StatusUnauthorized) })},
			config: `
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
}
`,
			expectError: `(?s)401 Unauthorized.*session\s+"ses_orders_open".*may\s+not\s+have\s+permission\s+for\s+this\s+request`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, test.options...)
			step := resource.TestStep{Config: testAccProviderConfig(s) + test.config, ConfigStateChecks: test.checks}
			if test.expectError != "" {
				step.ExpectError = regexp.MustCompile(test.expectError)
			}
			resource.Test(t, resource.TestCase{
				PreCheck:                 func() { testAccPreCheck(t) },
				ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
				Steps:                    []resource.TestStep{step},
			})
		})
	}
}
