// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// An interrupt ends an action with an error, which is sent before the provider has stopped.
// Terraform does not receive what is sent later.
func TestInterruptedAction(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	p := configuredProvider(t, startServiceWithFaults(t, faults{"": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		hang(w, r)
	})}))
	stream := p.startAction(object{"session_id": "s"})
	var last atomic.Pointer[tfprotov6.CompletedInvokeActionEventType]
	go func() {
		for event := range stream.Events {
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				last.Store(&completed)
			}
		}
	}()
	<-arrived
	rpc(p, p.server.StopProvider, &tfprotov6.StopProviderRequest{})
	completed := last.Load()
	if completed == nil {
		t.Fatal("the provider stopped before the last event of the action")
	}
	requireError(t, completed.Diagnostics, "Unable to update session agent", "the run was canceled", mayHaveTakenEffect)
}

// While the provider waits for an action to end, no other action begins.
func TestActionOfAStoppingProvider(t *testing.T) {
	t.Parallel()
	s := newServer(&convoProvider{version: "test"})
	s.actions.Lock()
	if _, err := s.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: updateSessionAgentType}); err == nil {
		t.Error("an action began")
	}
}
