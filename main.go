// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-convo serves the provider to Terraform and
// OpenTofu.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/convo/terraform-provider-convo/internal/provider"
)

// version is set at link time: -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	// net/http prints the beginning of unsolicited responses to this logger, so
	// that Terraform's log could contain a part of a definition.
	log.SetOutput(io.Discard)

	// A run is short. For a whole plan of the audit of 10,000 agents this saves a
	// seventh of the CPU time of Terraform and the provider together (12.3 s
	// instead of 14.3 s) and costs 140 MB (a peak of 355 MB instead of 218 MB).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	// Above this limit, the garbage of a large response is collected at once.
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(550 << 20)
	}

	attach := flag.Bool("debug", false, "print how to attach to this process and wait, for a debugger such as delve")
	flag.Parse()
	var options []tf6server.ServeOpt
	if *attach {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		discardLogs()
	}
	if err := tf6server.Serve("registry.terraform.io/convo/convo", provider.NewServer(version), options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// discardLogs prevents the provider from logging if Terraform would discard
// the log anyway, after it parsed every line. For a whole plan of the audit of
// 10,000 agents this saves a tenth of the CPU time.
func discardLogs() {
	const level = "TF_LOG_PROVIDER_CONVO"
	if cmp.Or(os.Getenv("TF_LOG"), os.Getenv("TF_LOG_PROVIDER"), os.Getenv(level)) == "" {
		_ = os.Setenv(level, "OFF")
	}
}
