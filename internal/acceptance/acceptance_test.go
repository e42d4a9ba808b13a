// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build acceptance

// Package acceptance tests the provider with the real CLI against a service, which
// make testacc selects with environment variables. It prints what the service does where
// the API's documentation leaves behavior undocumented.
package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// configured is what the environment variables select.
var configured struct {
	baseURL, token, workspaceID, sessionID string
	agentQuery                             url.Values
}

// scratch is the CLI with a build of the provider, and cliName and cliVersion are its name and version.
var (
	scratch    *cli.Scratch
	cliName    string
	cliVersion *version.Version
)

// requests is the log of the provider's requests.
var requests string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "convo")
	if err == nil {
		err = prepare(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
		printObservations(code)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// prepare reads the environment variables, and builds the provider.
func prepare(dir string) error {
	var missing []string
	for name, value := range map[string]*string{
		"CONVO_BASE_URL": &configured.baseURL, "CONVO_TOKEN": &configured.token, "CONVO_TEST_WORKSPACE_ID": &configured.workspaceID,
	} {
		if *value = os.Getenv(name); *value == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the acceptance tests require the environment variables CONVO_BASE_URL, CONVO_TOKEN, and CONVO_TEST_WORKSPACE_ID; not set: %s",
			strings.Join(missing, ", "))
	}
	configured.sessionID = os.Getenv("CONVO_TEST_SESSION_ID")
	var err error
	if configured.agentQuery, err = url.ParseQuery(os.Getenv("CONVO_TEST_AGENT_QUERY")); err != nil {
		return errors.New("CONVO_TEST_AGENT_QUERY must be a query such as workspaceId=ws_1")
	}
	path, err := cli.Find()
	if err != nil {
		return err
	}
	if cliName, cliVersion, err = cli.Version(context.Background(), path); err != nil {
		return err
	}
	requests = filepath.Join(dir, "requests.log")
	scratch, err = cli.NewScratch(context.Background(), path, dir)
	return errors.Join(err, os.MkdirAll(filepath.Dir(logFile), 0o700), os.WriteFile(logFile, nil, 0o600))
}

// logFile has everything that the CLI prints, because only summaries of errors are free of
// IDs, names, and messages of the service.
const logFile = "../../dist/testacc.log"

var logMutex sync.Mutex

// run is a directory with a configuration.
type run struct {
	t       *testing.T
	dir     string
	agentID string
}

const arguments = `
terraform {
  required_providers {
    convo = { source = "convo/convo" }
  }
}
variable "workspace_id" {}
variable "session_id" {}
variable "agent_id" {}
variable "agent_query" { type = map(string) }
`

func newRun(t *testing.T, configuration string) *run {
	t.Helper()
	r := &run{t, t.TempDir(), firstAgent(t)}
	if err := os.WriteFile(filepath.Join(r.dir, "main.tf"), []byte(arguments+configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	r.succeeds("init")
	return r
}

// cli runs a command, and returns what it printed.
func (r *run) cli(command ...string) (string, error) {
	r.t.Helper()
	query := map[string]string{}
	for name := range configured.agentQuery {
		query[name] = configured.agentQuery.Get(name)
	}
	encoded, err := json.Marshal(query)
	if err != nil {
		r.t.Fatal(err)
	}
	variables := []string{
		"TF_VAR_workspace_id=" + configured.workspaceID, "TF_VAR_session_id=" + configured.sessionID, "TF_VAR_agent_id=" + r.agentID,
		"TF_VAR_agent_query=" + string(encoded), "TF_INPUT=0", "TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH=" + requests,
	}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "CONVO_") {
			variables = append(variables, variable)
		}
	}
	var output bytes.Buffer
	s := *scratch
	s.Stdout, s.Stderr = &output, &output
	err = s.Run(r.t.Context(), r.dir, variables, slices.Insert(command, 1, "-no-color")...)
	logMutex.Lock()
	defer logMutex.Unlock()
	log, openError := os.OpenFile(logFile, os.O_APPEND|os.O_WRONLY, 0o600)
	if openError != nil {
		r.t.Fatal(openError)
	}
	_, writeError := fmt.Fprintf(log, "%s: %s\n%s\n", r.t.Name(), strings.Join(command, " "), &output)
	if err := errors.Join(writeError, log.Close()); err != nil {
		r.t.Fatal(err)
	}
	return output.String(), err
}

// succeeds runs a command, and fails the test with the summaries of its errors.
func (r *run) succeeds(command ...string) string {
	r.t.Helper()
	output, err := r.cli(command...)
	if err != nil {
		for _, summary := range summaries(output, "Error: ") {
			r.t.Error(summary)
		}
		r.t.Fatalf("%s: %v%s; dist/testacc.log has the messages", command[0], err, statuses(output))
	}
	return output
}

// summaries returns the summaries of errors or warnings, which are texts of the provider or of the CLI.
func summaries(output, prefix string) []string {
	var found []string
	for line := range strings.Lines(output) {
		if _, summary, isSummary := strings.Cut(strings.TrimSpace(line), prefix); isSummary {
			found = append(found, summary)
		}
	}
	return found
}

// statuses returns the statuses of responses in messages.
func statuses(output string) string {
	found := ""
	for code := http.StatusBadRequest; code < 600; code++ {
		if text := fmt.Sprintf("%d %s", code, http.StatusText(code)); http.StatusText(code) != "" && strings.Contains(output, text) {
			found += ", status " + text
		}
	}
	return found
}

// needs skips a test that an older CLI cannot run.
func needs(t *testing.T, feature, since string) {
	t.Helper()
	if cliVersion.Core().LessThan(version.Must(version.NewVersion(since))) {
		t.Skipf("%s %s does not have %s, which %[1]s %[4]s has", cliName, cliVersion, feature, since)
	}
}

// output decodes an output of the configuration.
func (r *run) output(name string, into any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.succeeds("output", "-json", name)), into); err != nil {
		r.t.Fatal(err)
	}
}
