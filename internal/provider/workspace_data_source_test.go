// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

func TestAccWorkspaceDataSource(t *testing.T) {
	t.Parallel()
	want := expectedWorkspace()
	want["workspace_id"], want["get_default"] = "larkspur", nil
	testAcc(t, startService(t), anyVersion,
		failing(`data "convo_workspace" "test" { workspace_id = "nope" }`, `The service returned 404 Not Found for workspace "nope": Not found (NOT_FOUND).`),
		reading(`data "convo_workspace" "test" { workspace_id = "larkspur" }`, "data.convo_workspace.test", want),
	)
}

// Everything that can be null is null.
func TestAccWorkspaceEphemeralResource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	testAcc(t, s, ephemeralResources,
		failing(`ephemeral "convo_workspace" "test" { workspace_id = "nope" }`, `The service returned 404 Not Found for workspace "nope": Not found (NOT_FOUND).`),
		opening(`
ephemeral "convo_workspace" "test" {
  workspace_id = "ws_tidepool02"
  get_default  = false
}
`, "ephemeral.convo_workspace.test", object{
			"workspace_id":        "ws_tidepool02",
			"get_default":         false,
			"id":                  "ws_tidepool02",
			"created_at":          "2026-02-27T19:03:58.120Z",
			"updated_at":          "2026-02-27T19:03:58.120Z",
			"last_activity_at":    "2026-02-27T19:03:58.120Z",
			"name":                "Tidepool Studio",
			"icon":                nil,
			"slug":                nil,
			"plan":                "FREE",
			"payments_id":         nil,
			"is_quarantined":      false,
			"is_suspended":        false,
			"is_past_due":         false,
			"is_verified":         nil,
			"billing_cycle_start": nil,
			"payment_failed_at":   nil,
			"payments_connect_id": nil,
			"chat_usage":          number("0"),
			"redeemed_coupons":    nil,
			"extras":              list{},
			"addons":              list{},
		}),
	)
	requireRequests(t, s, "GET /v1/workspaces/nope", "GET /v1/workspaces/ws_tidepool02?getDefault=false")
}

// expectedWorkspace is the workspace with the slug "larkspur", read by it.
func expectedWorkspace() object {
	return object{
		"id":                  "ws_larkspur01",
		"created_at":          "2023-04-11T08:15:27.412Z",
		"updated_at":          "2026-03-17T16:42:05.003Z",
		"last_activity_at":    "2026-03-18T09:12:44.870Z",
		"name":                "Larkspur Bicycles",
		"icon":                "https://cdn.larkspur-bicycles.example/brand/icon-128.png",
		"slug":                "larkspur",
		"plan":                "PRO",
		"payments_id":         "cus_Lk7Qd2Wm9x",
		"is_quarantined":      false,
		"is_suspended":        false,
		"is_past_due":         true,
		"is_verified":         true,
		"billing_cycle_start": number("11"),
		"payment_failed_at":   "2026-03-11T00:04:19.000Z",
		"payments_connect_id": "acct_1Kf0Zt8Lrk",
		"chat_usage":          number("1843.5"),
		"redeemed_coupons":    "WELCOME-2023, SPRING-2024",
		"extras":              list{"custom-domain", "white-label"},
		"addons":              list{"extra-seats-5", "messaging-chats-500"},
	}
}
