// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var _ datasource.DataSource = (*readSource)(nil)

// readSource serves a read as a data source. The framework uses its schema and
// validates by it; the server calls Read itself.
type readSource struct {
	read read
	// connection is nil while Terraform only validates.
	connection *connection
}

func (s *readSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName(s.read.name)
}

func (s *readSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.read.schema()
}

func (s *readSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	if s.connection.deferrable() && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
		return
	}
	if !s.connection.ready("read "+s.read.noun, &resp.Diagnostics) {
		return
	}
	state, diags := s.read.run(ctx, s.connection, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.State.Raw = state
	}
}
