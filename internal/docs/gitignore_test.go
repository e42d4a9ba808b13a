// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever copies an example does not commit personal data by accident, but does commit the lock file.
func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	for _, example := range []string{
		"audit-in-ci", "audit-several-workspaces", "audit-without-storing-data", "large-workspaces", "plan-policies",
	} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, ".gitignore"), readFile(t, filepath.Join(root, "examples", example, ".gitignore")))
			for _, file := range []string{"audit.tfplan", "terraform.tfstate", "terraform.tfstate.backup", "report.md", ".terraform.lock.hcl", "main.tf"} {
				writeFile(t, filepath.Join(dir, file), "\n")
			}
			if output, err := exec.CommandContext(t.Context(), "git", "-C", dir, "init", "--quiet").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			output, err := exec.CommandContext(t.Context(), "git", "-C", dir, "ls-files", "--others", "--exclude-standard").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(output), ".gitignore\n.terraform.lock.hcl\nmain.tf\n"; got != want {
				t.Errorf("git offers %q, want %q", strings.Fields(got), strings.Fields(want))
			}
		})
	}
}
