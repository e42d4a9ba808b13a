// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/tls"
	"errors"
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
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

var update = flag.Bool("update", false, "write the expected files of TestDiagnostics and TestAttributes, and the sources of pictures, anew")

// Every diagnostic, as a user reads it, in one file, so that a change of a word
// shows, and the words can be reviewed in a row. After a change, run
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
				for _, noise := range []string{"invalid character", "cannot unmarshal", "%!", "goroutine", "tftypes", "shr_secret", devserver.TokenWrite} {
					if strings.Contains(text, noise) {
						t.Errorf("the text contains %q:\n%s", noise, text)
					}
				}
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
	if diff := cmp.Diff(readText(t, path), got.String()); diff != "" {
		t.Errorf("unexpected words (-want +got):\n%s", diff)
	}
}

// diagnosticScenarios returns functions that provoke diagnostics and return
// their texts, by name.
func diagnosticScenarios() map[string]func(*testing.T) string {
	scenarios := map[string]func(*testing.T) string{}
	for name, fault := range faultyResponses() {
		scenarios["response/"+name] = func(t *testing.T) string { return textsOfFault(t, fault, "1m") }
	}
	scenarios["response/no response in time"] = func(t *testing.T) string { return textsOfFault(t, hang, "500ms") }
	add := func(name string, provoke func(*testing.T) []*tfprotov6.Diagnostic) {
		scenarios[name] = func(t *testing.T) string { return shown(provoke(t)) }
	}
	for name, config := range map[string]object{
		"missing":            {},
		"reserved header":    {"base_url": "https://service.example/api", "token": "t", "headers": object{"Trailer": "a"}},
		"token as a header":  {"base_url": "https://service.example/api", "token": "t", "headers": object{"Authorization": "a"}},
		"name of a header":   {"base_url": "https://service.example/api", "token": "t", "headers": object{"X-A:": "a"}},
		"null as a header":   {"base_url": "https://service.example/api", "token": "t", "headers": object{"X-A": nil}},
		"value of a header":  {"base_url": "https://service.example/api", "token": "t", "headers": object{"X-A": " a"}},
		"too many retries":   {"base_url": "https://service.example/api", "token": "t", "max_retries": number("21")},
		"no rate":            {"base_url": "https://service.example/api", "token": "t", "max_requests_per_second": number("0")},
		"base_url and space": {"base_url": "https://service.example/api ", "token": "t"},
		"base_url in quotes": {"base_url": `"https://service.example/api"`, "token": "t"},
		"base_url and user":  {"base_url": "https://user:pass@service.example/api", "token": "t"},
		"half escaped path":  {"base_url": "https://service.example/a%2Fb c", "token": "t"},
		"period parameter":   {"base_url": "https://service.example/api", "token": "t", "stats_period_parameter": ""},
		"client certificate": {"base_url": "https://service.example/api", "token": "t", "client_certificate_pem": "a.crt", "client_key_pem": "a.key"},
		"malformed base_url": {"base_url": "service.example", "token": "t"},
		"base_url with /v1":  {"base_url": "https://service.example/api/v1", "token": "t"},
		"token with a break": {"base_url": "https://service.example/api", "token": "t\n"},
		"timeout":            {"base_url": "https://service.example/api", "token": "t", "request_timeout": "30"},
		"a path for PEM":     {"base_url": "https://service.example/api", "token": "t", "ca_certificate_pem": "ca.pem"},
		"warnings":           {"base_url": "http://service.example/api", "token": "t", "insecure_skip_verify": true},
	} {
		add("configuration/"+name, func(t *testing.T) []*tfprotov6.Diagnostic { return newTestProvider(t).configure(config) })
	}
	for name, c := range map[string]struct {
		source string
		config object
	}{
		"empty ID":       {"convo_agent", object{"agent_id": ""}},
		"ID with break":  {"convo_workspace", object{"workspace_id": "ws_1\n"}},
		"a URL as ID":    {"convo_workspace", object{"workspace_id": "https://service.example/ws_1"}},
		"an ID of dots":  {"convo_workspace", object{"workspace_id": ".."}},
		"a wrong period": {"convo_agent_stats", object{"agent_id": "a", "period": "last30days"}},
		"wrong periods":  {workspaceAuditType, object{"workspace_id": "w", "stats_periods": list{"yesterday"}}},
		"null in query":  {"convo_agents", object{"query": object{"a": nil}}},
		"unnamed query":  {"convo_agents", object{"query": object{"": "a"}}},
		"null in audit":  {workspaceAuditType, object{"workspace_id": "w", "agent_query": object{"workspaceId": nil}}},
		"null in a list": {workspaceAuditType, object{"workspace_id": "w", "agent_ids": list{nil}}},
		"null in a set":  {workspaceAuditType, object{"workspace_id": "w", "stats_periods": list{nil}}},
		"graph findings": {workspaceAuditType, object{"workspace_id": "w", "include_graph_findings": true, "definitions": false}},
	} {
		add("argument/"+name, func(t *testing.T) []*tfprotov6.Diagnostic { return newTestProvider(t).validateData(c.source, c.config) })
	}
	for name, config := range map[string]object{
		"no session":        {"session_id": ""},
		"payload":           {"session_id": "s", "payload": "{"},
		"agent and payload": {"session_id": "s", "agent_id": "a", "payload": "{}"},
		"empty agent":       {"session_id": "s", "agent_id": ""},
	} {
		add("argument/"+name, func(t *testing.T) []*tfprotov6.Diagnostic {
			return newTestProvider(t).validateResource(sessionAgent, config)
		})
	}
	audit := func(name string, config object, start func(*testing.T) service) {
		add("audit/"+name, func(t *testing.T) []*tfprotov6.Diagnostic {
			// One request at a time, so that it is always the same one that fails.
			_, diagnostics := configuredProvider(t, start(t), object{"max_concurrent_requests": number("1")}).read(workspaceAuditType, larkspurAudit(config))
			return diagnostics
		})
	}
	serving := func(options ...option) func(*testing.T) service {
		return func(t *testing.T) service { return startService(t, options...) }
	}
	audit("missing agents", object{"agent_ids": list{"agt_z", "agt_a"}}, serving())
	audit("foreign agents", object{"workspace_id": "ws_tidepool02"}, serving())
	audit("missing fields", object{"agent_ids": list{"agt_jobs"}}, serving(withoutFields("workspace.lastActivityAt", "currentUserMode")))
	audit("past due", object{}, serving(withSeed(devservertest.ManyAgents(60)), withFault(unpaidAgents)))
	audit("no agents", object{}, func(t *testing.T) service {
		return startServiceWithFaults(t, faults{"/v1/agents": jsonHandler(200, `{"agents":[]}`)})
	})
	audit("problems", object{"stats_periods": list{"today"}}, func(t *testing.T) service {
		return startServiceWithFaults(t, faults{"/v1/agents/agt_jobs": devserver.ErrorHandler(403), "/v1/agents/agt_orders/analytics/stats": drop("")})
	})
	audit("outage", object{}, func(t *testing.T) service { return failingAgents(t, 60, 5, devserver.ErrorHandler(503)) })
	audit("401", object{}, func(t *testing.T) service { return failingAgents(t, 60, 20, devserver.ErrorHandler(401)) })
	audit("no list without a query", object{}, serving(workspaceInQuery))
	add("list/incomplete", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configuredProvider(t, startServiceReturning(t, `{"agents":[],"nextPage":2}`)).read("convo_agents", object{})
		return diagnostics
	})
	add("response/an error in a success", func(t *testing.T) []*tfprotov6.Diagnostic {
		s := startServiceReturning(t, `{"code":"FORBIDDEN","message":"Insufficient access","issues":[]}`)
		_, diagnostics := configuredProvider(t, s).read("convo_agent", object{"agent_id": "a"})
		return diagnostics
	})
	add("response/missing fields", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configuredProvider(t, startServiceReturning(t, `{"stats":{"totalStarts":1}}`)).read("convo_agent_stats", object{"agent_id": "a"})
		return diagnostics
	})
	add("session/destroyed", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configuredProvider(t, startService(t)).apply(object{"session_id": "s", "message": "success"}, nil)
		return diagnostics
	})
	add("session/not confirmed", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, diagnostics := configuredProvider(t, startServiceReturning(t, `{"message":"queued"}`)).apply(nil, object{"session_id": "s"})
		return diagnostics
	})
	add("session/imported without ID", func(t *testing.T) []*tfprotov6.Diagnostic {
		_, _, diagnostics := configuredProvider(t, startService(t)).importing("", nil)
		return diagnostics
	})
	add("configuration/not known yet", func(t *testing.T) []*tfprotov6.Diagnostic {
		p := newTestProvider(t)
		requireNoErrors(t, p.configure(object{"base_url": unknown, "token": "t"}))
		_, diagnostics := p.read("convo_agents", object{})
		return diagnostics
	})
	add("run/canceled", func(t *testing.T) []*tfprotov6.Diagnostic {
		p := configuredProvider(t, startService(t))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p.ctx = ctx
		_, diagnostics := p.read("convo_agents", object{})
		_, updateDiagnostics := p.apply(nil, object{"session_id": "s"})
		return append(diagnostics, updateDiagnostics...) // Nothing was sent, so the update has no effect.
	})
	add("response/a limit as 403", func(*testing.T) []*tfprotov6.Diagnostic {
		limit := &convo.ResponseError{URL: "http://127.0.0.1:1/v1/agents/a", Status: 403, RetryAfter: time.Second, Attempts: 5, Message: "You exceeded a secondary rate limit"}
		return protocolDiagnostics(diag.Diagnostics{(&providerData{}).agentMessages("agent", "a").readError(limit)})
	})
	for name, err := range map[string]*convo.TransportError{
		"a certificate": {Reason: convo.ReasonTLS, Err: errors.New("x509: certificate signed by unknown authority")}, // Its text differs between systems.
		"no TLS":        {Reason: convo.ReasonTLS, Err: http.ErrSchemeMismatch},
		"no handshake":  {Reason: convo.ReasonTLS, Err: tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}},
		"a proxy":       {Reason: convo.ReasonProxy, Err: errors.New("the proxy p.example:8080, which the environment variable HTTPS_PROXY sets, did not connect to the service: it returned 403 Forbidden")},
		"a login":       {Reason: convo.ReasonProxy, Err: errors.New("the proxy p.example:8080, which the environment variable HTTPS_PROXY sets, did not connect to the service: it returned 407 Proxy Authentication Required")},
		"too large":     {Reason: convo.ReasonTooLarge, Err: errors.New("the response is larger than 64 MiB")},
	} {
		err.URL = "http://127.0.0.1:1/v1/agents/a"
		add("response/"+name, func(*testing.T) []*tfprotov6.Diagnostic {
			return protocolDiagnostics(diag.Diagnostics{(&providerData{}).agentMessages("agent", "a").readError(err)})
		})
	}
	for name, definition := range map[string]string{"no JSON": `{`, "no object": `[]`, "no graph": `{}`} {
		scenarios["function/"+name] = func(t *testing.T) string {
			_, failure := newTestProvider(t).call("graph_findings", definition)
			if failure == nil {
				t.Fatal("the function succeeded")
			}
			return failure.Text + "\n"
		}
	}
	return scenarios
}

