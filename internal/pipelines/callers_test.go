// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pipeline of GitLab downloads the script, and runs only the one that belongs to it.
func TestGitLabHasTheChecksum(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, script))))
	if got := regexp.MustCompile(`[0-9a-f]{64}`).FindAllString(read(t, pipeline), -1); !slices.Equal(got, []string{want}) {
		t.Errorf("%s has the checksum %q, and the script has %s", pipeline, got, want)
	}
}

// The files that users copy are short, and pass only what the called files accept.
func TestCallers(t *testing.T) {
	t.Parallel()
	var caller struct {
		Jobs map[string]struct{ Permissions, With, Secrets map[string]string }
	}
	parseYAML(t, read(t, example+"audit.yml"), &caller)
	var called struct {
		On struct {
			Call struct{ Inputs, Secrets map[string]any } `json:"workflow_call"`
		}
		Jobs map[string]workflowJob
	}
	parseYAML(t, read(t, workflow), &called)
	granted := map[string]string{}
	for _, job := range called.Jobs {
		maps.Copy(granted, job.Permissions)
	}
	if diff := cmp.Diff(granted, caller.Jobs["audit"].Permissions); diff != "" {
		t.Errorf("unexpected permissions (-want +got):\n%s", diff)
	}
	for name := range caller.Jobs["audit"].With {
		if called.On.Call.Inputs[name] == nil {
			t.Errorf("the workflow has no input %s", name)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(called.On.Call.Secrets)), slices.Sorted(maps.Keys(caller.Jobs["audit"].Secrets))); diff != "" {
		t.Errorf("unexpected secrets (-want +got):\n%s", diff)
	}
	for _, file := range []string{"audit.yml", ".gitlab-ci.yml"} {
		if count := strings.Count(read(t, example+"main.tf")+read(t, example+file), "\n"); count > 90 {
			t.Errorf("main.tf and %s have %d lines", file, count)
		}
	}
}

// The messages in the README reach a webhook.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	h := &host{t: t, dir: t.TempDir(), bin: t.TempDir()}
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Content-Type")+" "+strings.Join(strings.Fields(string(body)), " "))
	}))
	defer server.Close()
	_, commands, _ := strings.Cut(read(t, example+"README.md"), "## Slack and Microsoft Teams")
	for _, block := range strings.Split(commands, "```shell\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		command, log := h.command(h.dir, []string{"RESULT=failure", "LINK=https://ci.example/7?a=b&c", "WEBHOOK_URL=" + server.URL}, "sh", "-e", "-c", text)
		if err := command.Run(); err != nil {
			t.Errorf("%v\n%s", err, log)
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

// A check that finds no pinned version fails.
func TestPinnedVersions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the check requires the date command of Linux")
	}
	var weekly struct{ Jobs map[string]workflowJob }
	parseYAML(t, read(t, root+"/.github/workflows/weekly.yml"), &weekly)
	steps := weekly.Jobs["pinned-terraform"].Steps
	for name, test := range map[string]struct {
		file, published string
		passes          bool
	}{
		"none":  {"1.15\n", "now", false},
		"minor": {"image: hashicorp/terraform:1.15\n", "now", true},
		"patch": {"terraform_version: 1.15.2\n", "now", true},
		"old":   {"terraform_version: 1.1.0\n", "2 years ago", false},
	} {
		h := &host{t: t, dir: t.TempDir(), bin: t.TempDir()}
		h.program("gh", "#!/bin/sh\ncase $2 in */v1.15.0 | */v1.15.2 | */v1.1.0) date --utc --date '"+test.published+"' +%FT%TZ ;; esac\n")
		h.write("pin.yml", test.file)
		command, log := h.command(h.dir, nil, "bash", "-e", "-c", "git init -q && git add . && "+steps[len(steps)-1].Run)
		if err := command.Run(); (err == nil) != test.passes {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
}
