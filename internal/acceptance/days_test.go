// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestSuite holds that what services do is a row of the table, and no fault of the provider.
func TestSuite(t *testing.T) {
	t.Parallel()
	byWorkspace := url.Values{"workspaceId": {"ws_larkspur01"}}
	for name, test := range map[string]struct {
		service      service
		isDocumented bool
		seed         func(*devserver.Seed)
		change       change
		want         map[string]string // parts of cells, by row
		faults       []string
	}{
		"documented": {
			service:      service{token: devserver.TokenWrite, sessionID: "ses_orders_open"},
			isDocumented: true,
			want: map[string]string{
				"Query for the list of agents":                "12 agents without a query",
				"Definition of a published agent":             "probably the draft: edited after the publication (2 definitions)",
				"Session update without an agent":             "`success`",
				"Plan after an apply":                         "empty",
				"Deviations from `internal/api/openapi.yaml`": "none",
			},
		},
		"administrator": {
			service: service{token: devserver.TokenWrite, secondToken: devserver.TokenGuest, agentQuery: byWorkspace},
			change:  twoAgentsForGuests,
			want: map[string]string{
				"Objects of the provider":                     "`convo_agent` (3 times); `convo_agents`; `convo_members`",
				"What CONVO_TEST_SECOND_TOKEN reads":          "2 agents, instead of 12 agents; workspace: 403",
				"Issues in this error":                        "`data.issues`",
				"Statistics of a draft":                       "404 `NOT_FOUND`",
				"Statistics without a period":                 "equal to allTime",
				"Undocumented fields":                         "`agents[].folderId` of `convo_agents`",
				"Fields that differ in two reads":             "`lastActivityAt` of `convo_workspace`",
				"Functions with the definitions":              "findings: empty_node",
				"Workspace of the listed agents":              "the audited one (11 times); unknown, because no definition names it",
				"Deviations from `internal/api/openapi.yaml`": "`getWorkspace`: workspace.paymentsConnectId is missing",
			},
		},
		"member, a damaged agent, and foreign agents": {
			service: service{token: devserver.TokenRead, agentQuery: byWorkspace, agentID: "agt_tide_visit"},
			seed: func(seed *devserver.Seed) {
				seed.Failures = map[string]int{"agt_workshop": http.StatusInternalServerError}
				for i := range seed.Agents {
					seed.Agents[i].WorkspaceID = "ws_larkspur01"
				}
			},
			change: withoutPublished,
			want: map[string]string{
				"Objects of the provider":        "`convo_agent` not read: 500 `INTERNAL_SERVER_ERROR`",
				"Problems of an audit":           "`read_failed`, read agent, 500",
				"Workspace of the listed agents": "another one; the audited one (10 times); unknown",
			},
		},
		"past due": {
			service: service{token: devserver.TokenWrite, agentQuery: byWorkspace},
			seed: func(seed *devserver.Seed) {
				seed.Failures = map[string]int{"getAgent": http.StatusNotFound, "getAgentStats": http.StatusNotFound}
			},
			want: map[string]string{
				"Objects of the provider":          "`convo_agent` not read: 404 `NOT_FOUND` (7 times)",
				"Null attributes of `convo_agent`": "not read: 404",
				"Access of the token's owner":      "not read: 404",
				"Functions with the definitions":   "no definition was read",
				"Definition of a published agent":  "unknown",
				"Problems of an audit":             "`read_failed`, read agent, 404 (12 times)",
				"Workspace of the listed agents":   "unknown, because no definition names it (12 times)",
				"Statistics of a draft":            "404 `NOT_FOUND`, but no statistics could be read",
			},
		},
		"no member": {
			service: service{token: devserver.TokenTidepool, agentQuery: byWorkspace},
			change:  withoutAgents,
			want: map[string]string{
				"Query for the list of agents":     "0 agents with CONVO_TEST_AGENT_QUERY",
				"Statistics of a draft":            "no agent is listed",
				"Statistics without a period":      "not read: no agent is listed",
				"Null attributes of `convo_agent`": "not read: no agent is listed",
				"Findings of `audit_report`":       "no_agents",
			},
		},
		"wrong token": {
			service: service{token: "no-token", agentQuery: byWorkspace},
			want: map[string]string{
				"Objects of the provider":          "`convo_workspace` not read: 401",
				"Null attributes of `convo_agent`": "not read: list of agents: 401",
				"Warnings":                         "not read: nothing was read",
				"Undocumented fields":              "not read: nothing was read",
			},
			faults: []string{
				"nothing was read (workspace: 401 `UNAUTHORIZED`): check CONVO_TOKEN, CONVO_BASE_URL, and CONVO_TEST_WORKSPACE_ID",
				"apply: Unable to read workspace",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := devserver.DefaultSeed()
			if test.seed != nil {
				test.seed(&seed)
			}
			var handler http.Handler = devserver.New(seed)
			if !test.isDocumented {
				handler = deviating(seed)
			}
			expect(t, handler, test.service, test.change, test.want, test.faults, t.Output())
		})
	}
}

