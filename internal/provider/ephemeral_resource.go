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
	var sourceSchema datasource.SchemaResponse
	e.source.Schema(ctx, datasource.SchemaRequest{}, &sourceSchema)
	resp.Diagnostics = sourceSchema.Diagnostics
	resp.Schema = schema.Schema{
		MarkdownDescription: sourceSchema.Schema.MarkdownDescription + " Terraform does not store the result.",
		Attributes:          map[string]schema.Attribute{},
	}
	for name, attribute := range sourceSchema.Schema.Attributes {
		resp.Schema.Attributes[name] = attribute // Both Attribute interfaces are the framework's fwschema.Attribute.
	}
}

func (e *ephemeralDataSource) Configure(ctx context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	var configured datasource.ConfigureResponse
	if source, ok := e.source.(datasource.DataSourceWithConfigure); ok {
		source.Configure(ctx, datasource.ConfigureRequest{ProviderData: req.ProviderData}, &configured)
	}
	resp.Diagnostics = configured.Diagnostics
}

func (e *ephemeralDataSource) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	result := datasource.ReadResponse{State: tfsdk.State(req.Config)}
	e.source.Read(ctx, datasource.ReadRequest{Config: req.Config}, &result)
	resp.Diagnostics = result.Diagnostics
	resp.Result.Raw = result.State.Raw
}
