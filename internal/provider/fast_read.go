// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ReadDataSource calls the Read method of a data source as the framework does.
//
// It exists for speed alone. After Read, terraform-plugin-framework (v1.19)
// passes through the result about five times, for semantic equality and copies,
// which no result here needs. With these passes, a plan that lists 10,000 agents
// takes 1.9 to 2.2 s instead of 1.4 s, and an audit of 5,000 agents 5.4 s instead
// of 4.2 s. Without this method, everything works, only slower.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	source := s.provider.dataSource(ctx, req.TypeName)
	data := s.provider.data
	if source == nil || data == nil || data.client == nil {
		return s.frameworkServer.ReadDataSource(ctx, req) // Errors and deferral are the framework's.
	}
	var schema datasource.SchemaResponse
	source.Schema(ctx, datasource.SchemaRequest{}, &schema)
	typ := schema.Schema.Type().TerraformType(ctx)
	config, err := req.Config.Unmarshal(typ)
	if err != nil {
		return nil, err
	}
	result := readSource(ctx, source, data, tfsdk.Config{Raw: config, Schema: schema.Schema})
	state, err := tfprotov6.NewDynamicValue(typ, result.State.Raw)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ReadDataSourceResponse{State: &state, Diagnostics: protocolDiagnostics(result.Diagnostics)}, nil
}

// readSource configures a data source with the provider's data, and reads it.
func readSource(ctx context.Context, source datasource.DataSource, data any, config tfsdk.Config) datasource.ReadResponse {
	resp := datasource.ReadResponse{State: tfsdk.State(config)}
	if source, ok := source.(datasource.DataSourceWithConfigure); ok {
		var configured datasource.ConfigureResponse
		source.Configure(ctx, datasource.ConfigureRequest{ProviderData: data}, &configured)
		resp.Diagnostics = configured.Diagnostics
	}
	source.Read(ctx, datasource.ReadRequest{Config: config}, &resp)
	return resp
}

// dataSource returns the data source with the given type name, or nil.
func (p *convoProvider) dataSource(ctx context.Context, typeName string) datasource.DataSource {
	for _, newDataSource := range p.DataSources(ctx) {
		source := newDataSource()
		var metadata datasource.MetadataResponse
		source.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &metadata)
		if metadata.TypeName == typeName {
			return source
		}
	}
	return nil
}

// protocolDiagnostics converts diagnostics to those of the protocol.
func protocolDiagnostics(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	var converted []*tfprotov6.Diagnostic
	for _, d := range diags {
		diagnostic := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: d.Summary(), Detail: d.Detail()}
		if d.Severity() == diag.SeverityError {
			diagnostic.Severity = tfprotov6.DiagnosticSeverityError
		}
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			// The path of an error of a read is always a single attribute name.
			diagnostic.Attribute = tftypes.NewAttributePath().WithAttributeName(located.Path().String())
		}
		converted = append(converted, diagnostic)
	}
	return converted
}
