// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// TERRAFORM takes precedence over the PATH, and terraform over tofu. The
// environment belongs to the process, so that this test runs alone.
func TestFind(t *testing.T) {
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	program := func(name string) string {
		path := filepath.Join(t.TempDir(), name+suffix)
		if err := os.WriteFile(path, nil, 0o700); err != nil { //nolint:gosec // It has to be executable.
			t.Fatal(err)
		}
		return path
	}
	terraform, tofu, other := program("terraform"), program("tofu"), program("other")
	path := func(programs ...string) string {
		var dirs []string
		for _, program := range programs {
			dirs = append(dirs, filepath.Dir(program))
		}
		return strings.Join(dirs, string(os.PathListSeparator))
	}
	for name, test := range map[string]struct{ variable, path, want string }{
		"a path in TERRAFORM": {variable: other, path: path(terraform), want: other},
		"a name in TERRAFORM": {variable: "tofu", path: path(terraform, tofu), want: tofu},
		"terraform":           {path: path(tofu, terraform), want: terraform},
		"tofu":                {path: path(tofu), want: tofu},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TERRAFORM", test.variable)
			t.Setenv("PATH", test.path)
			if got, err := cli.Find(); err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
	t.Run("nothing by the name in TERRAFORM", func(t *testing.T) {
		t.Setenv("TERRAFORM", "no-such-program")
		t.Setenv("PATH", path(terraform))
		got, err := cli.Find()
		if err == nil || !strings.HasPrefix(err.Error(), "cannot run no-such-program: ") {
			t.Errorf("got %q, %v", got, err)
		}
	})
}
