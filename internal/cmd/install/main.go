// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command install builds the provider into a filesystem mirror below a
// directory, and prints how Terraform and OpenTofu use it. It changes neither
// the user's CLI configuration nor the plugin directories.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

func main() {
	dir := flag.String("dir", "dist", "write the mirror and the CLI configuration to `DIRECTORY`")
	flag.Parse()
	if err := run(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	// Otherwise, an older build of the same version would remain.
	if err := os.RemoveAll(filepath.Join(dir, "mirror")); err != nil {
		return err
	}
	scratch, err := cli.NewScratch(ctx, "", dir)
	if err != nil {
		return err
	}
	configuration, err := os.ReadFile(scratch.Configuration())
	if err != nil {
		return err
	}
	// For a shell, so that a path can contain spaces and apostrophes.
	quoted := "'" + strings.ReplaceAll(scratch.Configuration(), "'", `'\''`) + "'"
	fmt.Printf("convo/convo %s is built. To use this build, set\n\n  export TF_CLI_CONFIG_FILE=%s\n\n"+
		"and run terraform init or tofu init. If an earlier build was installed there, delete .terraform.lock.hcl first,\n"+
		"because it contains that build's checksum. Other providers are installed as usual. The CLI configuration file\ncontains:\n\n%s",
		cli.Version, quoted, configuration)
	return nil
}
