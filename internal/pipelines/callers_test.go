// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package pipelines_test runs the pipelines that audit a workspace with the engines act
// and gitlab-ci-local, and the commands of the example's README.
package pipelines_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	root    = "../.."
	example = root + "/examples/audit-in-ci/"
)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The messages in the README reach a webhook.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Content-Type")+" "+strings.Join(strings.Fields(string(body)), " "))
	}))
	defer server.Close()
	_, commands, _ := strings.Cut(read(t, example+"README.md"), "## Slack and Microsoft Teams")
	for _, block := range strings.Split(commands, "```shell\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		command := exec.CommandContext(t.Context(), "sh", "-e", "-c", text)
		command.Env = append(os.Environ(), "RESULT=failure", "LINK=https://ci.example/7?a=b&c", "WEBHOOK_URL="+server.URL)
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	}
	server.Close()
	want := []string{
		`application/json { "text": "The result of the audit: failure. <https://ci.example/7?a=b&c|Open the report>" }`,
		`application/json { "type": "message", "attachments": [ { "contentType": "application/vnd.microsoft.card.adaptive", "content": ` +
			`{ "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": ` +
			`[ { "type": "TextBlock", "text": "The result of the audit: failure. [Open the report](https://ci.example/7?a=b&c)", "wrap": true } ] } } ] }`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected messages (-want +got):\n%s", diff)
	}
}
