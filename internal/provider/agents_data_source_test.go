// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAccAgentsDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t, listsTidepool)
	testAcc(t, s, anyVersion,
		failing(`data "convo_agents" "test" {}`, `Invalid input data (BAD_REQUEST). - workspaceId: Required`),
		reading(`
data "convo_agents" "test" {
  query = { workspaceId = "ws_tidepool02", limit = "10&x=1" }
}
`, "data.convo_agents.test", expectedAgents()),
	)
	requireRequests(t, s, "GET /v1/agents", "GET /v1/agents?limit=10%26x%3D1&workspaceId=ws_tidepool02")
}

func TestAccAgentsEphemeralResource(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t, listsTidepool), ephemeralResources,
		failing(`ephemeral "convo_agents" "test" {}`, `Invalid input data (BAD_REQUEST). - workspaceId: Required`),
		opening(`
ephemeral "convo_agents" "test" {
  query = { workspaceId = "ws_tidepool02", limit = "10&x=1" }
}
`, "ephemeral.convo_agents.test", expectedAgents()),
	)
}

// listsTidepool lists the agents of ws_tidepool02, and requires a query.
var listsTidepool = withFault(func(r *http.Request) http.Handler {
	r.Header.Set("Authorization", "Bearer "+devserver.TokenTidepool)
	if !r.URL.Query().Has("workspaceId") {
		return devserver.ErrorHandler(http.StatusBadRequest, "workspaceId: Required")
	}
	return nil
})

// expectedAgents are the agents of ws_tidepool02, sorted by ID, because the API documents no order.
func expectedAgents() object {
	return object{
		"query": object{"workspaceId": "ws_tidepool02", "limit": "10&x=1"},
		"agents": list{
			summaryWith(object{"id": "agt_tide_bare"}),
			summaryWith(object{"id": "agt_tide_leaves", "tags": list{nil}}),
			summaryWith(object{"id": "agt_tide_nulls"}),
			summaryWith(object{
				"id":           "agt_tide_visit",
				"name":         "Plan a visit",
				"icon":         "🐚",
				"description":  "Opening hours and group bookings.",
				"url":          "https://visit.tidepool-studio.example/",
				"public_id":    "plan-a-visit-h2o0",
				"is_published": true,
				"published_at": "2026-03-01T09:00:00.000Z",
				"domain_id":    "dom_visit",
				"tags":         list{},
				"created_at":   "2026-02-28T10:00:00.000Z",
				"updated_at":   "2026-03-01T08:55:12.345Z",
			})},
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
	return summaryWith(object{
		"id": "agt_scratch", "name": "", "description": "", "is_published": false, "tags": list{}, "created_at": "2026-03-18T08:59:59.999Z",
	})
}

// summaryWith returns an agent of the list whose other attributes are null.
func summaryWith(values object) object {
	agent := expectedFullSummary()
	for name := range agent {
		agent[name] = values[name]
	}
	return agent
}
