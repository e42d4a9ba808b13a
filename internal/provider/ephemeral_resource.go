// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*ephemeralDataSource)(nil)

// ephemeralDataSource is an ephemeral resource that reads like a data source
// and has its name and attributes.
type ephemeralDataSource struct {
	source datasource.DataSource
}

// newEphemeralDataSource returns the constructor of a data source's ephemeral
// counterpart.
func newEphemeralDataSource(newDataSource func() datasource.DataSource) func() ephemeral.EphemeralResource {
	return func() ephemeral.EphemeralResource { return &ephemeralDataSource{source: newDataSource()} }
}

func (e *ephemeralDataSource) Metadata(ctx context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	var metadata datasource.MetadataResponse
	e.source.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: req.ProviderTypeName}, &metadata)
	resp.TypeName = metadata.TypeName
}

func (e *ephemeralDataSource) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	var source datasource.SchemaResponse
	e.source.Schema(ctx, datasource.SchemaRequest{}, &source)
	resp.Diagnostics = source.Diagnostics
	resp.Schema = schema.Schema{
		MarkdownDescription: source.Schema.MarkdownDescription + " Terraform does not store the result in state or plan files.",
		Attributes:          map[string]schema.Attribute{},
	}
	for name, attribute := range source.Schema.Attributes {
		resp.Schema.Attributes[name] = attribute
	}
}

func (e *ephemeralDataSource) Configure(ctx context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	if source, ok := e.source.(datasource.DataSourceWithConfigure); ok {
		var configured datasource.ConfigureResponse
		source.Configure(ctx, datasource.ConfigureRequest{ProviderData: req.ProviderData}, &configured)
		resp.Diagnostics = configured.Diagnostics
	}
}

func (e *ephemeralDataSource) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var source datasource.SchemaResponse
	e.source.Schema(ctx, datasource.SchemaRequest{}, &source)
	read := datasource.ReadResponse{State: tfsdk.State{Raw: req.Config.Raw, Schema: source.Schema}}
	e.source.Read(ctx, datasource.ReadRequest{Config: tfsdk.Config{Raw: req.Config.Raw, Schema: source.Schema}}, &read)
	resp.Diagnostics = read.Diagnostics
	resp.Result.Raw = read.State.Raw
}
