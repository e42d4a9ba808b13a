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
