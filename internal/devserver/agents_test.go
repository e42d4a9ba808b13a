// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestListAgents(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t)

	want := []string{
		"agt_workshop", "agt_returns", "agt_survey", "agt_bikefit", "agt_orders", "agt_winter_sale",
		"agt_scratch", "agt_jobs", "agt_trade", "agt_warranty", "agt_kiosk", "agt_lost_found",
	}
	for _, query := range []string{"", "?", "?isPublished=true&limit=1", "?tag=%zz;x"} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			var body struct{ Agents []struct{ ID string } }
			got := get(t, baseURL+"/v1/agents"+query, devserver.TokenGuest)
			if err := json.Unmarshal([]byte(got.body), &body); err != nil {
				t.Fatalf("%v in %d %s", err, got.status, got.body)
			}
			var ids []string
			for _, agent := range body.Agents {
				ids = append(ids, agent.ID)
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("IDs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListAgentsOfTheCurrentWorkspaceOnly(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = []devserver.Agent{
		{ID: "agt_a", WorkspaceID: "ws_larkspur01", Summary: json.RawMessage(`{"id":"agt_a"}`)},
		{ID: "agt_b", WorkspaceID: "ws_tidepool02", Summary: json.RawMessage(`{"id":"agt_b"}`)},
		{ID: "agt_c", WorkspaceID: "ws_other", Summary: json.RawMessage(`{"id":"agt_c"}`)},
	}
	_, baseURL := start(t, devserver.WithSeed(seed))
	url := baseURL + "/v1/agents"
	expect(t, get(t, url, devserver.TokenGuest), http.StatusOK, `{"agents":[{"id":"agt_a"}]}`)
	expect(t, get(t, url, devserver.TokenTidepool), http.StatusOK, `{"agents":[{"id":"agt_b"}]}`)
}

// TestGetAgent holds that a definition is returned unchanged, byte by byte, except for white space.
func TestGetAgent(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t)

	for _, id := range []string{"agt_returns", "agt_scratch", "agt_kiosk"} {
		file, err := os.ReadFile("seed/agents/" + id + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var definition bytes.Buffer
		if err := json.Compact(&definition, file); err != nil {
			t.Fatal(err)
		}
		for token, mode := range map[string]string{
			devserver.TokenGuest: "guest",
			devserver.TokenRead:  "read",
			devserver.TokenWrite: "write",
		} {
			t.Run(id+" "+mode, func(t *testing.T) {
				t.Parallel()
				expect(t, get(t, baseURL+"/v1/agents/"+id, token), http.StatusOK,
					`{"agent":`+definition.String()+`,"currentUserMode":"`+mode+`"}`)
			})
		}
	}
	expect(t, get(t, baseURL+"/v1/agents/absent", devserver.TokenGuest), http.StatusNotFound, notFoundBody)
}

func TestReviseAgent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.April, 1, 14, 0, 0, 5_000_000, time.FixedZone("", 2*60*60))
	seed := devserver.DefaultSeed()
	seed.Agents = []devserver.Agent{
		{
			ID: "agt_kept", WorkspaceID: "ws_larkspur01",
			Summary: json.RawMessage(`{"id":"agt_kept","updatedAt":"before","name":"<kept>"}`),
			Definition: json.RawMessage(`{"ref":{"key":"k","revision":"9"},"timestamps":{"updated":"before","created":"c"},` +
				`"graph":{"nodes":[{"z":9007199254740993,"a":1e-7}]}}`),
		},
		{ID: "agt_bare", Definition: json.RawMessage(`{"ref":null}`)},
		{ID: "agt_named", Definition: json.RawMessage(`{"ref":{"revision":"final"}}`)},
	}
	server, baseURL := start(t, devserver.WithSeed(seed), devserver.WithClock(func() time.Time { return now }))

	for _, step := range []struct{ id, revision string }{{"agt_kept", "10"}, {"agt_kept", "11"}, {"agt_bare", "1"}} {
		if revision, err := server.ReviseAgent(step.id); err != nil || revision != step.revision {
			t.Errorf("%s: got revision %q, %v; want %s", step.id, revision, err, step.revision)
		}
	}
	expect(t, get(t, baseURL+"/v1/agents/agt_kept", devserver.TokenGuest), http.StatusOK,
		`{"agent":{"graph":{"nodes":[{"z":9007199254740993,"a":1e-7}]},"ref":{"key":"k","revision":"11"},`+
			`"timestamps":{"created":"c","updated":"2026-04-01T12:00:00.005Z"}},"currentUserMode":"guest"}`)
	expect(t, get(t, baseURL+"/v1/agents/agt_bare", devserver.TokenGuest), http.StatusOK,
		`{"agent":{"ref":{"revision":"1"},"timestamps":{"updated":"2026-04-01T12:00:00.005Z"}},`+
			`"currentUserMode":"guest"}`)
	expect(t, get(t, baseURL+"/v1/agents", devserver.TokenGuest), http.StatusOK,
		`{"agents":[{"id":"agt_kept","name":"<kept>","updatedAt":"2026-04-01T12:00:00.005Z"}]}`)

	for id, text := range map[string]string{"absent": "no such agent", "agt_named": "not a whole number"} {
		if _, err := server.ReviseAgent(id); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got error %v, want one with %q", id, err, text)
		}
	}
}

func TestServersShareNoState(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	first, second := devserver.New(devserver.WithSeed(seed)), devserver.New(devserver.WithSeed(seed))
	for range 3 {
		if _, err := first.ReviseAgent("agt_returns"); err != nil {
			t.Fatal(err)
		}
	}
	if revision, err := second.ReviseAgent("agt_returns"); err != nil || revision != "43" {
		t.Errorf("got revision %q, %v; want 43", revision, err)
	}
}
