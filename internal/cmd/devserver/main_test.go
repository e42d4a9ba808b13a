// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// running is the command while it serves.
type running struct {
	baseURL string
	guide   string // what follows the first line, complete once the command ended
	log     string // complete once the command ended
}

// serveWith runs the command until use returns, and then expects an orderly end.
func serveWith(t *testing.T, args []string, use func(baseURL string)) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	var stderr bytes.Buffer
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, writer, &stderr)
		_ = writer.Close()
		ended <- err
	}()

	stdout := bufio.NewReader(reader)
	line, err := stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("no first line: %v; the command ended with %v", err, <-ended)
	}
	baseURL, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "export CONVO_BASE_URL=")
	if !ok {
		t.Fatalf("unexpected first line %q", line)
	}
	guide := make(chan string, 1)
	go func() {
		rest, _ := io.ReadAll(stdout)
		guide <- string(rest)
	}()

	use(baseURL)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the command ended with %v", err)
	}
	return running{baseURL, <-guide, stderr.String()}
}

// send sends a GET request and returns the status and the body of its response.
func send(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func TestRun(t *testing.T) {
	t.Parallel()
	result := serveWith(t, nil, func(baseURL string) {
		if !strings.HasPrefix(baseURL, "http://127.0.0.1:") || !strings.HasSuffix(baseURL, "/api") {
			t.Errorf("got base URL %s", baseURL)
		}
		for path, want := range map[string]int{
			"/v1/agents/agt_returns?secret=query": http.StatusOK,
			"/v1/agents/a%2Fb":                    http.StatusNotFound,
		} {
			if got, _ := send(t, baseURL+path, "dev-token-write"); got != want {
				t.Errorf("%s: got status %d, want %d", path, got, want)
			}
		}
	})

	for _, line := range []string{
		"export CONVO_TOKEN=dev-token-write\n",
		"# workspace ws_larkspur01 slug=\"larkspur\"\n",
		"# token dev-token-no-access mode=\"\" workspace=ws_larkspur01\n",
		"# token dev-token-read mode=\"read\" workspace=ws_larkspur01\n",
		"# token dev-token-tidepool mode=\"write\" workspace=ws_tidepool02\n",
		"# agent agt_scratch workspace=ws_larkspur01\n",
		"# session ses_returns_open active=true\n",
	} {
		if !strings.Contains(result.guide, line) {
			t.Errorf("the guide lacks %q:\n%s", line, result.guide)
		}
	}
	for _, line := range []string{
		"method=GET path=/api/v1/agents/agt_returns status=200\n",
		"method=GET path=/api/v1/agents/a%2Fb status=404\n",
	} {
		if !strings.Contains(result.log, line) {
			t.Errorf("the log lacks %q:\n%s", line, result.log)
		}
	}
	for _, secret := range []string{"dev-token-write", "Bearer", "secret"} {
		if strings.Contains(result.log, secret) {
			t.Errorf("the log has %q:\n%s", secret, result.log)
		}
	}
}

// TestSeedDirectory holds that a change of a file is in the next response, and that a mistake in it is named.
func TestSeedDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../devserver/seed")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "agents", "agt_orders.json")
	result := serveWith(t, []string{"-listen", "localhost:0", "-seed", dir}, func(baseURL string) {
		for _, test := range []struct {
			content, want string
			status        int
		}{
			{`{"ref":{"revision":"9"}}`, `{"agent":{"ref":{"revision":"9"}},"currentUserMode":"read"}`, 200},
			{`{"ref":`, "agents/agt_orders.json: unexpected end of JSON input", 500},
			{`{"ref":{"revision":"10"}}`, `{"agent":{"ref":{"revision":"10"}},"currentUserMode":"read"}`, 200},
			{`{}`, `{"agent":{},"currentUserMode":"read"}`, 200},
		} {
			if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if status, body := send(t, baseURL+"/v1/agents/agt_orders", "dev-token-read"); status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%s: got %d %s, want %d %s", test.content, status, body, test.status, test.want)
			}
		}
	})
	if !strings.Contains(result.guide, "# agent agt_orders workspace=ws_larkspur01\n") {
		t.Errorf("the output lacks the agents:\n%s", result.guide)
	}
}

func TestRunRefusals(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-unknown":             "unknown",
		"extra":                "extra",
		"-seed does-not-exist": "-seed does-not-exist: open callers.json",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want one with %q", err, want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, io.Discard, &stderr); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got error %v, want flag.ErrHelp", err)
	}
	texts := []string{"Usage: go run ./internal/cmd/devserver [flags]\n\n", "  -seed DIRECTORY\n", `(default "127.0.0.1:0")`}
	for _, text := range texts {
		if !strings.Contains(stderr.String(), text) {
			t.Errorf("the help lacks %q:\n%s", text, stderr.String())
		}
	}
}
