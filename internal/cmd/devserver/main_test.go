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
	"regexp"
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

func status(t *testing.T, url, token string) int {
	t.Helper()
	return send(t, http.MethodGet, url, token, "")
}

// send sends a request and returns the status of its response.
func send(t *testing.T, method, url, token, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
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
			if got := status(t, baseURL+path, "dev-token-write"); got != want {
				t.Errorf("%s: got status %d, want %d", path, got, want)
			}
		}
	})

	for _, line := range []string{
		"export CONVO_TOKEN=dev-token-write\n",
		"# workspace ws_larkspur01 slug=\"larkspur\"\n",
		"# token dev-token-no-access mode=none  workspace=ws_larkspur01\n",
		"# token dev-token-read      mode=read  workspace=ws_larkspur01\n",
		"# token dev-token-tidepool  mode=write workspace=ws_tidepool02\n",
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

func TestRunWithFlags(t *testing.T) {
	t.Parallel()
	args := strings.Fields("-listen localhost:0 -prefix / -agents 25 -fail-every 3 -fail-status 429 -latency 1ns")
	result := serveWith(t, args, func(baseURL string) {
		var got []int
		for range 6 {
			got = append(got, status(t, baseURL+"/v1/agents/agt_gen000024", "dev-token-guest"))
		}
		for i, want := range []int{200, 200, 429, 200, 200, 429} {
			if got[i] != want {
				t.Errorf("got statuses %v; the one at %d should be %d", got, i, want)
			}
		}
	})
	if !strings.Contains(result.guide, "# and 5 more agents\n") {
		t.Errorf("the guide does not count the agents it leaves out:\n%s", result.guide)
	}
}

func TestRunWithLimits(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"-limit-rate 0.001", "-limit-window-count 1", "-limit-window-count 1 -limit-without-retry-after", "-limit-rate 0.001 -limit-in-flight 3",
	} {
		serveWith(t, strings.Fields(args), func(baseURL string) {
			for i, want := range []int{200, 429, 429} {
				if got := status(t, baseURL+"/v1/agents", "dev-token-guest"); got != want {
					t.Errorf("%s: request %d got status %d, want %d", args, i+1, got, want)
				}
			}
		})
	}
	for _, args := range [][]string{{"-refuse", "GET /v1/agents"}, {"-refuse-share", "1"}} {
		serveWith(t, args, func(baseURL string) {
			if got := status(t, baseURL+"/v1/agents", "dev-token-guest"); got != 429 {
				t.Errorf("%v: got status %d, want 429", args, got)
			}
		})
	}
}

func TestRunRefusals(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-listen 0.0.0.0:0":      "-allow-remote",
		"-listen :0":             "-allow-remote",
		"-listen [::]:0":         "-allow-remote",
		"-listen 192.0.2.1:0":    "-allow-remote",
		"-listen host.example":   "-allow-remote",
		"-prefix api":            "slash",
		"-agents -1":             "negative",
		"-latency -1s":           "negative",
		"-fail-every -1":         "negative",
		"-fail-status 200":       "400 to 599",
		"-limit-rate -1":         "negative",
		"-limit-in-flight -1":    "negative",
		"-limit-window-count -1": "negative",
		"-limit-burst 0":         "positive",
		"-limit-window 0s":       "positive",
		"-refuse-share 2":        "0 to 1",
		"-unknown":               "unknown",
		"extra":                  "extra",
		"-prefix /-/api":         "slash",
		"-prefix /-":             "slash",
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

func TestRemoteAddressIsAllowedOnRequest(t *testing.T) {
	t.Parallel()
	got, err := parseSettings([]string{"-allow-remote", "-listen", "0.0.0.0:8080"}, io.Discard)
	if err != nil || got.listen != "0.0.0.0:8080" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, &stdout, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got error %v, want flag.ErrHelp", err)
	}
	for _, text := range []string{
		"Usage: convo-devserver [flags]\n\n",
		"  -fail-every N\n        Fail every Nth request. With 3, for example, requests 3, 6, and 9\n" +
			"        fail. Retries count as requests. With 0, no requests fail.\n",
		"  -fail-status STATUS\n", " default is 500.\n",
		"  -allow-remote\n        Allow -listen addresses that other machines can reach.\n",
	} {
		if !strings.Contains(stdout.String(), text) {
			t.Errorf("the help lacks %q:\n%s", text, stdout.String())
		}
	}
}

func TestListenerFailure(t *testing.T) {
	t.Parallel()
	serveWith(t, nil, func(baseURL string) {
		address := strings.TrimSuffix(strings.TrimPrefix(baseURL, "http://"), "/api")
		if err := run(t.Context(), []string{"-listen", address}, io.Discard, io.Discard); err == nil {
			t.Error("got no error for an address in use")
		}
	})
}

// TestCurlCommandsOfHelp holds that the requests of the help work as printed.
func TestCurlCommandsOfHelp(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`(?m)^ +curl -X ([A-Z]+) \$URL(\S+)(?: -d '(.*)')?$`)
	commands := command.FindAllStringSubmatch(help, -1)
	if want := strings.Count(help, "curl "); len(commands) != want || want == 0 {
		t.Fatalf("found %d commands of %d", len(commands), want)
	}
	result := serveWith(t, nil, func(baseURL string) {
		for _, c := range commands {
			if got := send(t, c[1], strings.TrimSuffix(baseURL, "/api")+"/-"+c[2], "", c[3]); got != http.StatusOK {
				t.Errorf("%s: got status %d", c[0], got)
			}
		}
	})
	if !strings.Contains(result.guide, "# control paths http://127.0.0.1:") {
		t.Errorf("the guide lacks the control paths:\n%s", result.guide)
	}
}

func TestWithoutControl(t *testing.T) {
	t.Parallel()
	result := serveWith(t, []string{"-control=false", "-prefix", "/"}, func(baseURL string) {
		if got := send(t, http.MethodPost, baseURL+"/-/agents/agt_returns/revise", "", ""); got != http.StatusUnauthorized {
			t.Errorf("got status %d, want the API's 401", got)
		}
	})
	if strings.Contains(result.guide, "control") {
		t.Errorf("the guide has control paths:\n%s", result.guide)
	}
}
