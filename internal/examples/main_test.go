// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package examples runs the examples, and what the guides say about them, with the real CLI
// and the built provider.
package examples

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

const (
	root         = "../.."
	examplesRoot = root + "/examples"
	guidesRoot   = root + "/templates/guides"
)

// built has the built provider, and the CLI, whose name and version follow.
var (
	built         *cli.Scratch
	cliName       string
	cliVersion    *version.Version
	cliIsOpenTofu bool
)

var update = flag.Bool("update", false, "write the sources of pictures anew")

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests keeps the user's own settings out of the tests, most of which wait for the CLI.
func runTests(m *testing.M) (int, error) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "CONVO_") || strings.HasPrefix(name, "TF_LOG") {
			if err := os.Unsetenv(name); err != nil {
				return 0, err
			}
		}
	}
	path, err := cli.Find()
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	if cliName, cliVersion, err = cli.Version(ctx, path); err != nil {
		return 0, err
	}
	cliIsOpenTofu = cliName == "OpenTofu"
	dir, err := os.MkdirTemp("", "convo")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if built, err = cli.NewScratch(ctx, path, dir); err != nil {
		return 0, err
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// cliHas reports whether the CLI is new enough for a feature: from which
// version of Terraform on, and of OpenTofu, "" where that does not have it.
func cliHas(terraform, openTofu string) bool {
	since := terraform
	if cliIsOpenTofu {
		since = openTofu
	}
	return since != "" && cliVersion.Core().GreaterThanOrEqual(version.Must(version.NewVersion(since)))
}

// needsCLI skips what the CLI is too old for. CI runs it with a newer one.
func needsCLI(t *testing.T, feature, terraform, openTofu string) {
	t.Helper()
	if !cliHas(terraform, openTofu) {
		t.Skipf("%s %s does not support %s", cliName, cliVersion, feature)
	}
}
