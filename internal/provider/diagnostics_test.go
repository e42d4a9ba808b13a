// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

var update = flag.Bool("update", false, "write testdata/diagnostics.txt anew")

// Every diagnostic, as a user reads it, in one file: so that a change of a word
// shows, and the words can be reviewed in a row. After a change of words run
// "go test ./internal/provider -run TestDiagnostics -update" and read the diff.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	texts := map[string]string{}
	t.Run("all", func(t *testing.T) {
		for name, run := range diagnosticScenarios() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				text := run(t)
				mu.Lock()
				defer mu.Unlock()
				texts[name] = text
			})
		}
	})
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&got, "== %s\n%s\n", name, texts[name])
	}
	path := filepath.Join("testdata", "diagnostics.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("unexpected words (-want +got):\n%s", diff)
	}
}

// diagnosticScenarios returns functions that provoke diagnostics and return
// their texts, by name.
func diagnosticScenarios() map[string]func(*testing.T) string {
	scenarios := map[string]func(*testing.T) string{}
	for name, fault := range faults() {
		scenarios["response/"+name] = func(t *testing.T) string { return textsOfFault(t, fault) }
	}
	add := func(name string, provoke func(*testing.T) []*tfprotov6.Diagnostic) {
		scenarios[name] = func(t *testing.T) string { return shown(provoke(t)) }
	}
	for name, config := range map[string]object{
		"missing":            {},
		"unknown header":     {"base_url": "https://service.example/api", "token": "t", "headers": object{"Trailer": "a"}},
		"malformed base_url": {"base_url": "service.example", "token": "t"},
		"base_url with /v1":  {"base_url": "https://service.example/api/v1", "token": "t"},
		"token with a break": {"base_url": "https://service.example/api", "token": "t\n"},
		"timeout":            {"base_url": "https://service.example/api", "token": "t", "request_timeout": "30"},
		"a path for PEM":     {"base_url": "https://service.example/api", "token": "t", "ca_certificate_pem": "ca.pem"},
		"warnings":           {"base_url": "http://service.example/api", "token": "t", "insecure_skip_verify": true},
	} {
		add("configuration/"+name, func(t *testing.T) []*tfprotov6.Diagnostic { return newProtocol(t).configure(config) })
	}
	for name, c := range map[string]struct {
		source string
		config object
	}{
		"empty ID":       {"convo_agent", object{"agent_id": ""}},
		"an ID of dots":  {"convo_workspace", object{"workspace_id": ".."}},
		"a wrong period": {"convo_agent_stats", object{"agent_id": "a", "period": "last30days"}},
		"wrong periods":  {workspaceAuditType, object{"workspace_id": "w", "stats_periods": list{"yesterday"}}},
		"null in query":  {"convo_agents", object{"query": object{"a": nil}}},
		"unnamed query":  {"convo_agents", object{"query": object{"": "a"}}},
		"null in a set":  {workspaceAuditType, object{"workspace_id": "w", "agent_ids": list{nil}}},
		"graph findings": {workspaceAuditType, object{"workspace_id": "w", "include_graph_findings": true, "definitions": false}},
	} {
		add("argument/"+name, func(t *testing.T) []*tfprotov6.Diagnostic { return newProtocol(t).validateData(c.source, c.config) })
	}
	for name, config := range map[string]object{
		"no session":        {"session_id": " "},
		"payload":           {"session_id": "s", "payload": "{"},
		"agent and payload": {"session_id": "s", "agent_id": "a", "payload": "{}"},
	} {
		add("argument/"+name, func(t *testing.T) []*tfprotov6.Diagnostic {
			return newProtocol(t).validateResource(sessionAgent, config)
		})
	}
	read := func(name, source string, config object, start func(*testing.T) service) {
		add(name, func(t *testing.T) []*tfprotov6.Diagnostic {
			// One request at a time, so that it is always the same one that fails.
			_, diagnostics := configured(t, start(t), object{"max_concurrent_requests": number("1")}).read(source, config)
			return diagnostics
		})
	}
	audit := object{"workspace_id": "larkspur", "stats_periods": list{"today"}}
	definitions := object{"workspace_id": "larkspur"}
	read("list/incomplete", "convo_agents", object{}, func(t *testing.T) service { return responding(t, `{"agents":[],"nextPage":2}`) })
	read("audit/missing agents", workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{"agt_z", "agt_a"}},
		func(t *testing.T) service { return startService(t) })
	read("audit/foreign agents", workspaceAuditType, object{"workspace_id": "ws_tidepool02"}, func(t *testing.T) service { return startService(t) })
	read("audit/problems", workspaceAuditType, audit, func(t *testing.T) service {
		return startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
			switch r.URL.Path {
			case "/v1/agents/agt_jobs":
				return devserver.ErrorHandler(403)
			case "/v1/agents/agt_orders/analytics/stats":
				return drop("")
			}
			return nil
		}))
	})
	read("audit/outage", workspaceAuditType, definitions, func(t *testing.T) service {
		return startService(t, devserver.WithSeed(devserver.ManyAgents(60)), devserver.WithFault(func(r *http.Request) http.Handler {
			if strings.HasPrefix(r.URL.Path, "/v1/agents/") {
				return devserver.ErrorHandler(403)
			}
			return nil
		}))
	})
	add("session/destroyed", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configured(t, startService(t)).apply(object{"session_id": "s", "message": "success"}, nil)
		return diagnostics
	})
	add("session/not confirmed", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configured(t, responding(t, `{"message":"queued"}`)).apply(nil, object{"session_id": "s"})
		return diagnostics
	})
	add("session/imported without ID", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, _, diagnostics := configured(t, startService(t)).importing("", nil)
		return diagnostics
	})
	add("configuration/not known yet", func(t *testing.T) []*tfprotov6.Diagnostic {
		p := newProtocol(t)
		requireNoErrors(t, p.configure(object{"base_url": unknown, "token": "t"}))
		_, diagnostics := p.read("convo_agents", object{})
		return diagnostics
	})
	add("run/canceled", func(t *testing.T) []*tfprotov6.Diagnostic {
		p := configured(t, startService(t))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p.ctx = ctx
		_, diagnostics := p.read("convo_agents", object{})
		return diagnostics
	})
	for name, definition := range map[string]string{"no JSON": `{`, "no object": `[]`, "no graph": `{}`} {
		scenarios["function/"+name] = func(t *testing.T) string {
			_, failure := newProtocol(t).call("graph_findings", definition)
			if failure == nil {
				t.Fatal("the function succeeded")
			}
			return failure.Text + "\n"
		}
	}
	return scenarios
}

