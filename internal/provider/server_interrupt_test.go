// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// An interrupt ends an action with an error that reaches Terraform.
func TestInterruptedAction(t *testing.T) {
	t.Parallel()
	p, sent := hangingProvider(t)
	events := interruptAction(t, p.server, p.actionRequest(object{"session_id": "s"}), sent)
	for _, want := range []string{"Unable to update session agent", "the run was canceled", mayHaveTakenEffect} {
		if last := events[len(events)-1]; !strings.Contains(last, want) {
			t.Errorf("the last event does not have %q: %s", want, last)
		}
	}
}

// hangingProvider returns the provider, configured for a service that never responds,
// and a channel that receives a value for each request.
func hangingProvider(t *testing.T) (p *testProvider, sent <-chan struct{}) {
	t.Helper()
	arrived := make(chan struct{}, 10)
	return configuredProvider(t, startServiceWithFaults(t, faults{"": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		hang(w, r)
	})})), arrived
}

func (p *testProvider) actionRequest(config object) *tfprotov6.InvokeActionRequest {
	p.t.Helper()
	return &tfprotov6.InvokeActionRequest{
		ActionType: updateSessionAgentType,
		Config:     p.toDynamic(p.schema.ActionSchemas[updateSessionAgentType].Schema.ValueType(), config),
	}
}

// interruptAction invokes an action as Terraform does, stops the provider once the
// action has started, and returns the events that Terraform receives.
func interruptAction(t *testing.T, server tfprotov6.ProviderServer, request *tfprotov6.InvokeActionRequest, started <-chan struct{}) []string {
	t.Helper()
	plugin := servePlugin(t, server)
	stream, err := plugin.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/tfplugin6.Provider/InvokeAction", grpc.ForceCodec(rawCodec{}))
	if err != nil {
		t.Fatal(err)
	}
	message := typedRequest(request.ActionType, request.Config)
	if err := errors.Join(stream.SendMsg(&message), stream.CloseSend()); err != nil {
		t.Fatal(err)
	}
	<-started
	plugin.call(t, "StopProvider", nil)
	var events []string
	for {
		var event []byte
		if err := stream.RecvMsg(&event); errors.Is(err, io.EOF) {
			return events
		} else if err != nil {
			t.Fatal(err)
		}
		events = append(events, string(event))
	}
}

// plugin is a connection to the provider, as Terraform has one.
type plugin struct{ *grpc.ClientConn }

// servePlugin serves the provider over gRPC.
func servePlugin(t *testing.T, server tfprotov6.ProviderServer) plugin {
	t.Helper()
	grpcServer := grpc.NewServer()
	t.Cleanup(grpcServer.Stop)
	served := &tf6server.GRPCProviderPlugin{
		Name:         "convo",
		GRPCProvider: func() tfprotov6.ProviderServer { return server },
		Opts:         []tf6server.ServeOpt{tf6server.WithLoggingSink(t)}, // Without a sink, it logs to the standard error.
	}
	if err := served.GRPCServer(nil, grpcServer); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = grpcServer.Serve(listener) }()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return plugin{connection}
}

// call calls a method, and returns the encoded response, in which texts are readable.
func (p plugin) call(t *testing.T, method string, request []byte) []byte {
	var response []byte
	if err := p.Invoke(t.Context(), "/tfplugin6.Provider/"+method, &request, &response, grpc.ForceCodec(rawCodec{})); err != nil {
		t.Errorf("%s: %v", method, err)
	}
	return response
}

// typedRequest encodes a request whose fields 1 and 2 are a type and its
// configuration. The types of the messages are internal in terraform-plugin-go.
func typedRequest(typeName string, config *tfprotov6.DynamicValue) []byte {
	field := func(number byte, content []byte) []byte {
		return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(content))), content...)
	}
	return append(field(1, []byte(typeName)), field(2, field(1, config.MsgPack))...)
}

// rawCodec sends and receives messages that are encoded already.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(message any) ([]byte, error) {
	encoded, ok := message.(*[]byte)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return *encoded, nil
}

func (rawCodec) Unmarshal(encoded []byte, message any) error {
	target, ok := message.(*[]byte)
	if !ok {
		return errors.ErrUnsupported
	}
	*target = append([]byte{}, encoded...)
	return nil
}
