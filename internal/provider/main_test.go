// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/releases"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// cliVersion is the version of the CLI, and cliIsOpenTofu says whose it is.
var (
	cliVersion    *version.Version
	cliIsOpenTofu bool
)

// cliHas says whether the CLI is new enough for a feature: from which version
// of Terraform on, and of OpenTofu, "" where that does not have it.
func cliHas(terraform, openTofu string) bool {
	since := terraform
	if cliIsOpenTofu {
		since = openTofu
	}
	return since != "" && cliVersion != nil && cliVersion.Core().GreaterThanOrEqual(version.Must(version.NewVersion(since)))
}

// errCLI says why there is no CLI for the acceptance tests. It fails them one
// by one, so that the others still run.
var errCLI error

func TestMain(m *testing.M) {
	remove := prepareCLI()
	code := m.Run()
	remove()
	os.Exit(code)
}

// prepareCLI chooses the CLI of the acceptance tests and keeps the user's own
// settings, and everything but the loopback, out of them.
func prepareCLI() (remove func()) {
	setenv := func(name, value string) { errCLI = errors.Join(errCLI, os.Setenv(name, value)) }
	setenv("TF_CLI_CONFIG_FILE", os.DevNull)
	setenv("CHECKPOINT_DISABLE", "1")
	remove = func() {}

	path, err := cli.Find()
	if errors.Is(err, cli.ErrNotFound) {
		path, remove, err = fetchCLI()
	}
	if err != nil {
		errCLI = err
		return remove
	}
	setenv("TF_ACC_TERRAFORM_PATH", path)
	output, err := exec.CommandContext(context.Background(), path, "version").Output()
	if err != nil {
		errCLI = fmt.Errorf("%s cannot be run: %w", path, err)
		return remove
	}
	name, number, _ := strings.Cut(strings.TrimSpace(strings.SplitN(string(output), "\n", 2)[0]), " v")
	if cliVersion, err = version.NewVersion(number); err != nil {
		errCLI = fmt.Errorf("%s has no version: %w", path, err)
	}
	if cliIsOpenTofu = name == "OpenTofu"; cliIsOpenTofu {
		setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
		setenv("TF_ACC_PROVIDER_NAMESPACE", "hashicorp")
	}
	return remove
}

// fetchCLI installs a Terraform for this run.
func fetchCLI() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "convo-terraform-")
	if err != nil {
		return "", func() {}, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	path, err = (&releases.ExactVersion{
		Product:    product.Terraform,
		Version:    version.Must(version.NewVersion("1.11.4")),
		InstallDir: dir,
	}).Install(ctx)
	if err != nil {
		return "", remove, fmt.Errorf("%w (fetching one failed: %w)", cli.ErrNotFound, err)
	}
	return path, remove, nil
}

// acceptance runs a test case with the real CLI.
func acceptance(t *testing.T, test resource.TestCase) {
	t.Helper()
	if errCLI != nil {
		t.Fatal(errCLI)
	}
	test.ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
		"convo": func() (tfprotov6.ProviderServer, error) { return NewServer("test")(), nil },
	}
	resource.UnitTest(t, test)
}
