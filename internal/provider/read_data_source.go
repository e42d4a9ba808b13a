// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var _ datasource.DataSource = (*readDataSource)(nil)

// readDataSource serves a read as a data source.
type readDataSource struct {
	read read
	// connection is nil while Terraform only validates; the server sets it when
	// it reads.
	connection *connection
}

func newReadDataSource(r read) func() datasource.DataSource {
	return func() datasource.DataSource { return &readDataSource{read: r} }
}

func (d *readDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName(d.read.name)
}

func (d *readDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.read.schema()
}

func (d *readDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	if d.connection.deferrable() && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
		return
	}
	client := d.connection.open("read "+d.read.noun, &resp.Diagnostics)
	if client == nil {
		return
	}
	value, diags := d.read.run(ctx, client, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = value
}
