// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// realRun runs the CLI with the built provider in a directory of its own: for
// what the test harness cannot do, and for what is left in files.
type realRun struct {
	t       *testing.T
	scratch *cli.Scratch
	dir     string
	// root holds everything that the CLI wrote, its configuration apart.
	root   string
	output bytes.Buffer
}

func newRealRun(t *testing.T, configuration string) *realRun {
	t.Helper()
	if errCLI != nil {
		t.Fatal(errCLI)
	}
	r := &realRun{t: t, root: t.TempDir()}
	scratch, err := cli.NewScratch(t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), r.root)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Stdout, scratch.Stderr = &r.output, &r.output
	r.scratch = scratch
	r.dir = filepath.Join(r.root, "configuration")
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.write(configuration)
	return r
}

// write replaces the configuration.
func (r *realRun) write(configuration string) {
	r.t.Helper()
	header := "terraform {\n  required_providers {\n    convo = {\n      source = \"convo/convo\"\n    }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(r.dir, "main.tf"), []byte(header+configuration), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run runs a command of the CLI and returns what it printed.
func (r *realRun) run(variables []string, arguments ...string) (string, error) {
	r.t.Helper()
	r.output.Reset()
	err := r.scratch.Run(r.t.Context(), r.dir, variables, append(arguments, "-no-color", "-input=false")...)
	return r.output.String(), err
}

// mustRun runs a command that has to succeed.
func (r *realRun) mustRun(variables []string, arguments ...string) string {
	r.t.Helper()
	output, err := r.run(variables, arguments...)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", arguments[0], err, output)
	}
	return output
}

// No secret is in what a run prints, logs at TRACE, or leaves in a file, also
// when a gateway sends it back.
func TestSecretsOfARealRun(t *testing.T) {
	t.Parallel()
	const (
		token  = "secret-token-4711"
		header = "secret-header-0815"
	)
	seed := devserver.DefaultSeed()
	seed.Callers[token] = devserver.Caller{Mode: devserver.ModeWrite, WorkspaceID: "ws_larkspur01"}
	s := startService(t, devserver.WithSeed(seed), devserver.WithFault(func(r *http.Request) http.Handler {
		if !strings.HasSuffix(r.URL.Path, "/agt_echo") {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = fmt.Fprintf(w, "refused: %s %s", r.Header.Get("Authorization"), r.Header.Get("X-Gateway-Key"))
		})
	}))
	configuration := `
variable "gateway_key" {
  type      = string
  sensitive = true
}
variable "agent_id" {
  default = "agt_returns"
}
provider "convo" {
  headers = { X-Gateway-Key = var.gateway_key }
}
data "convo_agent" "a" {
  agent_id = var.agent_id
}
data "convo_agent_stats" "a" {
  agent_id = "agt_returns"
  period   = "last7Days"
}
resource "convo_session_agent" "a" {
  session_id = "ses_orders_open"
}
output "title" {
  value = data.convo_agent.a.profile.title
}
`
	r := newRealRun(t, configuration)
	variables := []string{
		"CONVO_BASE_URL=" + s.BaseURL, "CONVO_TOKEN=" + token, "TF_VAR_gateway_key=" + header,
		"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(r.root, "trace.log"),
	}
	output := r.mustRun(variables, "init")
	output += r.mustRun(variables, "plan", "-out=plan.tfplan")
	output += r.mustRun(variables, "apply", "-auto-approve")
	failed, err := r.run(append(variables, "TF_VAR_agent_id=agt_echo"), "plan")
	if err == nil || !strings.Contains(strings.Join(strings.Fields(failed), " "), "refused: Bearer *** ***") {
		t.Errorf("the echo was not shown without the secrets: %v\n%s", err, failed)
	}
	output += failed

	log, err := os.ReadFile(filepath.Join(r.root, "trace.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Sent a request", "/v1/agents/agt_returns/analytics/stats", "status=200", "duration_ms="} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log does not have %q", want)
		}
	}
	if strings.Contains(string(log), "timeFilter=last7Days") {
		t.Error("the log has a query value")
	}
	if searched := searchFiles(t, r.root, token); searched < 4 {
		t.Errorf("only %d files were searched", searched)
	}
	// A plan file has the variables of the run, which is how the header came.
	if err := os.Remove(filepath.Join(r.dir, "plan.tfplan")); err != nil {
		t.Fatal(err)
	}
	searchFiles(t, r.root, header)
	for _, secret := range []string{token, header} {
		if strings.Contains(output, secret) {
			t.Errorf("the output has %q", secret)
		}
	}
}

