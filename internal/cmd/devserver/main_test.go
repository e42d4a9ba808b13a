// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serveWith runs the command until use returns, expects an orderly end, and returns what it printed and logged.
func serveWith(t *testing.T, args []string, use func(baseURL string)) (settings, log string) {
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
	printed := make([]byte, 1<<16)
	n, err := reader.Read(printed) // The settings are one write.
	if err != nil {
		t.Fatalf("nothing is printed: %v; the command ended with %v", err, <-ended)
	}
	first, _, _ := strings.Cut(string(printed[:n]), "\n")
	use(strings.TrimPrefix(first, "export CONVO_BASE_URL="))
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the command ended with %v", err)
	}
	return string(printed[:n]), stderr.String()
}

// send sends a request without a body, or with one a session update, and returns the status and the body of its response.
func send(t *testing.T, url, token string, update ...string) (status int, body string) {
	t.Helper()
	method := http.MethodGet
	if len(update) > 0 {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(strings.Join(update, "")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Close = true                                      // The next server can have the same address.
	response, err := http.DefaultTransport.RoundTrip(request) // follows no redirects
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
	settings, log := serveWith(t, nil, func(baseURL string) {
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
		"# token dev-token-guest mode=\"guest\" workspace=ws_larkspur01\n",
		"# agent agt_scratch workspace=ws_larkspur01\n",
		"# session ses_returns_open active=true\n",
	} {
		if !strings.Contains(settings, line) {
			t.Errorf("the settings lack %q:\n%s", line, settings)
		}
	}
	for _, line := range []string{
		"method=GET path=/v1/agents/agt_returns status=200\n",
		"method=GET path=/v1/agents/a%2Fb status=404\n",
	} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %q:\n%s", line, log)
		}
	}
	for _, secret := range []string{"dev-token-write", "Bearer", "secret"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}

// TestAddresses holds that a server has the same address as the one before, unless another program
// uses it, and that it uses no address but the requested one.
func TestAddresses(t *testing.T) {
	t.Parallel()
	first, err := listenOn(t.Context(), "", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := first.Addr().String()
	second, err := listenOn(t.Context(), "", address)
	if err != nil || second.Addr().String() == address {
		t.Fatalf("got %v, %v, want another address", second, err)
	}
	if _, err := listenOn(t.Context(), address, "127.0.0.1:0"); err == nil {
		t.Errorf("%s was requested, and is used", address)
	}
	_ = first.Close()
	_ = second.Close()
	again, err := listenOn(t.Context(), "", address)
	if err != nil || again.Addr().String() != address {
		t.Fatalf("got %v, %v, want %s", again, err, address)
	}
	_ = again.Close()
}

// TestSeedDirectory holds that a change of a file is in the next response, and that a mistake in it is named.
func TestSeedDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../devserver/seed")); err != nil {
		t.Fatal(err)
	}
	serveWith(t, []string{"-listen", "localhost:0", "-seed", dir}, func(baseURL string) {
		for _, test := range []struct {
			content, want string
			status        int
		}{
			{`{"ref":{"revision":"9"}}`, `{"agent":{"ref":{"revision":"9"}},"currentUserMode":"read"}`, 200},
			{"{\n\"ref\":\n", `"issues":[{"message":"agents/agt_orders.json:3: `, 500},
			{`{}`, `{"agent":{},"currentUserMode":"read"}`, 200},
		} {
			if err := os.WriteFile(filepath.Join(dir, "agents", "agt_orders.json"), []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if status, body := send(t, baseURL+"/v1/agents/agt_orders", "dev-token-read"); status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%s: got %d %s, want %d %s", test.content, status, body, test.status, test.want)
			}
		}
	})
}

// TestAgentsAndLatency is a workspace of another size, on a slower service.
func TestAgentsAndLatency(t *testing.T) {
	t.Parallel()
	settings, _ := serveWith(t, []string{"-agents", "30", "-latency", "20ms"}, func(baseURL string) {
		begin := time.Now()
		for path, want := range map[string]string{"/v1/agents": "agt_gen000029", "/v1/agents/agt_gen000000": "currentUserMode"} {
			if status, body := send(t, baseURL+path, "dev-token-read"); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s: got %d %s", path, status, body)
			}
		}
		if took := time.Since(begin); took < 40*time.Millisecond {
			t.Errorf("two requests took %s", took)
		}
	})
	if !strings.Contains(settings, "# agent agt_gen000010 workspace=ws_larkspur01\n# session") {
		t.Errorf("got the output\n%s", settings)
	}
}

// TestFail holds that -fail concerns exactly the requests that it names.
func TestFail(t *testing.T) {
	t.Parallel()
	serveWith(t, []string{"-fail", "agt_trade=403", "-fail", "listMembers=500", "-fail", "ses_orders_open=400"}, func(baseURL string) {
		for path, want := range map[string]int{
			"/v1/agents/agt_trade":                 403,
			"/v1/agents/agt_trade/analytics/stats": 403,
			"/v1/agents/agt_orders":                200,
			"/v1/agents":                           200,
			"/v1/workspaces/larkspur/members":      500,
		} {
			if got, body := send(t, baseURL+path, "dev-token-write"); got != want {
				t.Errorf("%s: got %d %s, want %d", path, got, body, want)
			}
		}
		for session, want := range map[string]int{"ses_orders_open": 400, "ses_returns_open": 200} {
			if got, body := send(t, baseURL+"/v1/sessions/"+session+"/updateAgent", "dev-token-write", "{}"); got != want {
				t.Errorf("%s: got %d %s, want %d", session, got, body, want)
			}
		}
	})
}

// TestSessionUpdates holds which updates are refused, and that the log has the agent of each other one, and no other part
// of the payload.
func TestSessionUpdates(t *testing.T) {
	t.Parallel()
	_, log := serveWith(t, nil, func(baseURL string) {
		for _, test := range []struct {
			session, update string
			want            int
		}{
			{"ses_orders_open", `{"agentId":"agt_trade"}`, 200},
			{"ses_orders_open", `{"secret":"s"}`, 200},
			{"ses_orders_open", `{"agentId":"agt_absent"}`, 400},
			{"ses_orders_open", `{"agentId":"agt_jobs"`, 400},
			{"ses_orders_open", `null`, 400},
			{"ses_returns_done", `{}`, 400},
			{"ses_absent", `{}`, 400},
		} {
			if got, body := send(t, baseURL+"/v1/sessions/"+test.session+"/updateAgent", "dev-token-write", test.update); got != test.want {
				t.Errorf("%s %s: got %d %s, want %d", test.session, test.update, got, body, test.want)
			}
		}
	})
	const prefix = `msg="session update" session=ses_orders_open agent=`
	if !strings.Contains(log, prefix+"agt_trade\n") || !strings.Contains(log, prefix+"unchanged\n") {
		t.Errorf("the log lacks an update:\n%s", log)
	}
	if strings.Contains(log, "secret") || strings.Count(log, prefix) != 2 {
		t.Errorf("the log has more than updates:\n%s", log)
	}
}

func TestRunRefusals(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"extra":                "extra",
		"-seed does-not-exist": "-seed does-not-exist: open callers.json",
		"-seed x -agents 2":    "-agents conflicts with -seed",
		"-fail agt_trade":      `"agt_trade" for flag -fail: must be NAME=STATUS with a status from 400 to 599, such as agt_trade=500`,
		"-fail agt_trade=200":  `"agt_trade=200" for flag -fail: must be NAME=STATUS`,
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // It serves if it refuses nothing.
			defer cancel()
			err := run(ctx, strings.Fields(args), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want one with %q", err, want)
			}
		})
	}
}
