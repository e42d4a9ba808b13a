// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain is the provider itself where a test starts it. When it is told to, it logs as
// net/http does.
func TestMain(m *testing.M) {
	if os.Getenv("CONVO_TEST_PROVIDER") == "" {
		os.Exit(m.Run())
	}
	stderr := os.Stderr // Serving the plugin replaces it.
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		log.Print("Unsolicited response received on idle HTTP channel")
		_, _ = stderr.WriteString("logged\n")
		os.Exit(0)
	}()
	main()
}

// TestNetHTTPLogsNothing starts the provider as Terraform does, and holds that what net/http
// logs reaches nobody.
func TestNetHTTPLogsNothing(t *testing.T) {
	t.Parallel()
	provider := exec.CommandContext(t.Context(), os.Args[0])
	// The cookie that shows a plugin that Terraform starts it.
	provider.Env = append(os.Environ(), "CONVO_TEST_PROVIDER=1",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
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
	if text := stderr.String(); !strings.Contains(text, "logged") || strings.Contains(text, "Unsolicited") {
		t.Errorf("the provider printed:\n%s", text)
	}
}
