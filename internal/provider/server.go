// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
// null to a function.
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

// CallFunction calls a function as Terraform does. OpenTofu (v1.12) sends nothing for an
// argument that is null.
func (s *server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	const null = 0xc0 // in MessagePack
	for i, argument := range req.Arguments {
		if len(argument.MsgPack) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{null}}
		}
	}
	return s.frameworkServer.CallFunction(ctx, req)
}
