// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
)

// This file exists for speed alone. terraform-plugin-framework (v1.19) converts each
// value of a result about five times, so that a list of 10,000 agents takes 30 times as
// long as its download. Here, the framework reads a data source, but gets back the
// configuration. The model, which it never sees, becomes the protocol's MessagePack at
// once. Without the two methods of server, everything works, only slower.

// modelKey is the key of a context's *any, which receives the model of a read in place
// of the state.
type modelKey struct{}

// ReadDataSource reads a data source as the framework does.
func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	var model any
	resp, err := s.frameworkServer.ReadDataSource(context.WithValue(ctx, modelKey{}, &model), req)
	if model != nil && err == nil {
		resp.State, err = encodeModel(model)
	}
	return resp, err
}

// OpenEphemeralResource reads an ephemeral data source as the framework does.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	var model any
	resp, err := s.frameworkServer.OpenEphemeralResource(context.WithValue(ctx, modelKey{}, &model), req)
	if model != nil && err == nil {
		resp.Result, err = encodeModel(model)
	}
	return resp, err
}

// setState sets the state to a model, which is a pointer to a struct with tfsdk tags.
func setState(ctx context.Context, resp *datasource.ReadResponse, model any) {
	if receiver, ok := ctx.Value(modelKey{}).(*any); ok {
		*receiver = model
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// encodeModel returns a model, which is a pointer to a struct with tfsdk tags, as a
// value of the protocol. A nil pointer, slice, or map becomes null.
func encodeModel(model any) (*tfprotov6.DynamicValue, error) {
	msgpack.Register(big.Float{}, encodeNumber, nil) // Registering it again has no effect.
	var buffer bytes.Buffer
	encoder := msgpack.NewEncoder(&buffer)
	encoder.SetCustomStructTag("tfsdk")
	err := encoder.Encode(model)
	return &tfprotov6.DynamicValue{MsgPack: buffer.Bytes()}, err
}

// encodeNumber writes a number as an integer or else as text, which the protocol allows for
// all numbers, so that it keeps its value.
func encodeNumber(e *msgpack.Encoder, v reflect.Value) error {
	number, _ := v.Interface().(big.Float)
	if n, accuracy := number.Int64(); accuracy == big.Exact {
		return e.EncodeInt(n)
	}
	return e.EncodeString(number.Text('f', -1))
}
