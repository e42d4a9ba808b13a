// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-convo serves the provider to Terraform and
// OpenTofu.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/convo/terraform-provider-convo/internal/provider"
)

// version is set at link time: -ldflags "-X main.version=1.2.3".
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve on a fixed address, for a debugger such as delve")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/convo/convo",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
