// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Whatever the bytes of a response and whichever read it is for: no panic, and
// a state that Terraform accepts, or an error with the reason.
func FuzzReads(f *testing.F) {
	var body atomic.Pointer[[]byte]
	s := startService(f, withFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*body.Load()) })
	}))
	shared := configuredProvider(f, s)
	sources := slices.Sorted(maps.Keys(dataSources))
	seeds := devserver.New(devserver.DefaultSeed())
	for i := range sources {
		f.Add(uint(i), []byte(`{}`))
		for _, o := range apitest.Operations() {
			if o.Method == http.MethodGet {
				request := httptest.NewRequestWithContext(f.Context(), o.Method, o.Target, nil)
				request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
				recorder := httptest.NewRecorder()
				seeds.ServeHTTP(recorder, request)
				f.Add(uint(i), recorder.Body.Bytes())
			}
		}
	}

	f.Fuzz(func(t *testing.T, which uint, response []byte) {
		source := sources[which%uint(len(sources))]
		body.Store(&response)
		p := *shared
		p.t, p.ctx = t, t.Context()
		state, diagnostics := p.read(source, dataSources[source].arguments)
		if len(diagnostics) == 0 && state == nil {
			t.Errorf("%s has neither a state nor a diagnostic", source)
		}
		for _, d := range diagnostics {
			if d.Summary == "" || d.Detail == "" {
				t.Errorf("%s has an empty diagnostic: %+v", source, d)
			}
		}
	})
}
