// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package acceptance compares what the provider reads through the real CLI with a service's
// responses. It fails only if the provider is at fault or reads nothing, and prints what the service does where
// the API's documentation leaves behavior undocumented. make testacc selects a service with
// environment variables. Without the build tag acceptance, the services are development servers.
package acceptance

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// service is what the provider is tested with.
type service struct {
	baseURL     string
	token       string
	secondToken string // "" for none
	workspaceID string
	agentID     string // "" to choose one
	sessionID   string // "" to update no session
	agentQuery  url.Values
	settings    []string // of the provider, in the form "NAME=value"
}

// suite is a run against a service.
type suite struct {
	*testing.T
	service
	directory    string    // of the configuration
	log          io.Writer // for what the CLI prints
	observations []observation
	read         int               // objects that the provider read
	faults       []string          // of the provider, or that nothing was read
	deviations   map[string]string // the first of each sent operation from openapi.yaml, or ""

	workspace, members, list, updated response
	agents                            []agent // that were read
	agent, draft                      agent
}

// observation is what the service does in a case that the API leaves undocumented.
type observation struct{ undocumented, assumed, observed, help string }

// scratch is the CLI with a build of the provider.
var (
	scratch    *cli.Scratch
	cliName    string
	cliVersion *version.Version
)

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
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func prepare(dir string) error {
	path, err := cli.Find()
	if err != nil {
		return err
	}
	if cliName, cliVersion, err = cli.Version(context.Background(), path); err != nil {
		return err
	}
	scratch, err = cli.NewScratch(context.Background(), path, dir)
	return err
}

// cliIsRecent reports whether the CLI has ephemeral resources and write-only arguments.
func cliIsRecent() bool {
	return cliVersion.Core().GreaterThanOrEqual(version.Must(version.NewVersion("1.11")))
}

// run reads the service without the provider, and then with it.
func (s *suite) run() {
	s.deviations = map[string]string{}
	s.readService()
	s.runProvider()
	s.observeAgents()
	s.observeStatistics()
	s.observeErrors()
	s.observeDeviations()
}

// fault adds a fault. Its text has no IDs, names, or values of the service.
func (s *suite) fault(format string, arguments ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, arguments...))
}

// observe adds a row to the table. Of the service's values, it has only codes, roles, and names of fields.
func (s *suite) observe(undocumented, assumed, observed, help string) {
	s.observations = append(s.observations, observation{undocumented, assumed, observed, help})
}

// observeIn adds a row about what was read, or says why it was not.
func (s *suite) observeIn(problem, undocumented, assumed, observed, help string) {
	if problem != "" {
		observed = "not read: " + problem
	}
	s.observe(undocumented, assumed, observed, help)
}

// table returns a table for the report of a bug.
func (s *suite) table() string {
	result := "passed"
	if len(s.faults) > 0 || s.Failed() {
		result = "failed"
	}
	text := fmt.Sprintf("\nAcceptance tests: %s, %s read (%s %s, %s/%s). ",
		result, quantity(s.read, "object"), cliName, cliVersion, runtime.GOOS, runtime.GOARCH)
	text += "This table contains no secrets, IDs, or names of people.\n\n"
	text += "| Undocumented | The provider assumes | This service | What helps |\n|---|---|---|---|\n"
	for _, o := range s.observations {
		text += fmt.Sprintf("| %s | %s | %s | %s |\n", o.undocumented, o.assumed, o.observed, o.help)
	}
	return text + "\n"
}
