// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// readEveryWay reads through the framework alone, through the provider's server,
// which bypasses it, and as an ephemeral resource. State and diagnostics must be
// the same.
func readEveryWay(t *testing.T, s service, source string, config object, changes ...object) (object, []*tfprotov6.Diagnostic) {
	t.Helper()
	state, diagnostics := newFrameworkProtocol(t).configuredFor(s, changes...).read(source, config)
	for way, read := range map[string]func(string, object) (object, []*tfprotov6.Diagnostic){
		"the server": configured(t, s, changes...).read, "an ephemeral resource": configured(t, s, changes...).open,
	} {
		otherState, otherDiagnostics := read(source, config)
		if diff := cmp.Diff(state, otherState); diff != "" {
			t.Errorf("the state differs (-framework +%s):\n%s", way, diff)
		}
		if diff := cmp.Diff(severities(diagnostics), severities(otherDiagnostics)); diff != "" {
			t.Errorf("the diagnostics differ (-framework +%s):\n%s", way, diff)
		}
	}
	return state, diagnostics
}

// severities describes diagnostics with their severities.
func severities(diagnostics []*tfprotov6.Diagnostic) []string {
	var texts []string
	for _, d := range diagnostics {
		texts = append(texts, d.Severity.String()+" "+describe(d))
	}
	return texts
}

// Every read returns what a person expects of the development server, with
// exactly the requests that it needs.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, test := range readCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			state, diagnostics := readEveryWay(t, s, test.source, test.config)
			requireExactly(t, diagnostics)
			want := object{}
			for name := range state {
				want[name] = test.config[name] // null, if the case does not set the argument
			}
			for name, value := range test.want {
				want[name] = value
			}
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
			requests := slices.Repeat(test.requests, 3)
			slices.Sort(requests)
			if diff := cmp.Diff(requests, s.sent()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A documented field that is missing is null, and one warning names all of them.
func TestReadsWarnAboutMissingFields(t *testing.T) {
	t.Parallel()
	for _, test := range casesOfOneRequest() {
		for response, missing := range test.missing {
			t.Run(test.name+"/"+response, func(t *testing.T) {
				t.Parallel()
				state, diagnostics := readEveryWay(t, responding(t, response), test.source, test.config)
				requireExactly(t, diagnostics, "[] Documented fields are missing\nThe service's response for "+test.about+
					" does not contain these values, which the API documents as never null: "+missing+". The attributes are null.")
				for name := range strings.SplitSeq(missing, ", ") {
					if value, ok := state[name]; !ok || value != nil {
						t.Errorf("%s is %v", name, value)
					}
				}
			})
		}
	}
}

// A response that does not conform to the API fails the read, and the error
// lists everything that is wrong.
func TestReadsRejectInvalidResponses(t *testing.T) {
	t.Parallel()
	for _, test := range casesOfOneRequest() {
		for response, want := range test.invalid {
			t.Run(test.name+"/"+response, func(t *testing.T) {
				t.Parallel()
				_, diagnostics := readEveryWay(t, responding(t, response), test.source, test.config)
				requireError(t, diagnostics, "Unable to "+test.task, "The service returned 200 OK for "+test.about+
					", but the response does not match the documented API:\n"+want)
			})
		}
	}
}

// Errors of the service are shown at the argument that is at fault.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for name, test := range map[string]struct {
		token  string
		source string
		config object
		want   string
	}{
		"a wrong token":   {token: "wrong", source: "convo_agent", config: object{"agent_id": "agt_returns"}, want: "[] Unable to read agent\nThe service returned 401 Unauthorized"},
		"no access":       {token: devserver.TokenNoAccess, source: "convo_agents", config: object{}, want: "[] Unable to read agents\nThe service returned 403 Forbidden"},
		"guest":           {token: devserver.TokenGuest, source: "convo_members", config: object{"workspace_id": "larkspur"}, want: "[] Unable to read members\nThe service returned 403 Forbidden"},
		"no agent":        {token: devserver.TokenWrite, source: "convo_agent", config: object{"agent_id": "agt_nope"}, want: "[AttributeName(\"agent_id\")] Unable to read agent\nThe service returned 404 Not Found"},
		"no statistics":   {token: devserver.TokenWrite, source: "convo_agent_stats", config: object{"agent_id": "agt_nope"}, want: "[AttributeName(\"agent_id\")] Unable to read agent statistics\nThe service returned 404 Not Found"},
		"no workspace":    {token: devserver.TokenWrite, source: "convo_workspace", config: object{"workspace_id": "nope"}, want: "[AttributeName(\"workspace_id\")] Unable to read workspace\nThe service returned 404 Not Found"},
		"no members":      {token: devserver.TokenWrite, source: "convo_members", config: object{"workspace_id": "nope"}, want: "[AttributeName(\"workspace_id\")] Unable to read members\nThe service returned 404 Not Found"},
		"no such period":  {token: devserver.TokenWrite, source: "convo_agent_stats", config: object{"agent_id": "agt_returns", "period": "fortnight"}, want: "[] Unable to read agent statistics\nThe service returned 400 Bad Request"},
		"a missing agent": {token: devserver.TokenWrite, source: workspaceAuditType, config: object{"workspace_id": "larkspur", "agent_ids": list{"agt_nope"}}, want: "[AttributeName(\"agent_ids\")] Unable to audit workspace\nThe service did not list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics := readEveryWay(t, s, test.source, test.config, object{"token": test.token})
			requireError(t, diagnostics, test.want)
		})
	}
}

