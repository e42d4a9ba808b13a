// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command findcli prints the path of the Terraform or OpenTofu that the demo
// and the tests use. If neither is installed, it first builds OpenTofu and
// prints the progress to standard error.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/convo/terraform-provider-convo/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	path, err := cli.Find(ctx, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "findcli:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}
