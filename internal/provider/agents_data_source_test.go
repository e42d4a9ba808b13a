// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestAccAgentsDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
data "convo_agents" "test" {
  query = { folder = "shop" }
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.convo_agents.test", tfjsonpath.New("agents"), knownvalue.ListSizeExact(12)),
				statecheck.ExpectKnownValue("data.convo_agents.test", tfjsonpath.New("agents").AtSliceIndex(1), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"id":           knownvalue.StringExact("agt_jobs"),
					"name":         knownvalue.StringExact("Careers"),
					"icon":         knownvalue.StringExact("👋"),
					"description":  knownvalue.StringExact("Answers questions about open positions and collects applications."),
					"url":          knownvalue.StringExact("https://jobs.larkspur-bicycles.example/chat"),
					"public_id":    knownvalue.StringExact("careers-tt41"),
					"is_published": knownvalue.Bool(true),
					"published_at": knownvalue.StringExact("2024-10-07T07:30:00.000Z"),
					"domain_id":    knownvalue.StringExact("dom_jobs"),
					"tags":         knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("tag_people")}),
					"created_at":   knownvalue.StringExact("2024-09-30T16:02:47.305Z"),
					"updated_at":   knownvalue.StringExact("2025-06-18T10:44:00.000Z"),
				})),
			},
		}},
	})
}

func (*agentsDataSource) readCases() []readCase {
	return []readCase{
		{
			name:     "agents",
			config:   object{"query": object{"folder": "a b", "limit": "10&x=1"}},
			requests: []string{"GET /v1/agents?folder=a+b&limit=10%26x%3D1"},
			want:     expectedAgents(),
			task:     "read agents", about: "the agents",
			invalid: map[string]string{`{"agents":null}`: "  - agents: expected an array, got null\n\n"},
		},
	}
}

// The API documents no order, so agents are sorted by ID.
func TestAgentsAreSorted(t *testing.T) {
	t.Parallel()
	state := configured(t, responding(t, `{"agents":[{"id":"b"},{"id":"c"},{},{"id":"a"}]}`)).mustRead("convo_agents", object{})
	var ids list
	for _, agent := range state["agents"].(list) {
		ids = append(ids, agent.(object)["id"])
	}
	if diff := cmp.Diff(list{nil, "a", "b", "c"}, ids); diff != "" {
		t.Errorf("unexpected order (-want +got):\n%s", diff)
	}
}
