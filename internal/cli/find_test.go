// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// TERRAFORM takes precedence over the PATH, and terraform over tofu. The
// environment belongs to the process, so that this test runs alone.
func TestFind(t *testing.T) {
	dir, suffix := t.TempDir(), ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	terraform, tofu := filepath.Join(dir, "terraform"+suffix), filepath.Join(dir, "tofu"+suffix)
	t.Setenv("PATH", dir)
	find := func(variable, want string) {
		t.Helper()
		t.Setenv("TERRAFORM", variable)
		if got, err := cli.Find(); got != want || (err != nil) != (want == "") {
			t.Errorf("TERRAFORM=%s: got %q, %v, want %q", variable, got, err, want)
		}
	}
	find("", "")
	for _, path := range []string{tofu, terraform} {
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		find("", path)
	}
	find("tofu", tofu)
	find(tofu, tofu)
	find("no-such-program", "")
}
