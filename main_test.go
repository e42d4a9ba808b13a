// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime/metrics"
	"strings"
	"testing"
)

// TestMain is the provider itself where a test starts it. When it is told to, it
// logs as net/http does, and prints the level of its own log and its memory settings.
func TestMain(m *testing.M) {
	if os.Getenv("CONVO_TEST_PROVIDER") == "" {
		os.Exit(m.Run())
	}
	stderr := os.Stderr // Serving the plugin replaces it.
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		log.Print("Unsolicited response received on idle HTTP channel")
		settings := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
		metrics.Read(settings)
		_, _ = fmt.Fprintf(stderr, "memory %d %d\n", settings[0].Value.Uint64(), settings[1].Value.Uint64())
		_, _ = fmt.Fprintf(stderr, "done, level %q\n", os.Getenv("TF_LOG_PROVIDER_CONVO"))
		os.Exit(0)
	}()
	main()
}

// TestNetHTTPLogsNothing holds that what net/http logs reaches nobody.
func TestNetHTTPLogsNothing(t *testing.T) {
	t.Parallel()
	if text := serve(t); !strings.Contains(text, "done") || strings.Contains(text, "Unsolicited") {
		t.Errorf("the provider printed:\n%s", text)
	}
}

// TestDiscardLogs holds that the provider writes no log that Terraform would
// discard, and every log that a user requested.
func TestDiscardLogs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environment []string
		level       string
	}{
		{nil, "OFF"},
		{[]string{"TF_LOG="}, "OFF"},
		{[]string{"TF_LOG_CORE=TRACE"}, "OFF"},
		{[]string{"TF_LOG=DEBUG"}, ""},
		{[]string{"TF_LOG_PROVIDER=DEBUG"}, ""},
		{[]string{"TF_LOG_PROVIDER_CONVO=INFO"}, "INFO"},
	} {
		if text, want := serve(t, test.environment...), fmt.Sprintf("done, level %q\n", test.level); !strings.HasSuffix(text, want) {
			t.Errorf("with %v the provider printed %q, which does not end in %q", test.environment, text, want)
		}
	}
}

// TestMemorySettings holds the limit above which garbage is collected at once, and that
// the user can change it.
func TestMemorySettings(t *testing.T) {
	t.Parallel()
	for environment, want := range map[string]string{"": "memory 400 576716800\n", "GOMEMLIMIT=2GiB": "memory 400 2147483648\n", "GOGC=50": "memory 50 576716800\n"} {
		if text := serve(t, environment); !strings.Contains(text, want) {
			t.Errorf("with %q the provider printed %q, want %q", environment, text, want)
		}
	}
}

// serve starts the provider as Terraform does, has it log, and returns what it
// printed to the standard error.
func serve(t *testing.T, environment ...string) string {
	t.Helper()
	provider := exec.CommandContext(t.Context(), os.Args[0])
	// The cookie that shows a plugin that Terraform starts it.
	provider.Env = append([]string{"CONVO_TEST_PROVIDER=1",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"}, environment...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_LOG") && !strings.HasPrefix(variable, "GOGC=") && !strings.HasPrefix(variable, "GOMEMLIMIT=") {
			provider.Env = append(provider.Env, variable)
		}
	}
	var stderr bytes.Buffer
	provider.Stderr = &stderr
	stdin, errIn := provider.StdinPipe()
	stdout, errOut := provider.StdoutPipe()
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	served, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(served, "1|6|") {
		t.Errorf("the provider does not serve protocol 6: %q, %v", served, err)
	}
	if _, err := io.WriteString(stdin, "log\n"); err != nil {
		t.Error(err)
	}
	if err := provider.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
	return stderr.String()
}
