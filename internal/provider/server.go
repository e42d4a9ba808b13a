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

// server is the framework's server of the provider, but for reads, which it
// answers itself, and serves as data sources and as ephemeral resources alike.
//
// After a read the framework goes through the result some five times, for
// semantic equality and for null blocks, which no result here has: that more
// than doubles the time of a list of 10,000 agents.
type server struct {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	provider *convoProvider
	reads    map[string]read
	// invocations are the actions that an interrupt has to end.
	invocations invocations
}

// NewServer returns a constructor of the provider in the given version, as
// Terraform talks to it by protocol 6.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := newProvider(version)
		framework := providerserver.NewProtocol6(p)()
		s := &server{ProviderServer: framework, provider: p, reads: map[string]read{}}
		s.ActionServer, _ = framework.(tfprotov6.ActionServer) // It is one; a test holds that.
		for _, r := range reads() {
			s.reads[typeName(r.name)] = r
		}
		return s
	}
}

// ReadDataSource does what the framework's does, up to the result.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.ProviderServer.ReadDataSource(ctx, req)
	}
	deferrable := req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed
	return s.answer(ctx, s.reads[req.TypeName], req.Config, deferrable)
}

// answer reads what a configuration asks for.
func (s *server) answer(ctx context.Context, r read, config *tfprotov6.DynamicValue, deferrable bool) (*tfprotov6.ReadDataSourceResponse, error) {
	schema := r.schema()
	typ := schema.Type().TerraformType(ctx)
	raw, err := config.Unmarshal(typ)
	if err != nil {
		return nil, err
	}
	request := datasource.ReadRequest{
		Config:             tfsdk.Config{Raw: raw, Schema: schema},
		ClientCapabilities: datasource.ReadClientCapabilities{DeferralAllowed: deferrable},
	}
	result := datasource.ReadResponse{State: tfsdk.State{Raw: raw, Schema: schema}}
	source := &readDataSource{read: r, connection: s.provider.connection}
	source.Read(ctx, request, &result)

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
