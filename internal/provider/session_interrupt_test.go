// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// An interrupt ends an action with an error that Terraform gets to see:
// terraform-plugin-go drops events that come after StopProvider has returned.
func TestInterruptedAction(t *testing.T) {
	t.Parallel()
	sent := make(chan struct{})
	s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(sent)
			<-r.Context().Done()
		})
	}))
	p := configured(t, s)
	actions, ok := p.server.(tfprotov6.ActionServer)
	if !ok {
		t.Fatal("the server serves no actions")
	}
	ctx, cancel := context.WithCancel(t.Context()) // As plugin-go does once the provider is stopped.
	stream, err := actions.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{
		ActionType: updateSessionAgent,
		Config:     p.dynamic(p.schema.ActionSchemas[updateSessionAgent].Schema.ValueType(), object{"session_id": "s"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan []*tfprotov6.Diagnostic, 1)
	go func() {
		defer close(shown)
		for event := range stream.Events {
			if ctx.Err() != nil {
				return
			}
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				shown <- completed.Diagnostics
			}
		}
	}()
	<-sent
	if _, err := p.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	requireError(t, <-shown, "Unable to update session agent", `session "s"`, "the run was canceled", mayHaveTakenEffect)

	// What comes after an interrupt runs as ever, and a stop without actions waits for nothing.
	if _, err := p.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	p = configured(t, startService(t))
	if _, diagnostics := p.invoke(object{"session_id": "ses_orders_open"}); len(diagnostics) > 0 {
		t.Errorf("got %s", describe(diagnostics[0]))
	}
	if running := len(p.server.(*server).invocations.running); running > 0 {
		t.Errorf("%d actions still count as running", running)
	}
}

// A stop that is given up itself waits no longer.
func TestInterruptIsGivenUp(t *testing.T) {
	t.Parallel()
	var running invocations
	action, done := running.begin(t.Context())
	defer done()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	running.stop(ctx)
	if action.Err() == nil {
		t.Error("the action was not canceled")
	}
}