func TestManyIssues(t *testing.T) {
	t.Parallel()
	issues := strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22")
	got := (&providerData{}).agentMessages("agent", "a").readError(&convo.ResponseError{Status: 409, Issues: issues}).Detail()
	if !strings.Contains(got, "\n  - 1\n") || !strings.Contains(got, "\n  - 20\n  - and 2 more\n") {
		t.Errorf("got %s", got)
	}
}

// faultyResponses are what a service, or something in front of it, can respond
// instead of what the API documents.
func faultyResponses() map[string]http.HandlerFunc {
	envelope := func(status int, issues ...string) http.HandlerFunc {
		return devserver.ErrorHandler(status, issues...).ServeHTTP
	}
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const page = "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Please log in</body></html>"
	const half = `{"workspace":{"id":"w-1","token":"shr_secret`
	return map[string]http.HandlerFunc{
		"400":                   envelope(400, "first issue", "second issue"),
		"401":                   envelope(401),
		"403":                   envelope(403),
		"404":                   envelope(404),
		"500":                   envelope(500),
		"401 of a gateway":      text(401, page),
		"404 of a gateway":      text(404, page),
		"408":                   jsonHandler(408, `{"code":"TIMEOUT","message":"It took too long"}`),
		"410 with a period":     jsonHandler(410, `{"code":"GONE","message":"It is gone."}`),
		"410 without a code":    jsonHandler(410, `{"message":"It is gone"}`),
		"410 without a message": jsonHandler(410, `{"code":"GONE"}`),
		"429":                   text(429, ""),
		"429 for an hour": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3600")
			text(429, "")(w, r)
		},
		"502":                           text(502, page),
		"503":                           text(503, ""),
		"300":                           text(300, "choose one"),
		"204":                           jsonHandler(204, ""),
		"another success":               jsonHandler(201, `{"message":"success"}`),
		"a page":                        text(200, page),
		"nothing":                       jsonHandler(200, ""),
		"half a body":                   jsonHandler(200, half),
		"an array":                      text(200, `[1]`),
		"half a definition in an error": jsonHandler(500, half),
		"a dropped connection":          drop(""),
		"a body that breaks off":        drop("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + half),
		"no HTTP":                       drop("SSH-2.0-OpenSSH_9.2\r\n"),
		"a redirect to another host":    redirect("https://elsewhere.example/login"),
		"a request ID": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", "req-4711")
			envelope(410)(w, r)
		},
	}
}

