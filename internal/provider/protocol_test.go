// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"math/big"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Beside the acceptance tests, tests call the provider through the plugin
// protocol as Terraform does, but without a CLI, so that a test takes
// milliseconds:
//
//	s := startService(t)          // a development server (service_test.go)
//	p := configuredProvider(t, s) // the provider, configured for this server
//	state := p.mustRead("convo_members", object{"workspace_id": "larkspur"})
//
// startServiceReturning and startServiceWithFaults start a server that responds
// with something else. read also returns the diagnostics, for requireError,
// requireWarning, and requireExactly. Configurations and states consist of Go
// values: object, list, string, bool, number, and nil for null.

type (
	object = map[string]any
	list   = []any
	// number is the shortest exact decimal text of a number.
	number string
)

// MarshalJSON writes the number.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Names of types that tests refer to.
const (
	workspaceAuditType     = "convo_workspace_audit"
	sessionAgent           = "convo_session_agent"
	updateSessionAgentType = "convo_update_session_agent"
)

// unknown represents a value that is not known yet.
var unknown = struct{ unknown bool }{true}

// testProvider drives a provider through the calls of the plugin protocol.
type testProvider struct {
	t      testing.TB
	ctx    context.Context // of the calls; the test's unless it is replaced
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
	// defers allows deferral, and deferred is that of the last read, whose result is nil.
	defers   bool
	deferred *tfprotov6.Deferred
}

// newTestProvider returns the provider, not configured. It waits at most some
// milliseconds before it retries a request.
func newTestProvider(t testing.TB) *testProvider {
	t.Helper()
	return testProviderOf(t, newServer(&convoProvider{version: "test", retryWait: time.Millisecond}))
}

func testProviderOf(t testing.TB, server tfprotov6.ProviderServer) *testProvider {
	t.Helper()
	p := &testProvider{t: t, ctx: t.Context(), server: server}
	p.schema = rpc(p, server.GetProviderSchema, &tfprotov6.GetProviderSchemaRequest{})
	requireNoErrors(t, p.schema.Diagnostics)
	return p
}

// configuredProvider returns the provider, configured for a service, with changes
// to its arguments. Retries are off unless a change sets max_retries, so that a
// failing test fails at once.
func configuredProvider(t testing.TB, s service, changes ...object) *testProvider {
	t.Helper()
	return newTestProvider(t).configuredFor(s, changes...)
}

func (p *testProvider) configuredFor(s service, changes ...object) *testProvider {
	p.t.Helper()
	config := object{"base_url": s.BaseURL, "token": devserver.TokenWrite, "max_retries": number("0")}
	for _, change := range changes {
		maps.Copy(config, change)
	}
	requireNoErrors(p.t, p.configure(config))
	return p
}

// rpc makes a call that must not fail as such. Its response can have errors.
func rpc[Request, Response any](p *testProvider, call func(context.Context, Request) (Response, error), request Request) Response {
	p.t.Helper()
	response, err := call(p.ctx, request)
	if err != nil {
		p.t.Fatal(err)
	}
	return response
}

func (p *testProvider) configure(config object) []*tfprotov6.Diagnostic {
	p.t.Helper()
	// Terraform validates the block with the values that are known when it
	// configures the provider.
	if diagnostics := p.validateProvider(config); len(errorsIn(diagnostics)) > 0 {
		return diagnostics
	}
	return rpc(p, p.server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion:   "1.11.4",
		Config:             p.toDynamic(p.schema.Provider.ValueType(), config),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: p.defers},
	}).Diagnostics
}

func (p *testProvider) validateProvider(config object) []*tfprotov6.Diagnostic {
	p.t.Helper()
	return rpc(p, p.server.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{
		Config: p.toDynamic(p.schema.Provider.ValueType(), config),
	}).Diagnostics
}

func (p *testProvider) validateData(name string, config object) []*tfprotov6.Diagnostic {
	p.t.Helper()
	return rpc(p, p.server.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: name, Config: p.toDynamic(p.schema.DataSourceSchemas[name].ValueType(), config),
	}).Diagnostics
}

