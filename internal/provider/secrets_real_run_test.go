// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

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
`, desync.BaseURL, strings.Join(forms, `", "`))
	hasActions := cliHas("1.14.0", "")
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
	r := newRealRun(t, configuration)
	trace := filepath.Join(r.root, "trace.log")
	variables := []string{
		"CONVO_BASE_URL=" + echo.BaseURL, "CONVO_TOKEN=" + secretToken, "TF_VAR_gateway_key=" + secretHeader,
		"TF_LOG=TRACE", "TF_LOG_PATH=" + trace,
	}
	with := func(more ...string) []string { return slices.Concat(variables, more) }
	first, second := `TF_VAR_payload={"a":"`+payload+`"}`, `TF_VAR_payload={"b":"`+payload+`"}`
	output := r.mustRun(variables, "init")
	output += r.mustRun(with(first), "plan", "-out=plan.tfplan")
	searchFiles(t, r.root, secretToken, secretShare)
	if err := os.Remove(filepath.Join(r.dir, "plan.tfplan")); err != nil {
		t.Fatal(err) // It has the variables of the run, such as the header.
	}
	output += r.mustRun(with(first), "apply", "-auto-approve")
	output += r.mustRun(with(second), "apply", "-auto-approve")
	for _, invalid := range []string{payload, `{"key":"` + payload, `["` + payload + `"]`} {
		failed, err := r.run(with("TF_VAR_payload="+invalid), "plan")
		if err == nil || !strings.Contains(failed, "The value must be a JSON object, such as the result of jsonencode({ ... }).") {
			t.Errorf("got %v:\n%s", err, failed)
		}
		output += failed
	}
	failed, err := r.run(with(second, "TF_VAR_fail=true"), "plan")
	if got := strings.Count(failed, "Error: Unable to read agent"); err == nil || got != 2*len(forms) {
		t.Errorf("got %d errors:\n%s", got, failed)
	}
	output += failed
	if hasActions {
		output += r.mustRun(with(second), "apply", "-auto-approve", "-invoke=action.convo_update_session_agent.a")
	}
	for _, want := range []string{"did not confirm the update", "Workspace audit is incomplete", "***"} {
		if !strings.Contains(output, want) {
			t.Errorf("the output does not have %q:\n%s", want, output)
		}
	}
	secrets := append(allSecrets(), secretShare)
	if searched := searchFiles(t, r.root, secrets...); searched < 4 {
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
	for name, text := range map[string][]byte{"output": []byte(output), "log": log} {
		// The state has the payload, because it is an argument.
		for _, found := range secretsIn(text, append(secrets, payload)...) {
			t.Errorf("the %s has %s", name, found)
		}
	}
}

// secretShare is a secret in a response that was not requested.
const secretShare = "share-secret-1215"

// desynchronized responds to each request and then sends a response that nobody
// asked for, on a connection that is kept.
func desynchronized(t testing.TB) service {
	t.Helper()
	sound := devserver.New(devserver.DefaultSeed())
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
			http.StripPrefix("/api", sound).ServeHTTP(recorder, request)
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
	return service{Handler: sound, BaseURL: "http://" + listener.Addr().String() + "/api"}
}
