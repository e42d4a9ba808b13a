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
	"testing"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

// errCLI is the reason for a missing CLI for the acceptance tests. It fails
// them one by one, so that the others still run.
var errCLI error

func TestMain(m *testing.M) {
	prepareCLI()
	// Most tests wait for the CLI or for a service.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// prepareCLI chooses the CLI of the acceptance tests and keeps the user's own
// settings, and everything but the loopback, out of them.
func prepareCLI() {
	setenv := func(name, value string) { errCLI = errors.Join(errCLI, os.Setenv(name, value)) }
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
	name, _, err := cli.Version(context.Background(), path)
	errCLI = errors.Join(errCLI, err)
	if name == "OpenTofu" {
		setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
		setenv("TF_ACC_PROVIDER_NAMESPACE", "hashicorp")
	}
}
