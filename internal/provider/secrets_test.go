// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Secrets with characters that encodings represent differently.
const (
	secretToken  = `token+4711/<"&'>=~x`
	secretHeader = `Basic header+0815/<"&'>?~y`
)

// encodings are the forms in which gateways and services echo requests.
func encodings() map[string]func(string) string {
	return map[string]func(string) string{
		"plain":        func(s string) string { return s },
		"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64ofurls": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"query":        url.QueryEscape,
		"path":         url.PathEscape,
		"json": func(s string) string {
			b, _ := json.Marshal(s)
			return strings.Trim(string(b), `"`)
		},
		"cutbycontrols": func(s string) string { return s[:3] + "\x00" + s[3:] },
	}
}

// echoing is a service that lists an agent for each encoding, and returns the
// token and a header in it wherever it can return a text of its own.
func echoing(t testing.TB) service {
	t.Helper()
	forms := encodings()
	var agents []string
	for name := range forms {
		agents = append(agents, fmt.Sprintf(`{"id":%q}`, name))
	}
	sound := devserver.New(devserver.DefaultSeed())
	respond := func(w http.ResponseWriter, status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	listener := httptest.NewServer(http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		segments := strings.Split(r.URL.Path, "/")
		switch {
		case len(segments) < 4 && segments[2] == "agents":
			_, _ = fmt.Fprintf(w, `{"agents":[%s]}`, strings.Join(agents, ","))
			return
		case segments[2] == "workspaces":
			r.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
			sound.ServeHTTP(w, r)
			return
		}
		encode := forms[segments[3]]
		echo := fmt.Sprintf("sent %s and %s x=%s", encode(r.Header.Get("Authorization")), encode(r.Header.Get("X-Gateway-Key")), encode(secretToken))
		w.Header().Set("X-Request-Id", strings.ReplaceAll(echo, "\x00", ""))
		switch {
		case r.Method == http.MethodPost && r.ContentLength == int64(len("{}")):
			respond(w, http.StatusOK, map[string]string{"code": echo, "message": echo})
		case r.Method == http.MethodPost:
			respond(w, http.StatusOK, map[string]string{"message": echo})
		case strings.HasSuffix(r.URL.Path, "/stats") && r.URL.RawQuery == "timeFilter=today":
			respond(w, http.StatusForbidden, map[string]any{"code": echo, "message": echo, "issues": []map[string]string{{"message": echo}}})
		case strings.HasSuffix(r.URL.Path, "/stats"):
			respond(w, http.StatusOK, map[string]any{"code": echo, "message": echo})
		default:
			w.WriteHeader(http.StatusTeapot)
			_, _ = fmt.Fprintf(w, "<p>%s</p>", echo)
		}
	})))
	t.Cleanup(listener.Close)
	return service{Handler: sound, BaseURL: listener.URL + "/api"}
}

// secretsIn are the secrets that a text has in any form.
func secretsIn(text []byte, secrets ...string) []string {
	var found []string
	for _, secret := range secrets {
		for name, encode := range encodings() {
			if bytes.Contains(text, []byte(strings.TrimRight(encode(secret), "="))) {
				found = append(found, fmt.Sprintf("%q as %s", secret, name))
			}
		}
	}
	return found
}

// allSecrets are the token and the header, which are secret in parts too.
func allSecrets() []string {
	_, credentials, _ := strings.Cut(secretHeader, " ")
	return []string{secretToken, "Bearer " + secretToken, secretHeader, credentials}
}

// Whatever the service echoes, and in whatever form, no secret is shown or
// stored. TestSecretsOfARealRun also searches the log.
func TestEchoesAreNeitherShownNorStored(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, echoing(t), object{"token": secretToken, "headers": object{"X-Gateway-Key": secretHeader}})
	check := func(name string, result any, diagnostics []*tfprotov6.Diagnostic) {
		t.Helper()
		text := fmt.Sprint(result)
		for _, d := range diagnostics {
			text += "\n" + describe(d)
		}
		if !strings.Contains(text, "***") {
			t.Errorf("%s: the echo was not shown at all:\n%s", name, text)
		}
		for _, secret := range secretsIn([]byte(text), allSecrets()...) {
			t.Errorf("%s: has %s:\n%.2000s", name, secret, text)
		}
	}
	for form := range encodings() {
		_, diagnostics := p.read("convo_agent", object{"agent_id": form})
		check("page as "+form, nil, diagnostics)
		_, diagnostics = p.read("convo_agent_stats", object{"agent_id": form, "period": "today"})
		check("error as "+form, nil, diagnostics)
		_, diagnostics = p.read("convo_agent_stats", object{"agent_id": form})
		check("error with 200 as "+form, nil, diagnostics)
		state, diagnostics := p.apply(nil, object{"session_id": form, "agent_id": "a"})
		check("update as "+form, state, diagnostics)
		_, diagnostics = p.apply(nil, object{"session_id": form})
		check("update with an error and 200 as "+form, nil, diagnostics)
		progress, diagnostics := p.invoke(object{"session_id": form, "agent_id": "a"})
		check("action as "+form, progress, diagnostics)
	}
	state, diagnostics := p.read(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"today", "allTime"}})
	check("audit", state, diagnostics)
	if got := len(state["problems"].(list)); got != 3*len(encodings()) {
		t.Errorf("got %d problems", got)
	}
}
