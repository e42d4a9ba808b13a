// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// frameworkServer lists every server that the framework implements. terraform-
// plugin-go finds the optional ones by type assertion, so that a wrapper hides
// what it does not embed. As one interface the list also compiles when
// ProviderServer includes some of them.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
	tfprotov6.StateStoreServer
}

// server is the framework's server, except for reads, which it serves itself
// for two reasons:
//
//   - After a read the framework passes through the result some five times, for
//     semantic equality and blocks, which no result here has. Reading 10,000
//     agents took 11 to 12 times as long as fetching and decoding them, 3 to 4
//     times without these passes, and takes less than twice as long with encode.
//   - Each read is served as a data source and as an ephemeral resource. In the
//     protocol both have the same schema, validation and result, so that one
//     description is enough; the framework would need it in two forms.
type server struct {
	frameworkServer
	provider *convoProvider
	reads    map[string]read
	// maxResult is the size of the largest result of a read, in bytes.
	maxResult int
	// invocations are the actions that an interrupt must end.
	invocations invocations
}

// maxResult leaves room for what surrounds a result in a message, which
// terraform-plugin-go and Terraform limit to 256 MiB. Without this limit the user
// would see an error of gRPC.
const maxResult = 255 << 20

// NewServer returns a function that creates the provider with the given
// version. It uses protocol version 6.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(newProvider(version)) }
}

func newServer(p *convoProvider) *server {
	s := &server{provider: p, reads: map[string]read{}, maxResult: maxResult}
	s.frameworkServer, _ = providerserver.NewProtocol6(p)().(frameworkServer) // A test requires it to be one.
	for _, r := range p.reads {
		s.reads[typeName(r.name)] = r
	}
	return s
}

// GetMetadata lists the ephemeral counterparts of all data sources besides what
// the framework lists.
func (s *server) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	resp, err := s.frameworkServer.GetMetadata(ctx, req)
	if err != nil {
		return nil, err
	}
	for name := range s.reads {
		resp.EphemeralResources = append(resp.EphemeralResources, tfprotov6.EphemeralResourceMetadata{TypeName: name})
	}
	return resp, nil
}

// ephemeralDescription continues the description of a data source.
const ephemeralDescription = " Terraform does not store the result in the state or in plan files."

// GetProviderSchema gives the ephemeral counterparts the schemas of the data
// sources. The framework returns no schema at all when one is invalid, only
// diagnostics.
func (s *server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := s.frameworkServer.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}
	for name := range s.reads {
		source, ok := resp.DataSourceSchemas[name]
		if !ok {
			continue
		}
		if resp.EphemeralResourceSchemas == nil {
			resp.EphemeralResourceSchemas = map[string]*tfprotov6.Schema{}
		}
		block := *source.Block
		block.Description += ephemeralDescription
		resp.EphemeralResourceSchemas[name] = &tfprotov6.Schema{Version: source.Version, Block: &block}
	}
	return resp, nil
}

// ReadDataSource does what the framework does, except for the passes over the
// result.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	r, ok := s.reads[req.TypeName]
	if !ok {
		return s.frameworkServer.ReadDataSource(ctx, req)
	}
	return s.read(ctx, r, req.Config, req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed)
}

// ValidateEphemeralResourceConfig validates an ephemeral counterpart like its
// data source.
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.frameworkServer.ValidateEphemeralResourceConfig(ctx, req)
	}
	resp, err := s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: req.Config})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: resp.Diagnostics}, nil
}

// OpenEphemeralResource reads like the data source.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	r, ok := s.reads[req.TypeName]
	if !ok {
		return s.frameworkServer.OpenEphemeralResource(ctx, req)
	}
	resp, err := s.read(ctx, r, req.Config, req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.OpenEphemeralResourceResponse{Result: resp.State, Diagnostics: resp.Diagnostics, Deferred: resp.Deferred}, nil
}

// CloseEphemeralResource has nothing to close.
func (s *server) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.frameworkServer.CloseEphemeralResource(ctx, req)
	}
	return &tfprotov6.CloseEphemeralResourceResponse{}, nil
}

// read reads the object that a configuration names.
func (s *server) read(ctx context.Context, r read, config *tfprotov6.DynamicValue, deferrable bool) (*tfprotov6.ReadDataSourceResponse, error) {
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
	source := &readSource{read: r, connection: s.provider.connection}
	source.Read(ctx, request, &result)

	state, err := encode(result.State.Raw)
	if err != nil {
		return nil, err
	}
	if size := len(state); size > s.maxResult {
		result.Diagnostics.AddError("Unable to read "+r.noun, fmt.Sprintf(
			"The result has %d MiB, and Terraform accepts at most %d MiB from a provider. Read fewer objects at once.", size>>20, s.maxResult>>20))
		if state, err = encode(raw); err != nil {
			return nil, err
		}
	}
	resp := &tfprotov6.ReadDataSourceResponse{State: &tfprotov6.DynamicValue{MsgPack: state}, Diagnostics: protocolDiagnostics(result.Diagnostics)}
	if result.Deferred != nil {
		resp.Deferred = &tfprotov6.Deferred{Reason: tfprotov6.DeferredReason(result.Deferred.Reason)}
	}
	return resp, nil
}

// protocolDiagnostics converts diagnostics to those of the protocol.
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

// protocolPath converts the path of an attribute. Reads report at arguments
// only, whose paths are names.
func protocolPath(p path.Path) *tftypes.AttributePath {
	result := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok {
			result = result.WithAttributeName(string(name))
		}
	}
	return result
}
