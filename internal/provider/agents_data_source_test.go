// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestAccAgentsDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
data "convo_agents" "test" {}
`,
			ConfigStateChecks: expectAttributes("data.convo_agents.test", object{
				// The list is sorted by ID.
				"agents": knownvalue.ListPartial(map[int]knownvalue.Check{5: known(expectedFullSummary()), 6: known(expectedSparseSummary())}),
			}),
		}},
	})
	requireRequests(t, s, "GET /v1/agents")
}

func TestAgentsDataSource_query(t *testing.T) {
	t.Parallel()
	s := startService(t)
	configuredProvider(t, s).mustRead("convo_agents", object{"query": object{"folder": "a b", "limit": "10&x=1"}})
	requireRequests(t, s, "GET /v1/agents?folder=a+b&limit=10%26x%3D1")
}

// The API documents no order.
func TestAgentsDataSource_order(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"agents":[{"id":"b"},{"id":"c"},{},{"id":"a"}]}`)
	state := configuredProvider(t, s).mustRead("convo_agents", object{})
	var ids list
	for _, agent := range state["agents"].(list) {
		ids = append(ids, agent.(object)["id"])
	}
	if diff := cmp.Diff(list{nil, "a", "b", "c"}, ids); diff != "" {
		t.Errorf("unexpected order (-want +got):\n%s", diff)
	}
}

// A query that is not known yet is not sent.
func TestAgentsDataSource_unknownQuery(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configuredProvider(t, s).read("convo_agents", object{"query": unknown})
	requireError(t, diagnostics, "[AttributeName(\"query\")]")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// expectedFullSummary is the agent of the list that has a value in every attribute.
func expectedFullSummary() object {
	return object{
		"id":           "agt_returns",
		"name":         "Returns & refunds",
		"icon":         "📦",
		"description":  "Walks a customer through returning a bike, a part or a <b>wrong size</b>, and books the courier.",
		"url":          "https://chat.larkspur-bicycles.example/returns",
		"public_id":    "returns-refunds-x81q",
		"is_published": true,
		"published_at": "2026-03-12T08:30:00.000Z",
		"domain_id":    "dom_chat",
		"tags":         list{"tag_service", "tag_en", "tag_seasonal"},
		"created_at":   "2023-06-02T13:45:09.118Z",
		"updated_at":   "2026-03-17T16:42:05.003Z",
	}
}

// expectedSparseSummary is the agent of the list that has null wherever possible.
func expectedSparseSummary() object {
	return object{
		"id":           "agt_scratch",
		"name":         "",
		"icon":         nil,
		"description":  "",
		"url":          nil,
		"public_id":    nil,
		"is_published": false,
		"published_at": nil,
		"domain_id":    nil,
		"tags":         list{},
		"created_at":   "2026-03-18T08:59:59.999Z",
		"updated_at":   nil,
	}
}
