// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// This file exists for speed alone. terraform-plugin-framework (v1.19) converts each
// value of a result about five times, so that a list of 10,000 agents takes 30 times as
// long as its download. Here, the model becomes the protocol's MessagePack at once.
// Without this file, everything works, only slower.

// ReadDataSource reads a data source as the framework does.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	source := s.fastSource(ctx, req.TypeName)
	if source == nil {
		return s.frameworkServer.ReadDataSource(ctx, req)
	}
	state, diags, err := s.fastRead(ctx, source, req.Config)
	return &tfprotov6.ReadDataSourceResponse{State: state, Diagnostics: diags}, err
}

// OpenEphemeralResource reads an ephemeral data source as the framework does.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	source := s.fastSource(ctx, req.TypeName)
	if source == nil {
		return s.frameworkServer.OpenEphemeralResource(ctx, req)
	}
	result, diags, err := s.fastRead(ctx, source, req.Config)
	return &tfprotov6.OpenEphemeralResourceResponse{Result: result, Diagnostics: diags}, err
}

// modelSource is a data source whose method Read can hand over its model instead of
// setting the state.
type modelSource interface {
	datasource.DataSourceWithConfigure
	handModelTo(result *any)
}

func (d *apiDataSource) handModelTo(result *any) { d.result = result }

// fastSource returns a data source, or nil if the framework responds with an error or a deferral.
func (s *server) fastSource(ctx context.Context, typeName string) modelSource {
	if s.provider.data == nil || s.provider.data.client == nil {
		return nil
	}
	for _, newDataSource := range s.provider.DataSources(ctx) {
		source, ok := newDataSource().(modelSource)
		if !ok {
			continue
		}
		var metadata datasource.MetadataResponse
		source.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &metadata)
		if metadata.TypeName == typeName {
			return source
		}
	}
	return nil
}

// fastRead returns the state of a data source, which is the configuration if the read
// fails.
func (s *server) fastRead(ctx context.Context, source modelSource, config *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, []*tfprotov6.Diagnostic, error) {
	var schema datasource.SchemaResponse
	source.Schema(ctx, datasource.SchemaRequest{}, &schema)
	raw, err := config.Unmarshal(schema.Schema.Type().TerraformType(ctx))
	if err != nil {
		return nil, nil, err
	}
	var configured datasource.ConfigureResponse
	source.Configure(ctx, datasource.ConfigureRequest{ProviderData: s.provider.data}, &configured)
	var model any
	source.handModelTo(&model)
	var resp datasource.ReadResponse
	source.Read(ctx, datasource.ReadRequest{Config: tfsdk.Config{Raw: raw, Schema: schema.Schema}}, &resp)
	if resp.Diagnostics.HasError() {
		return config, protocolDiagnostics(resp.Diagnostics), nil
	}
	state, err := encodeModel(model)
	return state, protocolDiagnostics(resp.Diagnostics), err
}

// encodeModel returns a model, which is a pointer to a struct with tfsdk tags, as a
// value of the protocol. A nil pointer, slice, or map becomes null.
func encodeModel(model any) (*tfprotov6.DynamicValue, error) {
	msgpack.Register((*big.Float)(nil), encodeNumber, nil) // Registering it again has no effect.
	var buffer bytes.Buffer
	encoder := msgpack.NewEncoder(&buffer)
	encoder.SetCustomStructTag("tfsdk")
	err := encoder.Encode(model)
	return &tfprotov6.DynamicValue{MsgPack: buffer.Bytes()}, err
}

// encodeNumber writes a number as terraform-plugin-go does: as text if it is neither
// an int64 nor an exact fraction.
func encodeNumber(e *msgpack.Encoder, v reflect.Value) error {
	number, _ := v.Interface().(*big.Float)
	if number == nil {
		return e.EncodeNil()
	}
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return e.EncodeInt(n)
	}
	if n, accuracy := number.Float64(); accuracy == big.Exact && !number.IsInt() {
		return e.EncodeFloat64(n)
	}
	return e.EncodeString(number.Text('f', -1))
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
			diagnostic.Attribute = protocolPath(located.Path())
		}
		converted = append(converted, diagnostic)
	}
	return converted
}

// protocolPath converts a path to that of the protocol. It omits an element of a set.
func protocolPath(p path.Path) *tftypes.AttributePath {
	converted := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			converted = converted.WithAttributeName(string(step))
		case path.PathStepElementKeyInt:
			converted = converted.WithElementKeyInt(int(step))
		case path.PathStepElementKeyString:
			converted = converted.WithElementKeyString(string(step))
		}
	}
	return converted
}
