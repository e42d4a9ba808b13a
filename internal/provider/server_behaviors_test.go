// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

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
func TestServerBehaviors(t *testing.T) {
	t.Parallel()
	audit := object{"workspace_id": "larkspur", "stats_periods": list{"last7Days"}}
	tests := map[string]struct {
		options []option
		config  object
		want    object // by the path in the state
	}{
		"drafts without statistics": {
			[]option{withFault(draftStats)}, audit,
			object{"summary.problems": number("0"), "agents.agt_scratch.stats.last7Days.total_views": nil},
		},
		"past-due workspace without definitions": {
			[]option{withFault(unpaidAgents)}, audit,
			object{"workspace.is_past_due": true, "summary.problems": number("12"), "summary.locked": nil, "summary.published": number("6")},
		},
		"workspace in the query": {
			[]option{workspaceInQuery}, object{"workspace_id": "larkspur", "agent_query": object{"workspaceId": "ws_larkspur01"}},
			object{"summary.agents": number("12")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := configuredProvider(t, startService(t, test.options...)).mustRead(workspaceAuditType, test.config)
			for path, want := range test.want {
				var got any = state
				for key := range strings.SplitSeq(path, ".") {
					value, ok := got.(object)[key]
					if !ok {
						t.Fatalf("the state has no %s", path)
					}
					got = value
				}
				if got != want {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
		})
	}
}

func TestServerBehaviors_missingFields(t *testing.T) {
	t.Parallel()
	s := startService(t, withoutFields("workspace.lastActivityAt", "workspace.plan", "agents.isPublished"))
	state := configuredProvider(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur"})
	if plan := state["workspace"].(object)["plan"]; plan != nil {
		t.Errorf("the plan is %v", plan)
	}
	problem := state["problems"].(list)[0].(object)
	if message := problem["message"].(string); problem["kind"] != "missing_fields" || !strings.Contains(message, "lastActivityAt, plan") {
		t.Errorf("unexpected problem %v", problem)
	}
}

func TestServerBehaviors_errors(t *testing.T) {
	t.Parallel()
	responding := func(path string, handler http.Handler) *testProvider {
		return configuredProvider(t, startServiceWithFaults(t, faults{path: handler}))
	}
	issues := jsonHandler(http.StatusBadRequest, `{"code":"BAD_REQUEST","message":"Invalid input data","data":{"issues":[{"message":"Required","path":["workspaceId"]}]}}`)
	_, diagnostics := responding("/v1/agents", issues).read(workspaceAuditType, larkspurAudit(nil))
	requireError(t, diagnostics, "- workspaceId: Required", "query parameters", "agent_query")

	_, diagnostics = responding("", devserver.ErrorHandler(http.StatusNotFound)).read("convo_agent", object{"agent_id": "agt_returns"})
	requireError(t, diagnostics, "404 Not Found", "Some services return 404 if the token is invalid")

	_, diagnostics = responding("", devserver.ErrorHandler(http.StatusUnauthorized)).apply(nil, object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "401 Unauthorized", `session "ses_orders_open"`, "may not have permission for this request")
}
