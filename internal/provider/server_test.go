// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The wrapper serves everything that the framework's server can serve.
func TestServerHidesNothing(t *testing.T) {
	t.Parallel()
	s := newServer((&convoProvider{version: "test"}))
	if s.frameworkServer == nil {
		t.Fatal("the framework's server lacks a part of frameworkServer")
	}
	wrapper, framework := reflect.TypeOf(s), reflect.TypeOf(s.frameworkServer)
	// RPCs take a context and a request of the protocol. The framework's server
	// has other methods besides.
	for i := range framework.NumMethod() {
		method := framework.Method(i)
		if method.Type.NumIn() != 3 || !strings.Contains(method.Type.In(2).String(), "tfprotov6.") {
			continue
		}
		if _, ok := wrapper.MethodByName(method.Name); !ok {
			t.Errorf("the framework serves %s, which the wrapper hides: add its server to frameworkServer", method.Name)
		}
	}
}

// OpenTofu sends a null argument as no value.
func TestNullArgumentOfOpenTofu(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	definition, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, brokenDefinition))
	if err != nil {
		t.Fatal(err)
	}
	resp := rpc(p, p.server.CallFunction, &tfprotov6.CallFunctionRequest{Name: "definition_diff", Arguments: []*tfprotov6.DynamicValue{&definition, {}}})
	if resp.Error != nil {
		t.Error(resp.Error.Text)
	}
}