// TestSuiteFindsFaults holds that a provider with other values than the responses fails, and that a plan
// that is not empty names its changes. The provider reads everything that the API has.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	change := func(r *http.Request, body map[string]any) {
		if r.URL.Path != "/v1/agents" || !strings.Contains(r.UserAgent(), "terraform") {
			return
		}
		body["agents"].([]any)[3].(map[string]any)["name"] = fmt.Sprint(requests.Add(1))
	}
	want := map[string]string{"Plan after an apply": "not empty: convo_audit_record.test"}
	s := expect(t, devserver.New(devserver.DefaultSeed()), service{token: devserver.TokenWrite}, change, want, []string{
		"convo_agents: agents differs from the response",
		"the plan after an apply is not empty: convo_audit_record.test, changes, agent name, record",
	}, t.Output())
	for _, o := range apitest.Operations() {
		if _, isSent := s.deviations[o.Name]; !isSent && o.Method == http.MethodGet {
			t.Errorf("make testacc does not read %s. Add it to objects() in provider_test.go (step 5 of Add a Data Source in ADDING.md)", o.Name)
		}
	}
}

// TestSuiteRefused holds that the log has the provider's message if nothing can be read, without the token.
func TestSuiteRefused(t *testing.T) {
	t.Parallel()
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"code": "FORBIDDEN", "message": "Owner of secret-1215 left"}`, http.StatusForbidden)
	})
	var log bytes.Buffer
	expect(t, refuse, service{token: "secret-1215"}, nil, nil, []string{
		"nothing was read (workspace: 403 `FORBIDDEN`): check CONVO_TOKEN, CONVO_BASE_URL, and CONVO_TEST_WORKSPACE_ID",
		"apply: Unable to read workspace",
	}, &log)
	if text := log.String(); !strings.Contains(text, "Owner of *** left") || strings.Contains(text, "secret-1215") {
		t.Errorf("logged:\n%s", text)
	}
}

// TestSuitePrintsNoValues holds that nothing of a response that deviates from the API's document is printed or logged.
func TestSuitePrintsNoValues(t *testing.T) {
	t.Parallel()
	const canary = "canary-1215"
	deviate := func(_ *http.Request, body map[string]any) {
		if _, isError := body["code"]; isError {
			body["code"], body["message"] = nil, canary+" message"
		}
		if _, exists := body["currentUserMode"]; exists {
			body["currentUserMode"] = canary + " value"
		}
		if workspace, ok := body["workspace"].(map[string]any); ok {
			delete(workspace, "plan")
			workspace[canary+" key"] = true
		}
		if list := listed(response{body: body}); len(list) > 0 {
			list[0].(map[string]any)["tags"] = []any{map[string]any{canary + " key": canary}}
		}
	}
	var log bytes.Buffer
	s := expect(t, devserver.New(devserver.DefaultSeed()), service{token: devserver.TokenWrite}, deviate, map[string]string{
		"Deviations from `internal/api/openapi.yaml`": "`getAgent`: currentUserMode has another type or value; `getAgentStats`: code is null; " +
			"`getWorkspace`: workspace.plan is missing; `listAgents`: agents[].tags[] has another type or value",
	}, nil, &log)
	if text := s.table() + log.String(); strings.Contains(text, canary) {
		t.Errorf("printed or logged:\n%s", text)
	}
}

// expect runs the suite against a development server.
func expect(
	t *testing.T, handler http.Handler, configured service, change change, want map[string]string, faults []string, log io.Writer,
) *suite {
	t.Helper()
	if !cliIsRecent() {
		t.Skipf("the suite requires Terraform 1.11 or OpenTofu 1.11, and this is %s %s", cliName, cliVersion)
	}
	server := httptest.NewServer(changed(handler, change))
	defer server.Close()
	configured.baseURL, configured.workspaceID = server.URL, "ws_larkspur01"
	configured.settings = []string{"CONVO_MAX_RETRIES=0"}
	s := &suite{T: t, directory: t.TempDir(), service: configured, log: log}
	s.run()
	if diff := cmp.Diff(faults, s.faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	cells := map[string]string{}
	for _, o := range s.observations {
		cells[o.undocumented] = o.observed
	}
	for _, o := range s.observations {
		for _, heading := range quoted.FindAllString(o.help, -1) {
			if !strings.Contains(pages(t), "# "+strings.Trim(heading, `"`)+"\n") {
				t.Errorf("%s: no page has the heading %s", o.undocumented, heading)
			}
		}
	}
	for row, part := range want {
		if !strings.Contains(cells[row], part) {
			t.Errorf("%s: got %q, want %q", row, cells[row], part)
		}
	}
	for _, secret := range []string{"agt_", "ws_", "larkspur", "Oancea", configured.token} {
		if strings.Contains(s.table(), secret) {
			t.Errorf("the table has %q:\n%s", secret, s.table())
		}
	}
	return s
}

