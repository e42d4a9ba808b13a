// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A read through fast_read.go and an ephemeral resource have the same result and
// the same diagnostics as a read through the framework alone.
func TestReadParity(t *testing.T) {
	t.Parallel()
	for _, test := range parityCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startServiceWithFaults(t, faults{"": test.response})
			state, diagnostics := newFrameworkTestProvider(t).configuredFor(s).read(test.source, test.config)
			delete(state, "read_at")
			if sent := s.sent(); test.response == nil && len(slices.Compact(slices.Clone(sent))) < len(sent) {
				t.Errorf("sent a request twice: %v", sent)
			}
			for way, read := range map[string]func(string, object) (object, []*tfprotov6.Diagnostic){
				"fast read":          configuredProvider(t, s).read,
				"ephemeral resource": configuredProvider(t, s).open,
			} {
				gotState, gotDiagnostics := read(test.source, test.config)
				delete(gotState, "read_at")
				if diff := cmp.Diff(state, gotState); diff != "" {
					t.Errorf("the state differs (-framework +%s):\n%s", way, diff)
				}
				if diff := cmp.Diff(diagnostics, gotDiagnostics); diff != "" {
					t.Errorf("the diagnostics differ (-framework +%s):\n%s", way, diff)
				}
			}
		})
	}
}

type parityCase struct {
	name string
	// response is what responds to all requests, and nil for the development server.
	response http.Handler
	source   string
	config   object
}

func parityCases() []parityCase {
	agent := object{"agent_id": "agt_returns"}
	cases := []parityCase{
		{"definition", nil, "convo_agent", object{"agent_id": "agt_returns", "include_definition_json": true}},
		{"all arguments of an audit", nil, workspaceAuditType, object{
			"workspace_id": "larkspur", "agent_query": object{"a": "b"}, "agent_ids": list{"agt_returns", "agt_scratch"},
			"stats_periods": list{"last7Days", "today"}, "definitions": true, "include_graph_findings": true,
		}},
		{"invalid ID", nil, "convo_agent", object{"agent_id": ".."}},
		{"missing field", jsonHandler(http.StatusOK, `{"agent":{}}`), "convo_agent", agent},
		{"incomplete list", jsonHandler(http.StatusOK, `{"agents":[],"nextPage":2}`), "convo_agents", object{}},
		{"audit of a missing agent", nil, workspaceAuditType, object{"workspace_id": "larkspur", "agent_ids": list{"agt_nope"}}},
	}
	for name, row := range dataSources {
		cases = append(cases, parityCase{name, nil, name, row.arguments})
	}
	for name, fault := range commonFaults() {
		cases = append(cases, parityCase{name, fault.handler, "convo_agent", agent})
	}
	return cases
}

// newFrameworkTestProvider returns the same provider as newTestProvider, served by
// the framework alone.
func newFrameworkTestProvider(t testing.TB) *testProvider {
	t.Helper()
	return testProviderOf(t, providerserver.NewProtocol6(&convoProvider{version: "test", retryWait: time.Millisecond})())
}

// watchedReads requires of the framework's server that it returns the configuration.
type watchedReads struct {
	frameworkServer
	t *testing.T
}

func (s watchedReads) require(typeName string, result, config *tfprotov6.DynamicValue) {
	if !bytes.Equal(result.MsgPack, config.MsgPack) {
		s.t.Errorf("the framework converted the result of %s, which takes up to 30 times as long as fast_read.go", typeName)
	}
}

func (s watchedReads) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := s.frameworkServer.ReadDataSource(ctx, req)
	s.require(req.TypeName, resp.State, req.Config)
	return resp, err
}

func (s watchedReads) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	resp, err := s.frameworkServer.OpenEphemeralResource(ctx, req)
	s.require(req.TypeName, resp.Result, req.Config)
	return resp, err
}

// The framework converts no result, which it does many times slower.
func TestFastReadIsUsed(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startService(t))
	s := p.server.(*server)
	s.frameworkServer = watchedReads{s.frameworkServer, t}
	for name, row := range dataSources {
		p.mustRead(name, row.arguments)
		p.open(name, row.arguments)
	}
}

// Numbers keep their value, also those that no int64 or float64 can hold.
func TestEncodeNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-1", "0.5", "0.1", "9223372036854775807", "9223372036854775808", "1" + strings.Repeat("0", 300), "12345678901234567890.125"} {
		float, _, _ := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		encoded, err := encodeModel(&struct {
			N *big.Float `tfsdk:"n"`
		}{float})
		if err != nil {
			t.Fatal(err)
		}
		value, err := encoded.Unmarshal(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"n": tftypes.Number}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(any(object{"n": number(text)}), fromTerraform(value)); diff != "" {
			t.Errorf("unexpected value (-want +got):\n%s", diff)
		}
	}
}
