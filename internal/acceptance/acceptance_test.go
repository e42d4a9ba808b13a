// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build acceptance

package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logFile has everything that the CLI prints, because only summaries of errors are free of
// IDs, names, and messages of the service. The provider masks secrets in these messages.
const logFile = "../../dist/testacc.log"

// TestService tests the provider with the service that the environment variables select.
func TestService(t *testing.T) {
	t.Parallel()
	if !cliIsRecent() {
		t.Fatalf("the acceptance tests require Terraform 1.11 or OpenTofu 1.11, and this is %s %s", cliName, cliVersion)
	}
	var log bytes.Buffer
	s := &suite{T: t, directory: t.TempDir(), service: configured(t), log: &log}
	defer func() {
		fmt.Print(s.table())
		err := os.MkdirAll(filepath.Dir(logFile), 0o700)
		if err = errors.Join(err, os.WriteFile(logFile, log.Bytes(), 0o600)); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Error("dist/testacc.log has the messages")
		}
	}()
	s.run()
	for _, fault := range s.faults {
		t.Error(fault)
	}
}

// configured returns the service that the environment variables select.
func configured(t *testing.T) service {
	t.Helper()
	s := service{
		baseURL:     os.Getenv("CONVO_BASE_URL"),
		token:       os.Getenv("CONVO_TOKEN"),
		secondToken: os.Getenv("CONVO_TEST_SECOND_TOKEN"),
		workspaceID: os.Getenv("CONVO_TEST_WORKSPACE_ID"),
		agentID:     os.Getenv("CONVO_TEST_AGENT_ID"),
		sessionID:   os.Getenv("CONVO_TEST_SESSION_ID"),
	}
	if s.baseURL == "" || s.token == "" || s.workspaceID == "" {
		t.Fatal("the acceptance tests require CONVO_BASE_URL, CONVO_TOKEN, and CONVO_TEST_WORKSPACE_ID")
	}
	var err error
	if s.agentQuery, err = url.ParseQuery(os.Getenv("CONVO_TEST_AGENT_QUERY")); err != nil {
		t.Fatal("CONVO_TEST_AGENT_QUERY must be a query such as workspaceId=ws_1")
	}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "CONVO_") {
			s.settings = append(s.settings, variable)
		}
	}
	return s
}
