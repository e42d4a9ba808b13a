// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Whatever the bytes of a response and whichever read it is for: no panic, and
// a state that Terraform accepts, or an error with the reason.
func FuzzReads(f *testing.F) {
	cases := slices.DeleteFunc(readCases(), func(c readCase) bool { return len(c.requests) > 1 })
	seeds := startService(f)
	for i, c := range cases {
		f.Add(uint(i), []byte(`{}`))
		f.Add(uint(i), seeds.get(f, c.requests[0]))
	}
	var body atomic.Pointer[[]byte]
	s := startService(f, devserver.WithFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*body.Load()) })
	}))
	shared := configuredProvider(f, s)

	f.Fuzz(func(t *testing.T, which uint, response []byte) {
		c := cases[which%uint(len(cases))]
		body.Store(&response)
		p := *shared
		p.t, p.ctx = t, t.Context()
		state, diagnostics := p.read(c.source, c.config)
		if len(diagnostics) == 0 && state == nil {
			t.Errorf("%s has neither a state nor a diagnostic", c.source)
		}
		for _, d := range diagnostics {
			if d.Summary == "" || d.Detail == "" {
				t.Errorf("%s has an empty diagnostic: %+v", c.source, d)
			}
		}
	})
}