// shownFor are operations that show all there is to see: a read with an ID, one
// with advice of its own, one without an ID, and the update.
var shownFor = []string{"convo_agent", "convo_agent_stats", "convo_agents", sessionAgent}

// textsOfFault returns the texts of a fault, once for all operations whose
// texts differ in the names of the operation and the object only.
func textsOfFault(t *testing.T, fault fault) string {
	operations := map[string][]string{}
	for _, o := range apiOperations() {
		if !slices.Contains(shownFor, o.name) {
			continue
		}
		s := startService(t, devserver.WithFault(func(*http.Request) http.Handler { return fault.handler }))
		text := shown(o.run(configured(t, s, object{"max_retries": number("1"), "request_timeout": fault.timeout()})))
		text = strings.NewReplacer(o.task, "TASK", o.about, "OBJECT").Replace(text)
		operations[text] = append(operations[text], o.name)
	}
	var parts []string
	for text, names := range operations {
		parts = append(parts, strings.Join(names, ", ")+"\n"+text)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

var serviceURL = regexp.MustCompile(`URL: http://127\.0\.0\.1:\d+/\S+`)

// shown writes diagnostics without what differs from run to run.
func shown(diagnostics []*tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, d := range diagnostics {
		kind := "Error"
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			kind = "Warning"
		}
		at := ""
		if d.Attribute != nil {
			at = " (at " + d.Attribute.String() + ")"
		}
		fmt.Fprintf(&text, "%s: %s%s\n%s\n", kind, d.Summary, at, serviceURL.ReplaceAllString(d.Detail, "URL: ..."))
	}
	return text.String()
}

// The advice that needs a network which no test has, or which differs from
// machine to machine.
func TestAdviceWithoutAResponse(t *testing.T) {
	t.Parallel()
	for reason, want := range map[convo.Reason]string{
		convo.ReasonCanceled: "", convo.ReasonConnection: "Check base_url, your network connection,", convo.ReasonTimeout: "raise request_timeout",
		convo.ReasonHostNotFound: "Check the spelling of the host in base_url", convo.ReasonProxy: "Check the proxy in the environment variable",
		convo.ReasonProxyNotFound: "Check the proxy in the environment variable", convo.ReasonCertificate: "set ca_certificate_pem",
		convo.ReasonCertificateExpired: "operators need to renew the certificate", convo.ReasonCertificateHost: "Check the host in base_url.",
		convo.ReasonHandshake: "set client_certificate_pem", convo.ReasonNotTLS: "The server does not use TLS",
		convo.ReasonRedirect: "redirect requests without a valid token to a login page",
		convo.ReasonTooLarge: "No response of the API should be that large",
	} {
		if got := adviceForTransport(&convo.TransportError{Reason: reason}); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%d: got %q, want %q", reason, got, want)
		}
	}
}
