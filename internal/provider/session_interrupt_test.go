// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// eventStream takes the events of an action that go out to Terraform.
type eventStream struct {
	grpc.ServerStream
	ctx    context.Context
	events []string
}

func (s *eventStream) Context() context.Context { return s.ctx }

func (s *eventStream) SendMsg(event any) error {
	s.events = append(s.events, fmt.Sprint(event))
	return nil
}

// invokeOver invokes an action through a method of terraform-plugin-go's server,
// whose types are internal there.
func invokeOver[Request, Event any](method func(*Request, grpc.ServerStreamingServer[Event]) error, stream grpc.ServerStream, actionType string, config []byte) error {
	request := new(Request)
	fields := reflect.ValueOf(request).Elem()
	fields.FieldByName("ActionType").SetString(actionType)
	value := reflect.New(fields.FieldByName("Config").Type().Elem())
	value.Elem().FieldByName("Msgpack").SetBytes(config)
	fields.FieldByName("Config").Set(value)
	return method(request, &grpc.GenericServerStream[Request, Event]{ServerStream: stream})
}

// stopOver stops the provider in the same way.
func stopOver[Request, Response any](ctx context.Context, method func(context.Context, *Request) (*Response, error)) error {
	_, err := method(ctx, new(Request))
	return err
}

// An interrupt ends an action with an error that reaches Terraform, although
// terraform-plugin-go drops what comes after StopProvider has returned.
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
	config := p.dynamic(p.schema.ActionSchemas[updateSessionAgentType].Schema.ValueType(), object{"session_id": "s"}).MsgPack
	plugin := tf6server.New("convo", p.server, tf6server.WithLoggingSink(t)) // Without a sink it logs to the standard error.
	stream := &eventStream{ctx: t.Context()}
	ended := make(chan error)
	go func() { ended <- invokeOver(plugin.InvokeAction, stream, updateSessionAgentType, config) }()
	<-sent
	if err := stopOver(t.Context(), plugin.StopProvider); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	last := stream.events[len(stream.events)-1]
	for _, want := range []string{"completed", "ERROR", "Unable to update session agent", "the run was canceled", mayHaveTakenEffect} {
		if !strings.Contains(last, want) {
			t.Errorf("the last event does not have %q: %s", want, last)
		}
	}
	if running := len(p.server.(*server).invocations.running); running > 0 {
		t.Errorf("%d actions still count as running", running)
	}
	// A stop without actions waits for nothing.
	if _, err := p.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Error(err)
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