// quoted matches the name of a page or a section.
var quoted = regexp.MustCompile(`"[^"]+"`)

// pages returns the text of all pages.
func pages(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no pages")
	}
	text := ""
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(content)
	}
	return text
}

// change changes the body of a response.
type change func(r *http.Request, body map[string]any)

func withoutPublished(_ *http.Request, body map[string]any) {
	list, _ := body["agents"].([]any)
	for _, summary := range list {
		delete(summary.(map[string]any), "isPublished")
	}
}

// twoAgentsForGuests leaves a published agent and a draft in a guest's list.
func twoAgentsForGuests(r *http.Request, body map[string]any) {
	list, _ := body["agents"].([]any)
	if len(list) > 0 && r.Header.Get("Authorization") == "Bearer "+devserver.TokenGuest {
		body["agents"] = list[1:3]
	}
}

// withoutAgents empties the list of a user who is no member of the workspace.
func withoutAgents(_ *http.Request, body map[string]any) {
	if body["agents"] != nil {
		body["agents"] = []any{}
	}
}

// deviating returns a server that deviates from the documentation as real services do: the list of agents requires a
// query parameter, drafts have no statistics, errors have their issues in data, and documented fields are missing.
func deviating(seed devserver.Seed) http.Handler {
	for i, agent := range seed.Agents {
		if bytes.Contains(agent.Summary, []byte(`"isPublished": false`)) {
			seed.Agents[i].Documents = nil
		}
	}
	server := devserver.New(seed)
	refusing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/agents" && !r.URL.Query().Has("workspaceId") {
			devserver.ErrorHandler(http.StatusBadRequest, "workspaceId: Required").ServeHTTP(w, r)
			return
		}
		server.ServeHTTP(w, r)
	})
	return changed(refusing, func(_ *http.Request, body map[string]any) {
		if workspace, ok := body["workspace"].(map[string]any); ok {
			for _, field := range []string{"chatUsage", "extras", "addons", "paymentsConnectId"} {
				delete(workspace, field)
			}
			workspace["lastActivityAt"] = time.Now().UTC().Format(time.RFC3339Nano)
		}
		remove(body, "agent", "exposure", "access", "share")
		remove(body, "agent", "safeguards", "security")
		if issues, ok := body["issues"]; ok {
			delete(body, "issues")
			body["data"] = map[string]any{"issues": issues}
		}
	})
}

// remove removes the value at a path of keys, if there is one.
func remove(object map[string]any, path ...string) {
	last := len(path) - 1
	for _, key := range path[:last] {
		object, _ = object[key].(map[string]any)
	}
	delete(object, path[last])
}

// changed returns a handler with changed responses.
func changed(handler http.Handler, change change) http.Handler {
	if change == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		var body map[string]any
		_ = json.Unmarshal(recorder.Body.Bytes(), &body)
		change(r, body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorder.Code)
		_ = json.NewEncoder(w).Encode(body)
	})
}
