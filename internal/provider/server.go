// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server is the framework's server of the provider, but for the reads of data
// sources. After a read the framework goes through the result some five times,
// for semantic equality and for null blocks, which no result here has: that
// more than doubles the time of a list of 10,000 agents.
type server struct {
	tfprotov6.ProviderServer
	provider *convoProvider
	reads    map[string]read
}

// NewServer returns a constructor of the provider in the given version, as
// Terraform talks to it by protocol 6.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := newProvider(version)
		s := &server{ProviderServer: providerserver.NewProtocol6(p)(), provider: p, reads: map[string]read{}}
		for _, r := range reads() {
			s.reads[typeName(r.name)] = r
		}
		return s
	}
}

// ReadDataSource does what the framework's does, up to the result.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	r, ok := s.reads[req.TypeName]
	if !ok {
		return s.ProviderServer.ReadDataSource(ctx, req)
	}
	schema := r.schema()
	typ := schema.Type().TerraformType(ctx)
	config, err := req.Config.Unmarshal(typ)
	if err != nil {
		return nil, err
	}

	read := datasource.ReadRequest{Config: tfsdk.Config{Raw: config, Schema: schema}}
	if req.ClientCapabilities != nil {
		read.ClientCapabilities.DeferralAllowed = req.ClientCapabilities.DeferralAllowed
	}
	result := datasource.ReadResponse{State: tfsdk.State{Raw: config, Schema: schema}}
	source := &readDataSource{read: r, connection: s.provider.connection}
	source.Read(ctx, read, &result)

	state, err := tfprotov6.NewDynamicValue(typ, result.State.Raw)
	if err != nil {
		return nil, err
	}
	resp := &tfprotov6.ReadDataSourceResponse{State: &state, Diagnostics: protocolDiagnostics(result.Diagnostics)}
	if result.Deferred != nil {
		resp.Deferred = &tfprotov6.Deferred{Reason: tfprotov6.DeferredReason(result.Deferred.Reason)}
	}
	return resp, nil
}

// protocolDiagnostics writes diagnostics as the protocol has them.
func protocolDiagnostics(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	var result []*tfprotov6.Diagnostic
	for _, d := range diags {
		converted := &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError,
			Summary:  d.Summary(),
			Detail:   d.Detail(),
		}
		if d.Severity() == diag.SeverityWarning {
			converted.Severity = tfprotov6.DiagnosticSeverityWarning
		}
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			converted.Attribute = protocolPath(located.Path())
		}
		result = append(result, converted)
	}
	return result
}

// protocolPath writes the path of an attribute as the protocol has it. Reads
// report at arguments only, whose paths are names.
func protocolPath(p path.Path) *tftypes.AttributePath {
	result := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok {
			result = result.WithAttributeName(string(name))
		}
	}
	return result
}
