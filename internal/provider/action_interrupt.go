// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// invocations are the running actions. Once StopProvider has returned,
// terraform-plugin-go (v0.31) discards all further events of an action,
// including the last one with its error, so that Terraform considers an
// interrupted action complete. StopProvider therefore returns only after those
// events are sent.
type invocations struct {
	mu sync.Mutex
	// running maps a channel that is closed after the action's last event to
	// the function that cancels the action.
	running map[chan struct{}]context.CancelFunc
}

// begin registers an action. The function that it returns must be called after
// the action's last event.
func (i *invocations) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running == nil {
		i.running = map[chan struct{}]context.CancelFunc{}
	}
	i.running[done] = cancel
	return ctx, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.running, done)
		cancel()
		close(done)
	}
}

// stop cancels all actions and waits until their last events are sent.
func (i *invocations) stop(ctx context.Context) {
	i.mu.Lock()
	var waits []chan struct{}
	for done, cancel := range i.running {
		cancel()
		waits = append(waits, done)
	}
	i.mu.Unlock()
	for _, done := range waits {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// InvokeAction calls the framework's method and registers the action until its
// last event.
func (s *server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	ctx, done := s.invocations.begin(ctx)
	stream, err := s.frameworkServer.InvokeAction(ctx, req)
	if err != nil {
		done()
		return nil, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		defer done()
		stream.Events(yield)
	}}, nil
}

// StopProvider cancels running operations.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.frameworkServer.StopProvider(ctx, req)
	s.invocations.stop(ctx)
	return resp, err
}
