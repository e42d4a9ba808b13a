// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-convo serves the provider to Terraform and
// OpenTofu.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/convo/terraform-provider-convo/internal/provider"
)

// version is set at link time: -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	// net/http prints the beginning of unsolicited responses to this logger, so
	// that Terraform's log could contain a part of a definition.
	log.SetOutput(io.Discard)

	attach := flag.Bool("debug", false, "print how to attach to this process and wait, for a debugger such as delve")
	flag.Parse()
	var options []tf6server.ServeOpt
	if *attach {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve("registry.terraform.io/convo/convo", provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
