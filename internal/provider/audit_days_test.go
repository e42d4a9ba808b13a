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

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// changingWorkspace is the development server's data, which a test changes from day to day.
type changingWorkspace struct {
	t    *testing.T
	seed devserver.Seed
	// options of the service, and accepted findings.
	options  []option
	accepted map[string]string
}

func newChangingWorkspace(t *testing.T) changingWorkspace {
	return changingWorkspace{t: t, seed: devserver.DefaultSeed(), accepted: map[string]string{}}
}

// accept accepts findings with a key, in addition to others.
func (w *changingWorkspace) accept(key, reason string) { w.accepted[key] = reason }

// start starts a service with the data.
func (w *changingWorkspace) start() service {
	w.t.Helper()
	return startService(w.t, append([]option{withSeed(w.seed)}, w.options...)...)
}

// edit replaces a text in the definition of an agent.
func (w *changingWorkspace) edit(agentID, before, after string) {
	w.t.Helper()
	for i, agent := range w.seed.Agents {
		if agent.ID == agentID {
			w.seed.Agents[i].Definition = w.replace(agent.Definition, before, after)
		}
	}
}

// editWorkspace replaces a text in a document of the workspace, such as members.
func (w *changingWorkspace) editWorkspace(document, before, after string) {
	w.t.Helper()
	documents := w.seed.Workspaces[0].Documents
	documents[document] = w.replace(documents[document], before, after)
}

func (w *changingWorkspace) replace(text []byte, before, after string) []byte {
	w.t.Helper()
	if !bytes.Contains(text, []byte(before)) {
		w.t.Fatalf("%q is not in %s", before, text)
	}
	return bytes.ReplaceAll(text, []byte(before), []byte(after))
}

const (
	otherChanges = "\n## Other changes\n\n| Found | What | Name | ID | Before | Now | Reason |\n|---|---|---|---|---|---|---|\n| "
	noOther      = "\n## Other changes\n\nThere are no changes.\n"
)

// days is a workspace that is audited day after day through the protocol, with what the
// configuration of the example does: TestExamples/audit-in-ci runs it with the CLI.
type days struct {
	changingWorkspace
	config object // of the audit
	state  object // of the record, nil if there is none
}

func newDays(t *testing.T) *days {
	return &days{changingWorkspace: newChangingWorkspace(t), config: object{"workspace_id": "larkspur", "include_graph_findings": true}}
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
	p := configuredProvider(w.t, w.start())
	audit, diagnostics := p.read(workspaceAuditType, w.config)
	if errors := errorsIn(diagnostics); len(errors) > 0 {
		return protocolDay{w: w, errors: oneLine(shown(errors))}
	}
	text, err := json.Marshal(audit)
	if err != nil {
		w.t.Fatal(err)
	}
	accepted := object{}
	for key, reason := range w.accepted {
		accepted[key] = reason
	}
	config := object{"audit": string(text), "accepted": accepted}
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

// passes requires no errors, records the audit, and requires what happens to the record,
// and texts of the report.
func (d protocolDay) passes(action string, texts ...string) protocolDay {
	d.w.t.Helper()
	if d.errors != "" {
		d.w.t.Fatalf("the audit failed: %s", d.errors)
	}
	state, diagnostics := d.apply()
	requireNoErrors(d.w.t, diagnostics)
	got := "update"
	if d.w.state == nil {
		got = "create"
	} else if cmp.Equal(d.w.state, state) {
		got = "no-op"
	}
	if got != action {
		d.w.t.Fatalf("the action is %s, want %s (-before +after):\n%s", got, action, cmp.Diff(d.w.state, state))
	}
	d.w.state = state
	d.reports(texts...)
	return d
}

// fails requires these errors. Nothing is recorded.
func (d protocolDay) fails(errors ...string) protocolDay {
	d.w.t.Helper()
	for _, text := range errors {
		if !strings.Contains(d.errors, text) {
			d.w.t.Errorf("the errors do not contain %q: %s", text, d.errors)
		}
	}
	return d
}

// reports requires texts of the report.
func (d protocolDay) reports(texts ...string) {
	d.w.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.report, text) {
			d.w.t.Errorf("the report does not contain %q:\n%s", text, d.report)
		}
	}
}

// Changes that concern no access are recorded, and nothing else is a change.
func TestAuditDays_changes(t *testing.T) {
	t.Parallel()
	w := newDays(t)
	w.accept("first_record", "The test begins.")
	w.run().passes("create")
	w.edit("agt_orders", "Your order number, please.", "What is your order number?")
	w.run().passes("update", otherChanges, " | agent definition | Order status | agt\\_orders | – | changed: node Ask (grp\\_ask) | – |\n")
	w.run().passes("no-op")

	// A moved box is told from a changed text.
	w.edit("agt_orders", `"x": 400`, `"x": 410`)
	w.run().passes("update", "| agent layout | Order status | agt\\_orders | – | changed: layout | – |\n")

	// Only an accepted entry is added: the record has no difference.
	w.accept("workspace_past_due", "The invoice is being clarified.")
	w.run().passes("update", "| workspace\\_past\\_due | – | A payment of the workspace is past due. | The invoice is being clarified. |\n")
	w.accept("unknown_rule", "It is a typo.")
	w.run().passes("update", "match no finding: ", "unknown\\_rule. ")

	w.edit("agt_trade", `"revision": "64"`, `"revision": "65"`)
	w.editWorkspace("workspace", `"PRO"`, `"FREE"`)
	w.run().passes("update", "| workspace plan | Larkspur Bicycles | ws\\_larkspur01 | PRO | FREE | – |\n",
		"| agent revision | Trade desk | agt\\_trade | revision 64 | revision 65 | – |\n")
	want := []string{
		"record ws_larkspur01, access", "agent definition agt_orders", "agent layout agt_orders", "workspace plan ws_larkspur01", "agent revision agt_trade",
	}
	if diff := cmp.Diff(want, changesIn(w.state)); diff != "" {
		t.Errorf("unexpected changes in the state (-want +got):\n%s", diff)
	}
}

// A service that answers for one day in another way, or with what is
// not that of the workspace. The next day has no changes.
func TestAuditDays_answers(t *testing.T) {
	t.Parallel()
	w := newDays(t)
	w.accept("first_record", "The test begins.")
	w.config["stats_periods"] = list{"last30Days"}
	first := w.run().passes("create")
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
		if day := w.run().passes("no-op", noOther); day.report != first.report {
			t.Errorf("the report differs (-before +after):\n%s", cmp.Diff(first.report, day.report))
		}
		w.options = nil
		w.run().passes("no-op", noOther)
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
