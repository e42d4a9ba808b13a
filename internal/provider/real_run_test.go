// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// realRun runs the CLI with the built provider in a directory of its own: for
// what the test harness cannot do, and for what is left in files.
type realRun struct {
	t       *testing.T
	scratch cli.Scratch
	dir     string
	// root holds everything that the CLI wrote, its configuration apart.
	root   string
	output bytes.Buffer
}

func newRealRun(t *testing.T, configuration string) *realRun {
	t.Helper()
	built, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	r := &realRun{t: t, scratch: *built, root: t.TempDir()}
	r.scratch.Stdout, r.scratch.Stderr = &r.output, &r.output
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

// Two aliases with different services, tokens and parameters side by side.
func TestAliasesSideBySide(t *testing.T) {
	t.Parallel()
	one, other := startService(t), startService(t)
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
	if output := r.mustRun(nil, "plan"); !strings.Contains(output, `"7 and 1535810"`) {
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

// Terraform shows the errors of several objects in one run: those of validation,
// those of reads, and those of an apply.
func TestErrorsOfARealRun(t *testing.T) {
	t.Parallel()
	s := startService(t)
	write := testAccProviderConfig(s)
	alias := func(token string) string {
		return strings.NewReplacer("{\n", "{\n  alias = \""+token+"\"\n", devserver.TokenWrite, token).Replace(write)
	}
	r := newRealRun(t, "")
	r.mustRun(nil, "init")
	tests := []struct {
		command, config string
		want            []string
	}{
		{
			"plan", write + `
provider "convo" {
  alias    = "invalid"
  base_url = "service.example"
  token    = ""
}
data "convo_agents" "a" {
  provider = convo.invalid
}
data "convo_agent_stats" "a" {
  agent_id = "agt_returns"
  period   = "last8Days"
}
`, []string{
				"Invalid value for base_url.*The value must begin with https://", "Invalid value for token.*must not be empty",
				"Attribute period.*must be one of.*last7Days.*got: .last8Days",
			},
		},
		{
			"plan", write + alias("wrong") + alias(devserver.TokenNoAccess) + `
data "convo_agents" "unauthorized" {
  provider = convo.wrong
}
data "convo_agents" "forbidden" {
  provider = convo.` + devserver.TokenNoAccess + `
}
data "convo_agent" "a" {
  agent_id = "agt_nope"
}
`, []string{
				"Unable to read agents.*401 Unauthorized.*UNAUTHORIZED.*token that is set in the provider block or in CONVO_TOKEN may be invalid",
				"Unable to read agents.*403 Forbidden.*FORBIDDEN.*not have permission",
				"Unable to read agent .*with data.convo_agent.a.*agent_id = \"agt_nope\".*404 Not Found.*misspelled",
			},
		},
		{
			"apply", write + "resource \"convo_session_agent\" \"a\" {\n  session_id = \"ses_returns_done\"\n}\n",
			[]string{"Unable to update session agent.*400 Bad Request.*ses_returns_done.*not active"},
		},
	}
	for _, test := range tests {
		r.write(test.config)
		arguments := map[string][]string{"plan": {"plan"}, "apply": {"apply", "-auto-approve"}}[test.command]
		output, err := r.run(nil, arguments...)
		// Terraform breaks long lines.
		errors := strings.Split(strings.Join(strings.Fields(output), " "), "Error: ")[1:]
		if err == nil || len(errors) != len(test.want) {
			t.Errorf("%s: got %v and %d errors, want %d:\n%s", test.command, err, len(errors), len(test.want), output)
		}
		for _, want := range test.want {
			if !slices.ContainsFunc(errors, regexp.MustCompile(want).MatchString) {
				t.Errorf("%s: no error matches %q:\n%s", test.command, want, output)
			}
		}
	}
}
