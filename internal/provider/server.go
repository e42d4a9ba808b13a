// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
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
// does not have: fast reads (fast_read.go), the interrupt of an action
// (action_interrupt.go), and CallFunction. Without them, the provider works, but plans of
// large workspaces are slower, an interrupted action succeeds, and OpenTofu cannot pass
// null or what is unknown in part to a function.
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