func (p *testProvider) validateResource(name string, config object) []*tfprotov6.Diagnostic {
	p.t.Helper()
	return rpc(p, p.server.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: p.toDynamic(p.schema.ResourceSchemas[name].ValueType(), config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}).Diagnostics
}

func (p *testProvider) validateAction(config object) []*tfprotov6.Diagnostic {
	p.t.Helper()
	return rpc(p, p.server.(tfprotov6.ActionServer).ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
		ActionType: updateSessionAgentType,
		Config:     p.toDynamic(p.schema.ActionSchemas[updateSessionAgentType].Schema.ValueType(), config),
	}).Diagnostics
}

// read reads a data source. The state is nil if there are errors.
func (p *testProvider) read(name string, config object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	typ := p.schema.DataSourceSchemas[name].ValueType()
	resp := rpc(p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: p.toDynamic(typ, config), ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: p.defers},
	})
	p.deferred = resp.Deferred
	if len(errorsIn(resp.Diagnostics)) > 0 {
		return nil, resp.Diagnostics
	}
	return p.fromDynamic(typ, resp.State), resp.Diagnostics
}

// mustRead reads a data source that can be read.
func (p *testProvider) mustRead(name string, config object) object {
	p.t.Helper()
	state, diagnostics := p.read(name, config)
	requireNoErrors(p.t, diagnostics)
	return state
}

// open opens an ephemeral resource. The result is nil if there are errors.
func (p *testProvider) open(name string, config object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	typ := p.schema.EphemeralResourceSchemas[name].ValueType()
	resp := rpc(p, p.server.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: name, Config: p.toDynamic(typ, config), ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: p.defers},
	})
	p.deferred = resp.Deferred
	if len(errorsIn(resp.Diagnostics)) > 0 {
		return nil, resp.Diagnostics
	}
	return p.fromDynamic(typ, resp.Result), resp.Diagnostics
}

// plan plans a change of a resource from a prior state to a configuration, as Terraform
// does. Each of them is nil if there is none.
func (p *testProvider) plan(resource string, prior, config object) *tfprotov6.PlanResourceChangeResponse {
	p.t.Helper()
	schema := p.schema.ResourceSchemas[resource]
	proposed := maps.Clone(config)
	for _, attribute := range schema.Block.Attributes {
		if config != nil && (attribute.Computed || attribute.WriteOnly) {
			proposed[attribute.Name] = prior[attribute.Name]
		}
	}
	typ := schema.ValueType()
	return rpc(p, p.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: resource, PriorState: p.toDynamic(typ, prior), ProposedNewState: p.toDynamic(typ, proposed), Config: p.toDynamic(typ, config),
	})
}

// planned returns the planned state of a resource.
func (p *testProvider) planned(resource string, plan *tfprotov6.PlanResourceChangeResponse) object {
	p.t.Helper()
	return p.fromDynamic(p.schema.ResourceSchemas[resource].ValueType(), plan.PlannedState)
}

// apply applies a plan of a change of a resource, which must have no errors. The configuration
// can have values that were not known in the plan.
func (p *testProvider) apply(resource string, plan *tfprotov6.PlanResourceChangeResponse, prior, config object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	requireNoErrors(p.t, plan.Diagnostics)
	typ := p.schema.ResourceSchemas[resource].ValueType()
	resp := rpc(p, p.server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resource, PriorState: p.toDynamic(typ, prior), PlannedState: plan.PlannedState, Config: p.toDynamic(typ, config),
	})
	return p.fromDynamic(typ, resp.NewState), append(plan.Diagnostics, resp.Diagnostics...)
}

// update plans and applies a change of a session agent.
func (p *testProvider) update(prior, config object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	return p.apply(sessionAgent, p.plan(sessionAgent, prior, config), prior, config)
}

// startAction starts the action, which runs while its events are received.
func (p *testProvider) startAction(config object) *tfprotov6.InvokeActionServerStream {
	p.t.Helper()
	return rpc(p, p.server.(tfprotov6.ActionServer).InvokeAction, &tfprotov6.InvokeActionRequest{
		ActionType: updateSessionAgentType,
		Config:     p.toDynamic(p.schema.ActionSchemas[updateSessionAgentType].Schema.ValueType(), config),
	})
}

