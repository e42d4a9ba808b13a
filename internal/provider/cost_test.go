// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build !race

package provider

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// TestCost limits the memory that a read allocates for each further agent, which depends on no other program. The
// limits are 1.2 times what the reads allocated when they were set. Raise one only for a reason.
func TestCost(t *testing.T) { //nolint:paralleltest // What other tests allocate would count, too.
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // It would empty pools.
	for source, test := range map[string]struct {
		config object
		agents int
		limit  uint64 // bytes for each agent
	}{
		"convo_agents":          {object{}, 2000, 3060},
		"convo_workspace_audit": {object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}, "include_graph_findings": true}, 200, 292_000},
	} {
		const few = 20
		cost := allocated(t, few+test.agents, source, test.config) - allocated(t, few, source, test.config)
		cost /= uint64(test.agents)
		if cost > test.limit {
			t.Errorf("%s allocates %d bytes for each agent, and at most %d are allowed", source, cost, test.limit)
		}
	}
}

// allocated returns the bytes that the second read of a data source allocates, with a service that repeats its
// responses to the first one.
func allocated(t *testing.T, agents int, source string, config object) uint64 {
	t.Helper()
	var responses sync.Map
	next := devserver.New(devserver.ManyAgents(agents))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := responses.Load(r.URL.String())
		if !ok {
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			body, _ = responses.LoadOrStore(r.URL.String(), recorder.Body.Bytes())
		}
		_, _ = w.Write(body.([]byte))
	}))
	defer server.Close()
	read := dataSource(configuredProvider(t, service{BaseURL: server.URL}), source, config)
	read()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
