// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
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
		"plain": func(s string) string { return s },
		"query": url.QueryEscape,
		"path":  url.PathEscape,
		"json": func(s string) string { // Without the numeric escapes that Go adds, which are not masked.
			return strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s)
		},
		"html":          html.EscapeString,
		"cutbycontrols": func(s string) string { return s[:3] + "\x00" + s[3:] },
	}
}

// echoing is a service that lists an agent for each encoding, and returns the
// token and a header in it wherever it can return a text of its own.
func echoing(t testing.TB) (baseURL string) {
	t.Helper()
	forms := encodings()
	var agents []string
	for name := range forms {
		agents = append(agents, fmt.Sprintf(`{"id":%q}`, name))
	}
	sound := apitest.Checked(devserver.New(devserver.DefaultSeed()))
	respond := func(w http.ResponseWriter, status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	listener := apitest.NewService(t, http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		w.Header().Set("X-Request-Id", strings.NewReplacer("\x00", "", "\n", "").Replace(echo))
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
	listener.Start()
	return listener.URL + "/api"
}

// secretsIn are the secrets that a text has in any form, also inside of JSON, and on
// one line.
func secretsIn(text []byte, secrets ...string) []string {
	var found []string
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	searched := oneLine(string(text))
	for _, secret := range secrets {
		for name, encode := range encodings() {
			form := strings.TrimRight(encode(secret), "=")
			inJSON, _ := json.Marshal(oneLine(form))
			if strings.Contains(searched, oneLine(form)) || strings.Contains(searched, strings.Trim(string(inJSON), `"`)) {
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

// searchFiles reports secrets in the files of a run, packed ones included, and
// returns how many files it searched.
func searchFiles(t *testing.T, root string, secrets ...string) int {
	t.Helper()
	searched := 0
	search := func(name string, content []byte) {
		searched++
		for _, found := range secretsIn(content, secrets...) {
			t.Errorf("%s has %s", name, found)
		}
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "mirror" || entry.Name() == "providers") {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		search(path, content)
		if packed, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
			for _, file := range packed.File {
				reader, err := file.Open()
				if err != nil {
					return err
				}
				content, err := io.ReadAll(reader)
				if err != nil {
					return err
				}
				search(path+"/"+file.Name, content)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return searched
}

// No secret, also if the service echoes it in whatever form, and nothing of a
// response that was not requested is in what a run prints, logs at TRACE or leaves
// in a file: of an audit with problems, of updates and their warnings, of errors, of
// an action.
func TestSecretsOfARealRun(t *testing.T) {
	t.Parallel()
	echo, desync := echoing(t), desynchronized(t)
	forms := slices.Sorted(maps.Keys(encodings()))
	const payload = "payload-secret-1066"
	configuration := fmt.Sprintf(`
variable "gateway_key" {
  type      = string
  sensitive = true
}
variable "payload" {
  type      = string
  sensitive = true
}
variable "fail" {
  default = false
}
provider "convo" {
  headers = { X-Gateway-Key = var.gateway_key }
}
provider "convo" {
  alias    = "desynchronized"
  base_url = %q
}
data "convo_workspace_audit" "a" {
  workspace_id  = "larkspur"
  stats_periods = ["today", "allTime"]
}
data "convo_agent_stats" "a" {
  count    = 20
  provider = convo.desynchronized
  agent_id = "agt_returns"
}
data "convo_agent" "a" {
  for_each = toset(var.fail ? ["%s"] : [])
  agent_id = each.key
}
data "convo_agent_stats" "b" {
  for_each = toset(var.fail ? ["%[2]s"] : [])
  agent_id = each.key
  period   = "allTime"
}
resource "convo_session_agent" "a" {
  for_each   = toset(["%[2]s"])
  session_id = each.key
  payload    = var.payload
}
`, desync, strings.Join(forms, `", "`))
	hasActions := cliHas("1.14", "")
	if hasActions {
		configuration += `
action "convo_update_session_agent" "a" {
  config {
    session_id = "json"
    payload    = var.payload
  }
}
`
	}
	// root holds everything that the CLI writes.
	root := t.TempDir()
	dir, trace := filepath.Join(root, "configuration"), filepath.Join(root, "trace.log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(requiredProvider+configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	scratch := *built
	scratch.Stdout, scratch.Stderr = &output, &output
	run := func(fails bool, variables []string, arguments ...string) (printed string) {
		t.Helper()
		start := output.Len()
		err := scratch.Run(t.Context(), dir, variables, append(arguments, "-no-color", "-input=false")...)
		printed = output.String()[start:]
		if (err != nil) != fails {
			t.Fatalf("%s: %v\n%s", arguments[0], err, printed)
		}
		return printed
	}
	variables := []string{
		"CONVO_BASE_URL=" + echo, "CONVO_TOKEN=" + secretToken, "TF_VAR_gateway_key=" + secretHeader,
		"TF_LOG=TRACE", "TF_LOG_PATH=" + trace,
	}
	with := func(more ...string) []string { return slices.Concat(variables, more) }
	first, second := `TF_VAR_payload={"a":"`+payload+`"}`, `TF_VAR_payload={"b":"`+payload+`"}`
	run(false, variables, "init")
	run(false, with(first), "plan", "-out=plan.tfplan")
	searchFiles(t, root, secretToken, secretShare)
	if err := os.Remove(filepath.Join(dir, "plan.tfplan")); err != nil {
		t.Fatal(err) // It has the variables of the run, such as the header.
	}
	run(false, with(first), "apply", "-auto-approve")
	run(false, with(second), "apply", "-auto-approve")
	run(true, with(`TF_VAR_payload=["`+payload+`"]`), "plan")
	failed := run(true, with(second, "TF_VAR_fail=true"), "plan")
	if got := strings.Count(failed, "Error: Unable to read agent"); got != 2*len(forms) {
		t.Errorf("got %d errors:\n%s", got, failed)
	}
	if hasActions {
		run(false, with(second), "apply", "-auto-approve", "-invoke=action.convo_update_session_agent.a")
	}
	for _, want := range []string{
		"did not confirm the update", "Workspace audit is incomplete", "***", "The value must be a JSON object, such as the result of jsonencode({ ... }).",
	} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("the output does not have %q:\n%s", want, &output)
		}
	}
	secrets := append(allSecrets(), secretShare)
	if searched := searchFiles(t, root, secrets...); searched < 4 {
		t.Errorf("only %d files were searched", searched)
	}
	log, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Sent a request", "/v1/agents/agt_returns/analytics/stats", "status=200", "duration_ms="} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log does not have %q", want)
		}
	}
	if strings.Contains(string(log), "timeFilter=today") {
		t.Error("the log has a query value")
	}
	for name, text := range map[string][]byte{"output": output.Bytes(), "log": log} {
		// The state has the payload, because it is an argument.
		for _, found := range secretsIn(text, append(secrets, payload)...) {
			t.Errorf("the %s has %s", name, found)
		}
	}
	needsCLI(t, "actions, so that everything but the action was tested", "1.14", "")
}

// secretShare is a secret in a response that was not requested.
const secretShare = "share-secret-1215"

// desynchronized responds to each request and then sends a response that nobody
// asked for, on a connection that is kept.
func desynchronized(t testing.TB) (baseURL string) {
	t.Helper()
	sound := apitest.Checked(devserver.New(devserver.DefaultSeed()))
	handler := apitest.Record(t, http.StripPrefix("/api", sound))
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	serve := func(connection net.Conn) {
		defer func() { _ = connection.Close() }()
		reader := bufio.NewReader(connection)
		for {
			request, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			recorder := httptest.NewRecorder()
			request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
			handler.ServeHTTP(recorder, request)
			body := recorder.Body.String()
			_, _ = fmt.Fprintf(connection, "HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n%s", recorder.Code, len(body), body)
			_, _ = fmt.Fprintf(connection, "{%q:%q}\r\nHTTP/1.1 200 OK\r\n\r\n", "token", secretShare)
		}
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	return "http://" + listener.Addr().String() + "/api"
}
