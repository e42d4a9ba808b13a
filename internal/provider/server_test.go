// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// What is none of the reads is the framework's, which says that it does not know
// the type.
func TestOtherTypesAreTheFrameworks(t *testing.T) {
	t.Parallel()
	const other = "convo_other"
	p := newProtocol(t)
	config := p.dynamic(p.schema.DataSourceSchemas["convo_agents"].ValueType(), object{})
	read, err := p.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: other, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, read.Diagnostics, "Data Source Type Not Found", other)
	valid, err := p.server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: other, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, valid.Diagnostics, "Ephemeral Resource Type Not Found", other)
	opened, err := p.server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: other, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, opened.Diagnostics, "Ephemeral Resource Type Not Found", other)
	closed, err := p.server.CloseEphemeralResource(t.Context(), &tfprotov6.CloseEphemeralResourceRequest{TypeName: other})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, closed.Diagnostics, "Ephemeral Resource Type Not Found", other)
}
