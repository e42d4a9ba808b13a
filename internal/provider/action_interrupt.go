// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// runningActions counts the actions whose last event is not sent yet.
type runningActions struct {
	sync.Mutex
	ended sync.Cond // the end of one of them. newServer sets its lock.
	count int
	// stopping reports that the provider waits for their end.
	stopping bool
}

// InvokeAction calls the framework's method, and counts the action as running until
// its last event is sent. The framework cancels only those actions that begin before
// a stop.
func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	// Under the lock, an action either begins before a stop, and the framework cancels
	// it, or finds stopping set.
	s.actions.Lock()
	defer s.actions.Unlock()
	if s.actions.stopping {
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		ctx = canceled
	}
	stream, err := s.frameworkServer.InvokeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	s.actions.count++
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		stream.Events(yield)
		s.actions.Lock()
		defer s.actions.Unlock()
		s.actions.count--
		s.actions.ended.Broadcast()
	}}, nil
}

// StopProvider cancels running operations, and returns only after the last events
// of all actions are sent. Once it has returned, terraform-plugin-go (v0.31)
// discards further events, including the last one with its error, so that
// Terraform considers an interrupted action complete.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.actions.Lock()
	defer s.actions.Unlock()
	s.actions.stopping = true
	resp, err := s.frameworkServer.StopProvider(ctx, req)
	for s.actions.count > 0 {
		s.actions.ended.Wait()
	}
	s.actions.stopping = false // In a debugger, the process serves further actions after a stop.
	return resp, err
}
