// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// cliName and cliVersion are the name and version of the CLI, and cliIsOpenTofu
// reports whether it is OpenTofu.
var (
	cliName       string
	cliVersion    *version.Version
	cliIsOpenTofu bool
)

// cliHas reports whether the CLI is new enough for a feature: from which
// version of Terraform on, and of OpenTofu, "" where that does not have it.
func cliHas(terraform, openTofu string) bool {
	since := terraform
	if cliIsOpenTofu {
		since = openTofu
	}
	return since != "" && cliVersion != nil && cliVersion.Core().GreaterThanOrEqual(version.Must(version.NewVersion(since)))
}

// needsCLI skips what the CLI is too old for. CI runs it with a newer one.
func needsCLI(t *testing.T, feature, terraform, openTofu string) {
	t.Helper()
	testAccPreCheck(t)
	if !cliHas(terraform, openTofu) {
		t.Skipf("%s %s does not support %s", cliName, cliVersion, feature)
	}
}

// errCLI is the reason for a missing CLI for the acceptance tests. It fails
// them one by one, so that the others still run.
var errCLI error

// builtProvider builds the provider once for all tests that run it.
var builtProvider func() (*cli.Scratch, error)

func TestMain(m *testing.M) {
	prepareCLI()
	var dir string
	builtProvider = sync.OnceValues(func() (*cli.Scratch, error) {
		var err error
		if dir, err = os.MkdirTemp("", "convo"); errCLI != nil || err != nil {
			return nil, errors.Join(errCLI, err)
		}
		return cli.NewScratch(context.Background(), os.Getenv("TF_ACC_TERRAFORM_PATH"), dir)
	})
	// Most tests wait for the CLI or for a service.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	code := m.Run()
	if dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// prepareCLI chooses the CLI of the acceptance tests and keeps the user's own
// settings, and everything but the loopback, out of them.
func prepareCLI() {
	setenv := func(name, value string) { errCLI = errors.Join(errCLI, os.Setenv(name, value)) }
	setenv("TF_ACC", "1")
	setenv("TF_CLI_CONFIG_FILE", os.DevNull)
	setenv("CHECKPOINT_DISABLE", "1")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "CONVO_") || strings.HasPrefix(name, "TF_LOG") {
			errCLI = errors.Join(errCLI, os.Unsetenv(name))
		}
	}

	path, err := cli.Find()
	if err != nil {
		errCLI = err
		return
	}
	setenv("TF_ACC_TERRAFORM_PATH", path)
	cliName, cliVersion, err = cli.Version(context.Background(), path)
	errCLI = errors.Join(errCLI, err)
	if cliIsOpenTofu = cliName == "OpenTofu"; cliIsOpenTofu {
		setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
		setenv("TF_ACC_PROVIDER_NAMESPACE", "hashicorp")
	}
}
