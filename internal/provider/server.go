// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// frameworkServer lists every server that the framework implements. terraform-
// plugin-go finds the optional ones by type assertion, so that a wrapper hides
// what it does not embed.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
	tfprotov6.StateStoreServer
}

// server is the framework's server, except for three behaviors that the framework
// does not have: fast reads (fast_read.go), the interrupt of an action (InvokeAction and
// StopProvider), and CallFunction. Without these methods, the provider
// works, but plans of large workspaces are slower, an interrupted action succeeds,
// and OpenTofu cannot pass null or what is unknown in part to a function.
type server struct {
	frameworkServer
	actions sync.RWMutex // read-locked by each action until its last event is sent
}

// NewServer returns a function that creates the provider's server with the
// given version. It uses protocol version 6.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(&convoProvider{version: version}) }
}

func newServer(p *convoProvider) *server {
	s := &server{}
	s.frameworkServer, _ = providerserver.NewProtocol6(p)().(frameworkServer) // TestServerHidesNothing fails if it is nil.
	return s
}

// CallFunction calls a function as Terraform does. OpenTofu (v1.12) sends nothing for
// an argument that is null, and calls a function although a part of an argument is
// unknown.
func (s *server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	const null = 0xc0 // in MessagePack
	resp, err := s.GetFunctions(ctx, &tfprotov6.GetFunctionsRequest{})
	if err != nil {
		return nil, err
	}
	function := resp.Functions[req.Name]
	for i, argument := range req.Arguments {
		if len(argument.MsgPack) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{null}}
		} else if function != nil && i < len(function.Parameters) {
			value, err := argument.Unmarshal(function.Parameters[i].Type)
			if err == nil && !value.IsFullyKnown() {
				result, err := tfprotov6.NewDynamicValue(function.Return.Type, tftypes.NewValue(function.Return.Type, tftypes.UnknownValue))
				return &tfprotov6.CallFunctionResponse{Result: &result}, err
			}
		}
	}
	return s.frameworkServer.CallFunction(ctx, req)
}

// InvokeAction calls the framework's method, unless the provider is stopping. The action is
// running until its last event is sent.
func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	if !s.actions.TryRLock() {
		return nil, errors.New("the provider is stopping, so the action was not invoked")
	}
	stream, err := s.frameworkServer.InvokeAction(ctx, req)
	if err != nil {
		s.actions.RUnlock()
		return nil, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		defer s.actions.RUnlock()
		stream.Events(yield)
	}}, nil
}

// StopProvider cancels running operations, and returns only after the last events of all
// actions are sent. Once it has returned, terraform-plugin-go (v0.31) discards further
// events, including the last one with its error, so that Terraform considers an
// interrupted action complete.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.frameworkServer.StopProvider(ctx, req)
	s.actions.Lock()
	defer s.actions.Unlock()
	return resp, err
}