// searchFiles reports secrets in the files of a run, packed ones included, and
// returns how many files it searched.
func searchFiles(t *testing.T, root string, secrets ...string) int {
	t.Helper()
	searched := 0
	search := func(name string, content []byte) {
		searched++
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s has %q", name, secret)
			}
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

// Two aliases with different services, tokens and parameters side by side.
func TestAliasesSideBySide(t *testing.T) {
	t.Parallel()
	one, other := startService(t), startService(t, devserver.WithStatsPeriodParameter("span"))
	r := newRealRun(t, fmt.Sprintf(`
provider "convo" {
  base_url = %q
  token    = %q
}
provider "convo" {
  alias                  = "other"
  base_url               = %q
  token                  = %q
  stats_period_parameter = "span"
}
data "convo_agent_stats" "one" {
  agent_id = "agt_returns"
  period   = "today"
}
data "convo_agent_stats" "other" {
  provider = convo.other
  agent_id = "agt_returns"
  period   = "last7Days"
}
output "views" {
  value = "${data.convo_agent_stats.one.total_views} and ${data.convo_agent_stats.other.total_views}"
}
`, one.BaseURL, devserver.TokenWrite, other.BaseURL, devserver.TokenGuest))
	r.mustRun(nil, "init")
	if output := r.mustRun(nil, "plan"); !strings.Contains(output, `"7 and 70"`) {
		t.Errorf("got the plan:\n%s", output)
	}
	for _, s := range []struct {
		service
		token, query string
	}{{one, devserver.TokenWrite, "timeFilter=today"}, {other, devserver.TokenGuest, "span=last7Days"}} {
		for _, request := range s.Requests() {
			if request.Header.Get("Authorization") != "Bearer "+s.token || request.RawQuery != s.query {
				t.Errorf("got %s %s with %s", request.Path, request.RawQuery, request.Header.Get("Authorization"))
			}
		}
		if got := len(s.Requests()); got != 1 {
			t.Errorf("got %d requests", got)
		}
	}
}

// A thousand data source instances in one plan, against a service that fails a
// third of the time.
func TestLoadOfARealPlan(t *testing.T) {
	t.Parallel()
	// Each 429 holds the whole provider back, for a quarter of a second on average.
	f := &flaky{tooMany: 50}
	s := startServiceWithin(t, f.count, devserver.WithFault(f.fault))
	r := newRealRun(t, `
data "convo_agent_stats" "a" {
  count    = 1000
  agent_id = "agt_returns"
  period   = "today"
}
output "views" {
  value = sum(data.convo_agent_stats.a[*].total_views)
}
`)
	variables := []string{
		"CONVO_BASE_URL=" + s.BaseURL, "CONVO_TOKEN=" + devserver.TokenWrite,
		"CONVO_MAX_RETRIES=20", "CONVO_MAX_CONCURRENT_REQUESTS=8",
	}
	r.mustRun(variables, "init")
	if output := r.mustRun(variables, "plan", "-parallelism=100"); !strings.Contains(output, "views = 7000") {
		t.Errorf("got the plan:\n%s", output)
	}
	if most := f.most.Load(); most > 8 {
		t.Errorf("%d requests were in flight at once", most)
	}
}
