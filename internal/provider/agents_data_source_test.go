// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
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
			ConfigStateChecks: expectAttributes("data.convo_agents.test", expectedAgents()),
		}},
	})
	requireRequests(t, s, "GET /v1/agents")
}

func TestAgentsDataSource_query(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configuredProvider(t, s).mustRead("convo_agents", object{"query": object{"folder": "a b", "limit": "10&x=1"}})
	requireAttributes(t, state, expectedAgents())
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

// Names are not unique, and an agent can lack a name. Terraform writes the keys of maps in
// one Unicode form.
func TestAgentsDataSource_idsByName(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"agents":[
		{"id":"b","name":"Booking"},{"id":"a","name":"Booking"},{"id":"c","name":null},{"id":"d"},{"name":""},
		{"id":"f","name":"Cafe\u0301"},{"id":"e","name":"Caf\u00e9"}
	]}`)
	state := configuredProvider(t, s).mustRead("convo_agents", object{})
	want := object{"": list{"", "c", "d"}, "Booking": list{"a", "b"}, "Caf\u00e9": list{"e", "f"}}
	if diff := cmp.Diff(want, state["ids_by_name"]); diff != "" {
		t.Errorf("unexpected IDs (-want +got):\n%s", diff)
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

// expectedAgents is the whole list, sorted by ID.
func expectedAgents() object {
	return object{"ids_by_name": object{
		"":                            list{"agt_scratch"},
		"After-sale survey":           list{"agt_survey"},
		"Careers":                     list{"agt_jobs"},
		"Frame size finder":           list{"agt_bikefit"},
		"Lost & found":                list{"agt_lost_found"},
		"Order status":                list{"agt_orders"},
		"Returns & refunds":           list{"agt_returns"},
		"Shop kiosk – Größenberatung": list{"agt_kiosk"},
		"Trade desk":                  list{"agt_trade"},
		"Warranty claims (draft)":     list{"agt_warranty"},
		"Winter sale 2025":            list{"agt_winter_sale"},
		"Workshop booking":            list{"agt_workshop"},
	}, "agents": list{
		object{
			"id": "agt_bikefit", "name": "Frame size finder", "icon": "📐",
			"description": nil, "url": nil,
			"public_id": nil, "is_published": false, "published_at": nil, "domain_id": nil,
			"tags": list{}, "created_at": "2026-03-10T07:58:00.000Z", "updated_at": "2026-03-18T08:47:19.664Z",
		},
		object{
			"id": "agt_jobs", "name": "Careers", "icon": "👋",
			"description": "Answers questions about open positions and collects applications.", "url": "https://jobs.larkspur-bicycles.example/chat",
			"public_id": "careers-tt41", "is_published": true, "published_at": "2024-10-07T07:30:00.000Z", "domain_id": "dom_jobs",
			"tags": list{"tag_people"}, "created_at": "2024-09-30T16:02:47.305Z", "updated_at": "2025-06-18T10:44:00.000Z",
		},
		object{
			"id": "agt_kiosk", "name": "Shop kiosk – Größenberatung", "icon": "🖥️",
			"description": "Runs on the tablet beside the counter.", "url": "https://kiosk.larkspur-bicycles.example/",
			"public_id": "shop-kiosk-e4w3", "is_published": true, "published_at": "2026-01-05T07:00:00.000Z", "domain_id": "dom_kiosk",
			"tags": list{"tag_de", "tag_shop"}, "created_at": "2025-12-19T15:00:00.000Z", "updated_at": "2026-03-09T11:11:11.000Z",
		},
		object{
			"id": "agt_lost_found", "name": "Lost & found", "icon": nil,
			"description": "Replaced by the order status agent.", "url": nil,
			"public_id": "lost-found-a1l7", "is_published": false, "published_at": "2023-07-21T09:00:00.000Z", "domain_id": nil,
			"tags": list{}, "created_at": "2023-07-19T18:25:43.511Z", "updated_at": "2024-12-31T23:59:59.999Z",
		},
		object{
			"id": "agt_orders", "name": "Order status", "icon": "https://cdn.larkspur-bicycles.example/brand/parcel.svg",
			"description": "Looks up an order by number and postcode.", "url": "https://chat.larkspur-bicycles.example/orders",
			"public_id": "order-status-2hv9", "is_published": true, "published_at": "2025-11-20T09:00:00.000Z", "domain_id": "dom_chat",
			"tags": list{"tag_service"}, "created_at": "2023-05-04T10:10:10.000Z", "updated_at": "2025-11-20T08:59:41.932Z",
		},
		expectedFullSummary(),
		expectedSparseSummary(),
		object{
			"id": "agt_survey", "name": "After-sale survey", "icon": nil,
			"description": "Four questions, two weeks after a purchase. Taken offline while the questions are rewritten.", "url": nil,
			"public_id": "after-sale-survey-m3zd", "is_published": false, "published_at": "2025-09-01T06:00:00.000Z", "domain_id": nil,
			"tags": list{"tag_marketing"}, "created_at": "2025-08-20T11:31:54.700Z", "updated_at": "2026-01-29T15:15:15.000Z",
		},
		object{
			"id": "agt_trade", "name": "Trade desk", "icon": nil,
			"description": "Price lists and minimum quantities for dealers. Locked: the finance team owns the prices.", "url": "https://trade.larkspur-bicycles.example/",
			"public_id": "trade-desk-9c5e", "is_published": true, "published_at": "2025-02-14T12:00:00.000Z", "domain_id": "dom_trade",
			"tags": list{"tag_dealers", "tag_en"}, "created_at": "2025-01-08T08:08:08.008Z", "updated_at": "2026-02-28T17:30:02.140Z",
		},
		object{
			"id": "agt_warranty", "name": "Warranty claims (draft)", "icon": "",
			"description": "Not finished: the photo upload is missing.", "url": nil,
			"public_id": "warranty-claims-draft-u6bn", "is_published": false, "published_at": nil, "domain_id": nil,
			"tags": list{"tag_service"}, "created_at": "2026-02-03T14:20:00.000Z", "updated_at": "2026-03-05T09:09:09.090Z",
		},
		object{
			"id": "agt_winter_sale", "name": "Winter sale 2025", "icon": "❄️",
			"description": "Campaign agent of the winter sale, kept for its numbers.", "url": "https://sale.larkspur-bicycles.example/",
			"public_id": "winter-sale-2025-p0aa", "is_published": false, "published_at": "2025-12-01T05:00:00.000Z", "domain_id": "dom_sale",
			"tags": list{"tag_marketing", "tag_seasonal"}, "created_at": "2025-11-03T12:00:00.000Z", "updated_at": "2026-01-12T09:22:38.011Z",
		},
		object{
			"id": "agt_workshop", "name": "Workshop booking", "icon": "🔧",
			"description": "Finds a free slot in the workshop and takes down what is wrong with the bike.", "url": "https://chat.larkspur-bicycles.example/workshop",
			"public_id": "workshop-booking-7fk2", "is_published": true, "published_at": "2026-03-02T10:20:00.000Z", "domain_id": "dom_chat",
			"tags": list{"tag_service", "tag_de"}, "created_at": "2024-01-15T09:00:12.000Z", "updated_at": "2026-03-16T14:08:31.250Z",
		},
	}}
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
