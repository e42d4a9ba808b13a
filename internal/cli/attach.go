// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Attach starts the built provider with variables of the form "NAME=value", and
// returns the variable that makes the CLIs use it. Starting a provider, up to four
// times in each run, takes most of the time of a short run. The provider ends with
// the context, and wait returns when it has ended.
func (s *Scratch) Attach(ctx context.Context, variables ...string) (variable string, wait func(), err error) {
	provider := exec.CommandContext(ctx, s.Provider(), "-debug")
	provider.Env = slices.Concat(os.Environ(), variables)
	provider.Cancel = func() error {
		if err := provider.Process.Signal(os.Interrupt); err == nil {
			return nil // It removes its socket.
		}
		return provider.Process.Kill() // Windows has no interrupts.
	}
	provider.WaitDelay = 10 * time.Second
	stdout, err := provider.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := provider.Start(); err != nil {
		return "", nil, err
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, addresses, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS='"); ok {
			addresses, err = forBothCLIs(strings.TrimSuffix(addresses, "'"))
			return "TF_REATTACH_PROVIDERS=" + addresses, func() { _ = provider.Wait() }, err
		}
	}
	return "", nil, errors.Join(errors.New("the provider does not print how to attach"), provider.Wait())
}

// forBothCLIs adds the registry that OpenTofu completes a source with.
func forBothCLIs(text string) (string, error) {
	var addresses map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &addresses); err != nil {
		return "", err
	}
	addresses["registry.opentofu.org/convo/convo"] = addresses["registry.terraform.io/convo/convo"]
	both, err := json.Marshal(addresses)
	return string(both), err
}