// An ID that cannot be sent fails at its argument without a request, even if
// validation did not see it. Arguments that are unknown are not sent either.
func TestReadsWithoutARequest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := readEveryWay(t, s, "convo_agent", object{"agent_id": ".."})
	requireExactly(t, diagnostics, "[AttributeName(\"agent_id\")] Unable to read agent\nThe ID of the agent \"..\" is not a valid ID, because it has a "+
		"special meaning in a URL path.")
	_, diagnostics = configured(t, s).read("convo_agents", object{"query": unknown})
	requireError(t, diagnostics, "[AttributeName(\"query\")]")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestReadArguments(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	for name, test := range map[string]struct {
		source string
		config object
		want   []string
	}{
		"empty ID":            {"convo_agent", object{"agent_id": ""}, []string{"agent_id", "must not be empty"}},
		"two dots":            {"convo_workspace", object{"workspace_id": ".."}, []string{"workspace_id", `".."`}},
		"a dot":               {"convo_members", object{"workspace_id": "."}, []string{"workspace_id", `"."`}},
		"ID of an audit":      {workspaceAuditType, object{"workspace_id": ""}, []string{"workspace_id", "must not be empty"}},
		"period":              {"convo_agent_stats", object{"agent_id": "a", "period": "last8Days"}, []string{"period", `"last7Days"`, "last8Days"}},
		"empty period":        {"convo_agent_stats", object{"agent_id": "a", "period": ""}, []string{"period"}},
		"null in a query":     {"convo_agents", object{"query": object{"a": nil}}, []string{"query"}},
		"query without a key": {"convo_agent", object{"agent_id": "a", "query": object{"": "a"}}, []string{"query"}},
		"query of statistics": {"convo_agent_stats", object{"agent_id": "a", "query": object{"a": nil}}, []string{"query"}},
		"query of an audit":   {workspaceAuditType, object{"workspace_id": "w", "agent_query": object{"a": nil}}, []string{"agent_query"}},
		"period of an audit":  {workspaceAuditType, object{"workspace_id": "w", "stats_periods": list{"today", "never"}}, []string{"stats_periods", "never", "last7Days"}},
		"null period":         {workspaceAuditType, object{"workspace_id": "w", "stats_periods": list{nil}}, []string{"stats_periods"}},
		"empty ID in a set":   {workspaceAuditType, object{"workspace_id": "w", "agent_ids": list{""}}, []string{"agent_ids", "must not be empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, p.validateData(test.source, test.config), test.want...)
		})
	}
	for _, period := range []any{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime", unknown} {
		requireNoErrors(t, p.validateData("convo_agent_stats", object{"agent_id": unknown, "period": period}))
	}
}

// Four failures in a row are survived with exactly four more requests.
func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	for name, handler := range temporaryFaults() {
		for _, c := range oneCasePerRead() {
			t.Run(name+"/"+c.source, func(t *testing.T) {
				t.Parallel()
				s := startService(t, devserver.WithFault(firstFaults(4, handler)))
				configured(t, s, object{"max_retries": nil}).mustRead(c.source, c.config)
				if got := len(s.Requests()); got != 4+len(c.requests) {
					t.Errorf("sent %d requests, want %d", got, 4+len(c.requests))
				}
			})
		}
	}
}

// temporaryFaults are faults after which a read is retried.
func temporaryFaults() map[string]http.Handler {
	return map[string]http.Handler{
		"429":                    devserver.ErrorHandler(http.StatusTooManyRequests),
		"500":                    devserver.ErrorHandler(http.StatusInternalServerError),
		"503":                    devserver.ErrorHandler(http.StatusServiceUnavailable),
		"a dropped connection":   drop(""),
		"a body that breaks off": drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"),
	}
}
