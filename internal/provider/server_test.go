// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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

// OpenTofu calls a function although a part of an argument is unknown.
func TestArgumentsThatAreUnknownInPart(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	const audit = `{"workspace": {}, "members": [], "emails_by_role": {}, "agents": {}, "summary": {}}`
	for _, test := range []struct {
		function  string
		arguments []any
	}{
		{"audit_report", []any{audit, nil, list{object{"level": "error", "rule": "r", "id": nil, "message": unknown}}}},
		{"audit_report", []any{audit, object{"record": unknown, "changes": nil, "accepted": nil}, list{}}},
		{"review_report", []any{object{"a": `{"graph": {}}`, "b": unknown}, nil}},
	} {
		request := &tfprotov6.CallFunctionRequest{Name: test.function}
		for i, argument := range test.arguments {
			request.Arguments = append(request.Arguments, p.argument(test.function, i, argument))
		}
		resp := rpc(p, p.server.CallFunction, request)
		if resp.Error != nil {
			t.Errorf("%v: %s", test, resp.Error.Text)
		} else if result, err := resp.Result.Unmarshal(p.schema.Functions[test.function].Return.Type); err != nil || result.IsKnown() {
			t.Errorf("%v: got %s, %v", test, result, err)
		}
	}
}
