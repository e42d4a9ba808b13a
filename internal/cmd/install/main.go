// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command install builds the provider into a filesystem mirror below dist, and
// prints how Terraform and OpenTofu use it. It changes neither the user's CLI
// configuration nor the plugin directories.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

const usage = `convo/convo %s is built for %s. To use this build, run:

  export TF_CLI_CONFIG_FILE='%s'

Then run terraform init or tofu init in the directory of an example or of your own
configuration. If you initialized that directory with an earlier build, first delete the
provider's block from its .terraform.lock.hcl, because the checksums differ.

To try the build without an account, start the development server in another terminal, and
run the export commands that it prints in this one:

  go run ./internal/cmd/devserver

TF_CLI_CONFIG_FILE replaces your CLI configuration file. To keep its settings, copy the
content of dist/cli.tfrc into it instead of setting the variable. Other providers are
installed as usual.
`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, output io.Writer) error {
	dir, err := filepath.Abs("dist")
	if err != nil {
		return err
	}
	scratch, err := cli.NewScratch(ctx, "", dir) // No CLI runs.
	if err != nil {
		return err
	}
	// Within single quotes, a shell expands nothing.
	quoted := strings.ReplaceAll(scratch.Configuration(), "'", `'\''`)
	_, err = fmt.Fprintf(output, usage, cli.BuildVersion, cli.Platform(), quoted)
	return err
}
