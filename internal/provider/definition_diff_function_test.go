// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// repairedDefinition is the broken definition without the node that cannot be
// reached, and with a link that leads to the first node.
var repairedDefinition = strings.NewReplacer(`"groupId": "grp_help"`, `"groupId": "grp_hello"`, `},
		{"id": "grp_old", "title": "Old"}`, `}`).Replace(brokenDefinition)

func TestAccDefinitionDiffFunction(t *testing.T) {
	t.Parallel()
	needsCLI(t, "functions", "1.8", "1.7")
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: functionsConfiguration() + "locals {\n  before = <<-EOT\n" + brokenDefinition + "\nEOT\n  after = <<-EOT\n" + repairedDefinition + "\nEOT\n}\n" + `
# A definition that is known only after the apply.
resource "terraform_data" "test" {
  input = local.after
}
output "test" {
  value = provider::convo::definition_diff(terraform_data.test.output, local.before)
}
output "equal" {
  value = provider::convo::definition_diff(local.before, yamlencode(jsondecode(local.before)))
}
output "new" {
  value = provider::convo::definition_diff(local.before, null)[*].change
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("test", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"change":    knownvalue.StringExact("removed"),
						"part":      knownvalue.StringExact("node"),
						"id":        knownvalue.StringExact("grp_old"),
						"title":     knownvalue.StringExact("Old"),
						"path":      knownvalue.StringExact(""),
						"before":    knownvalue.StringExact(`{"id":"grp_old","title":"Old"}`),
						"after":     knownvalue.Null(),
						"is_layout": knownvalue.Bool(false),
					}),
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"change":    knownvalue.StringExact("changed"),
						"part":      knownvalue.StringExact("link"),
						"id":        knownvalue.StringExact("lnk_help"),
						"title":     knownvalue.StringExact("Hello → Hello"),
						"path":      knownvalue.StringExact("to"),
						"before":    knownvalue.StringExact(`{"groupId":"grp_help"}`),
						"after":     knownvalue.StringExact(`{"groupId":"grp_hello"}`),
						"is_layout": knownvalue.Bool(false),
					}),
				})),
				statecheck.ExpectKnownOutputValue("equal", knownvalue.ListExact([]knownvalue.Check{})),
				statecheck.ExpectKnownOutputValue("new", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact("added"), knownvalue.StringExact("added"), knownvalue.StringExact("added"), knownvalue.StringExact("added"), knownvalue.StringExact("added"),
				})),
			},
		}},
	})
}
