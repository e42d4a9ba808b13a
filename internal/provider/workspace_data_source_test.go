// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestAccWorkspaceDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
data "convo_workspace" "test" {
  workspace_id = "larkspur"
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.convo_workspace.test", tfjsonpath.New("id"), knownvalue.StringExact("ws_larkspur01")),
				statecheck.ExpectKnownValue("data.convo_workspace.test", tfjsonpath.New("plan"), knownvalue.StringExact("PRO")),
				statecheck.ExpectKnownValue("data.convo_workspace.test", tfjsonpath.New("is_past_due"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue("data.convo_workspace.test", tfjsonpath.New("chat_usage"), knownvalue.Float64Exact(1843.5)),
				statecheck.ExpectKnownValue("data.convo_workspace.test", tfjsonpath.New("addons").AtSliceIndex(0), knownvalue.StringExact("extra-seats-5")),
			},
		}},
	})
}

func (*workspaceDataSource) readCases() []readCase {
	return []readCase{
		{
			name:     "workspace by slug",
			config:   object{"workspace_id": "larkspur"},
			requests: []string{"GET /v1/workspaces/larkspur"},
			want:     expectedWorkspace(),
			task:     "read workspace", about: `workspace "larkspur"`,
			missing: map[string]string{
				`{"workspace":{"id":"w","plan":null,"icon":null}}`: "created_at, updated_at, last_activity_at, name, plan, is_quarantined, " +
					"is_suspended, is_past_due, chat_usage, extras, addons",
				`{"workspace":{}}`: "id, created_at, updated_at, last_activity_at, name, plan, is_quarantined, is_suspended, is_past_due, " +
					"chat_usage, extras, addons",
			},
			invalid: map[string]string{
				`{}`:                              "  - workspace: required, but missing\n\n",
				`{"workspace":null}`:              "  - workspace: expected an object, got null\n\n",
				`{"workspace":{"isPastDue":"1"}}`: "  - workspace.isPastDue: expected a bool, got a string\n\n",
			},
		},
		{
			name:     "workspace with nulls, and the default declined",
			config:   object{"workspace_id": "ws_tidepool02", "get_default": false},
			requests: []string{"GET /v1/workspaces/ws_tidepool02?getDefault=false"},
			want:     expectedSparseWorkspace(),
		},
	}
}
