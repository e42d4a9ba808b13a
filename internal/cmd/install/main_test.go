// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// goCommand stands in for the Go command, whose build for another platform takes minutes. It builds
// a file with the name of the platform.
const goCommand = `#!/bin/sh
while [ "$1" != -o ]; do shift; done
/bin/mkdir -p "$2" && echo "$GOOS/$GOARCH" > "$2/terraform-provider-convo"
`

// Another platform's build is in the directory of this platform, and a shell reads what is
// printed as it is meant.
func TestInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("requires a POSIX shell")
	}
	dir, bin := filepath.Join(t.TempDir(), "it's $HOME"), t.TempDir()
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(bin, "go"), []byte(goCommand), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", bin)
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "arm")
	var output bytes.Buffer
	if err := run(t.Context(), &output); err != nil {
		t.Fatal(err)
	}
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		built, err := os.ReadFile(filepath.Join("dist/mirror", registry, "convo/convo/0.1.999/plan9_arm/terraform-provider-convo"))
		if err != nil || string(built) != "plan9/arm\n" {
			t.Errorf("%s has a build for %q: %v", registry, built, err)
		}
	}
	_, after, _ := strings.Cut(output.String(), "0.1.999 is built for plan9_arm. To use this build, run:\n\n")
	command, _, _ := strings.Cut(after, "\n\n")
	configuration, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", command+`; printf %s "$TF_CLI_CONFIG_FILE"`).Output()
	if want := filepath.Join(dir, "dist", "cli.tfrc"); err != nil || string(configuration) != want {
		t.Errorf("the variable is %q, want %q: %v", configuration, want, err)
	}
}