// textsOfFault returns the texts of a fault, once for all operations whose
// texts differ in the names of the operation and the object only.
func textsOfFault(t *testing.T, fault http.HandlerFunc, timeout string) string {
	s := startServiceWithFaults(t, faults{"": fault})
	settings := object{"max_retries": number("1"), "request_timeout": timeout}
	texts := map[string][]string{}
	add := func(operation, summary, about string, diagnostics []*tfprotov6.Diagnostic) {
		requireError(t, diagnostics, summary, about)
		text := strings.NewReplacer(summary, "Unable to TASK", about, "OBJECT").Replace(shown(diagnostics))
		texts[text] = append(texts[text], operation)
	}
	// A read without an ID, one with an ID, and one with advice of its own show every text.
	for _, c := range []struct {
		source         string
		config         object
		summary, about string
	}{
		{"convo_agents", object{}, "Unable to read agents", "the agents"},
		{"convo_agent", object{"agent_id": "a-1"}, "Unable to read agent", `agent "a-1"`},
		{"convo_agent_stats", object{"agent_id": "a-1"}, "Unable to read agent statistics", `agent "a-1"`},
	} {
		_, diagnostics := configuredProvider(t, s, settings).read(c.source, c.config)
		add(c.source, c.summary, c.about, diagnostics)
	}
	prior := object{"session_id": "s-1", "agent_id": "a-1", "payload": nil, "payload_wo": nil, "payload_wo_version": nil, "triggers": nil, "message": "success"}
	after, diagnostics := configuredProvider(t, s, settings).apply(prior, object{"session_id": "s-1", "agent_id": "a-2"})
	add(sessionAgent, "Unable to update session agent", `session "s-1"`, diagnostics)
	if diff := cmp.Diff(prior, after); diff != "" {
		t.Errorf("the failed update changed the state (-want +got):\n%s", diff)
	}
	_, diagnostics = configuredProvider(t, s, settings).invoke(object{"session_id": "s-1", "agent_id": "a-2"})
	add(updateSessionAgentType, "Unable to update session agent", `session "s-1"`, diagnostics)
	var parts []string
	for text, operations := range texts {
		parts = append(parts, strings.Join(operations, ", ")+"\n"+text)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

var (
	serviceURL  = regexp.MustCompile(`URL: http://127\.0\.0\.1:\d+/\S+`)
	elementType = regexp.MustCompile(`tftypes\.\w+<(.*)>`)
)

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
			at = " (at " + elementType.ReplaceAllString(d.Attribute.String(), "$1") + ")"
		}
		fmt.Fprintf(&text, "%s: %s%s\n%s\n", kind, d.Summary, at, serviceURL.ReplaceAllString(d.Detail, "URL: ..."))
	}
	return text.String()
}
