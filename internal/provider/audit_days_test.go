// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const noOther = "\n## Other changes\n\nThere are no changes.\n"

// days is a workspace that is audited day after day through the protocol, with what the
// configuration of the example does: TestExamples/audit-in-ci runs it with the CLI.
type days struct {
	t       *testing.T
	options []option // of the service
	state   object   // of the record, nil if there is none
}

// protocolDay is one day, and its result.
type protocolDay struct {
	w              *days
	errors, report string
	apply          func() (object, []*tfprotov6.Diagnostic)
}

// run audits the workspace, plans its record, and writes the report.
func (w *days) run() protocolDay {
	w.t.Helper()
	p := configuredProvider(w.t, startService(w.t, w.options...))
	audit, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "include_graph_findings": true, "stats_periods": list{"last30Days"}})
	if errors := errorsIn(diagnostics); len(errors) > 0 {
		return protocolDay{w: w, errors: oneLine(shown(errors))}
	}
	text, err := json.Marshal(audit)
	if err != nil {
		w.t.Fatal(err)
	}
	config := object{"audit": string(text), "accepted": object{"first_record": "The test begins."}}
	plan := p.plan(auditRecordType, w.state, config)
	record := p.planned(auditRecordType, plan)
	apply := func() (object, []*tfprotov6.Diagnostic) { return p.apply(auditRecordType, plan, w.state, config) }
	delete(record, "audit")
	report := p.mustCall("audit_report", string(text), record, list{}).(object)
	d := protocolDay{w: w, report: report["markdown"].(string), apply: apply}
	for _, message := range report["errors"].(list) {
		d.errors += oneLine(message.(string)) + " "
	}
	return d
}

// oneLine joins the words of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// passes requires no errors, and texts of the report, and records the audit, which changes no
// earlier record.
func (d protocolDay) passes(texts ...string) protocolDay {
	d.w.t.Helper()
	if d.errors != "" {
		d.w.t.Fatalf("the audit failed: %s", d.errors)
	}
	state, diagnostics := d.apply()
	requireNoErrors(d.w.t, diagnostics)
	if diff := cmp.Diff(d.w.state, state); diff != "" && d.w.state != nil {
		d.w.t.Fatalf("the record differs (-before +after):\n%s", diff)
	}
	d.w.state = state
	for _, text := range texts {
		if !strings.Contains(d.report, text) {
			d.w.t.Errorf("the report does not contain %q:\n%s", text, d.report)
		}
	}
	return d
}

// fails requires these errors. Nothing is recorded.
func (d protocolDay) fails(errors ...string) {
	d.w.t.Helper()
	for _, text := range errors {
		if !strings.Contains(d.errors, text) {
			d.w.t.Errorf("the errors do not contain %q: %s", text, d.errors)
		}
	}
}

// A service that answers for one day in another way, or with what is
// not that of the workspace. The next day has no changes.
func TestAuditDays_answers(t *testing.T) {
	t.Parallel()
	w := &days{t: t}
	first := w.run().passes()
	const kiosk = "/v1/agents/agt_kiosk"
	for _, test := range []struct {
		path   string
		answer func(w http.ResponseWriter, body string) string
		errors []string // none if the audit passes
	}{
		{"/v1/agents", func(w http.ResponseWriter, body string) string { w.Header().Set("X-Total-Count", "99"); return body }, []string{"incomplete_list/list_agents list agents: "}},
		{"/v1/workspaces/larkspur/members", replaced(`{"members":[`, `{"nextPageToken":"2","members":[`), []string{"incomplete_list/list_members list members: "}},
		{"/v1/agents", replaced(`{"agents":[`, `{"nextPageToken":null,"quota":{"total":500},"agents":[`), nil},
		{kiosk, func(w http.ResponseWriter, body string) string {
			w.Header().Set("Location", "/api/v1/agents/agt_orders")
			w.WriteHeader(http.StatusFound)
			return body
		}, []string{"read_failed/agt_kiosk/read_agent Shop kiosk – Größenberatung (agt_kiosk): read agent: "}},
		{"/v1/agents/agt_survey/analytics/stats", withStatus(http.StatusNotFound), nil},
		{"/v1/workspaces/larkspur", withStatus(http.StatusNotFound), []string{"Unable to read workspace"}},
		{"", func(_ http.ResponseWriter, body string) string {
			if strings.HasPrefix(body, `{"agent":`) {
				return `{"agent":{"profile":{"title":"A"}},"currentUserMode":"write"}`
			}
			return body
		}, []string{"access_changed/"}},
		{"", func(_ http.ResponseWriter, body string) string {
			decoder := json.NewDecoder(strings.NewReader(body))
			decoder.UseNumber()
			var value any
			_ = decoder.Decode(&value)
			text, _ := json.MarshalIndent(value, " ", "\t") // The keys are sorted.
			return string(text)
		}, nil},
	} {
		w.options = []option{answering(test.path, test.answer)}
		if len(test.errors) > 0 {
			w.run().fails(test.errors...) // and records nothing
			continue
		}
		if day := w.run().passes(noOther); day.report != first.report {
			t.Errorf("the report differs (-before +after):\n%s", cmp.Diff(first.report, day.report))
		}
		w.options = nil
		w.run().passes(noOther)
	}
}

// answering changes the responses for a path, or for all if it is empty.
func answering(path string, answer func(w http.ResponseWriter, body string) string) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path != "" && path != r.URL.Path {
				next.ServeHTTP(w, r)
				return
			}
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			var body bytes.Buffer
			if err := json.Compact(&body, recorder.Body.Bytes()); err != nil {
				panic(err)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer(w, body.String()))
		})
	}
}

func replaced(before, after string) func(http.ResponseWriter, string) string {
	return func(_ http.ResponseWriter, body string) string {
		if !strings.Contains(body, before) {
			panic("the response does not contain " + before)
		}
		return strings.ReplaceAll(body, before, after)
	}
}

func withStatus(status int) func(http.ResponseWriter, string) string {
	return func(w http.ResponseWriter, _ string) string {
		w.WriteHeader(status)
		return `{"code":"CODE","message":"A message."}`
	}
}