// invoke invokes the action and returns its progress messages.
func (p *testProvider) invoke(config object) ([]string, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	var progress []string
	var diagnostics []*tfprotov6.Diagnostic
	for event := range p.startAction(config).Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diagnostics = event.Diagnostics
		}
	}
	return progress, diagnostics
}

// call calls a function of the provider, which need not be configured.
func (p *testProvider) call(name string, arguments ...any) (any, *tfprotov6.FunctionError) {
	p.t.Helper()
	function := p.schema.Functions[name]
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		parameter := function.VariadicParameter
		if i < len(function.Parameters) {
			parameter = function.Parameters[i]
		}
		dynamic, err := tfprotov6.NewDynamicValue(parameter.Type, toTerraform(p.t, parameter.Type, argument))
		if err != nil {
			p.t.Fatal(err)
		}
		request.Arguments = append(request.Arguments, &dynamic)
	}
	resp := rpc(p, p.server.CallFunction, request)
	if resp.Error != nil {
		return nil, resp.Error
	}
	value, err := resp.Result.Unmarshal(function.Return.Type)
	if err != nil {
		p.t.Fatal(err)
	}
	return fromTerraform(value), nil
}

// toDynamic writes a value as Terraform sends it.
func (p *testProvider) toDynamic(typ tftypes.Type, value object) *tfprotov6.DynamicValue {
	p.t.Helper()
	terraform := tftypes.NewValue(typ, nil)
	if value != nil {
		terraform = toTerraform(p.t, typ, value)
	}
	dynamic, err := tfprotov6.NewDynamicValue(typ, terraform)
	if err != nil {
		p.t.Fatal(err)
	}
	return &dynamic
}

// fromDynamic reads a value as Terraform receives it.
func (p *testProvider) fromDynamic(typ tftypes.Type, dynamic *tfprotov6.DynamicValue) object {
	p.t.Helper()
	if dynamic == nil {
		return nil
	}
	value, err := dynamic.Unmarshal(typ)
	if err != nil {
		p.t.Fatal(err)
	}
	result, _ := fromTerraform(value).(object)
	return result
}

func toTerraform(t testing.TB, typ tftypes.Type, value any) tftypes.Value {
	t.Helper()
	if typ == nil {
		t.Fatalf("the schema has no attribute for %v", value)
	}
	switch value := value.(type) {
	case struct{ unknown bool }:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case number:
		float, _, err := big.ParseFloat(string(value), 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return tftypes.NewValue(typ, float)
	case list:
		values := []tftypes.Value{}
		for _, element := range value {
			values = append(values, toTerraform(t, elementType(typ, ""), element))
		}
		return tftypes.NewValue(typ, values)
	case object:
		values := map[string]tftypes.Value{}
		if typ, ok := typ.(tftypes.Object); ok {
			for name, attributeType := range typ.AttributeTypes {
				values[name] = tftypes.NewValue(attributeType, nil)
			}
		}
		for name, field := range value {
			values[name] = toTerraform(t, elementType(typ, name), field)
		}
		return tftypes.NewValue(typ, values)
	}
	return tftypes.NewValue(typ, value)
}

// elementType returns the type of an element, or of an attribute, which must exist.
func elementType(typ tftypes.Type, name string) tftypes.Type {
	switch typ := typ.(type) {
	case tftypes.List:
		return typ.ElementType
	case tftypes.Set:
		return typ.ElementType
	case tftypes.Map:
		return typ.ElementType
	case tftypes.Object:
		return typ.AttributeTypes[name]
	}
	return nil
}

func fromTerraform(value tftypes.Value) any {
	var text string
	var condition bool
	var float big.Float
	var elements []tftypes.Value
	var fields map[string]tftypes.Value
	switch {
	case value.IsNull():
		return nil
	case !value.IsKnown():
		return unknown
	case value.As(&text) == nil:
		return text
	case value.As(&condition) == nil:
		return condition
	case value.As(&float) == nil:
		return number(float.Text('f', -1))
	case value.As(&elements) == nil:
		result := list{}
		for _, element := range elements {
			result = append(result, fromTerraform(element))
		}
		return result
	}
	_ = value.As(&fields) // All other types have fields.
	result := object{}
	for name, field := range fields {
		result[name] = fromTerraform(field)
	}
	return result
}
