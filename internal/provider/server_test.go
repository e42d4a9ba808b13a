// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"reflect"
	"strings"
	"testing"
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
