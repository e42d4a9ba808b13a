// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

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
