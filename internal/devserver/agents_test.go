// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestListAgents(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

	want := []string{
		"agt_workshop", "agt_returns", "agt_survey", "agt_bikefit", "agt_orders", "agt_winter_sale",
		"agt_scratch", "agt_jobs", "agt_trade", "agt_warranty", "agt_kiosk", "agt_lost_found",
	}
	for _, query := range []string{"", "?isPublished=true&limit=1"} {
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

// TestGetAgent holds that a definition is returned unchanged, byte by byte, except for white space.
func TestGetAgent(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

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
