// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestAccReviewReportFunction(t *testing.T) {
	t.Parallel()
	needsCLI(t, "functions", "1.8", "1.7")
	config := functionsConfiguration() + "locals {\n  before = <<-EOT\n" + repairedDefinition + "\nEOT\n  after = <<-EOT\n" + brokenDefinition + "\nEOT\n}\n"
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config + `
# A definition that is known only after the apply.
resource "terraform_data" "test" {
  input = local.after
}
output "test" {
  value = provider::convo::review_report({ bot = terraform_data.test.output, same = local.after }, { bot = local.before, same = local.after }).findings
}
output "markdown" {
  value = provider::convo::review_report({ bot = local.before }, { bot = null }).markdown
}
output "errors" {
  value = provider::convo::review_report({ bot = yamlencode({ graph = {} }), broken = "graph: [", empty = null, other = "{}" }, null).errors
}
output "new" {
  value = provider::convo::review_report({ bot = local.after }, null).findings[*].is_new
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("test", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"agent":   knownvalue.StringExact("bot"),
							"kind":    knownvalue.StringExact("dangling_link"),
							"id":      knownvalue.StringExact("lnk_help"),
							"title":   knownvalue.StringExact("Hello"),
							"message": knownvalue.StringExact(`The link from the node "Hello" leads to "grp_help", which is not in the graph. A session may end there.`),
							"is_new":  knownvalue.Bool(true),
						}),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"agent":   knownvalue.StringExact("bot"),
							"kind":    knownvalue.StringExact("unreachable_node"),
							"id":      knownvalue.StringExact("grp_old"),
							"title":   knownvalue.StringExact("Old"),
							"message": knownvalue.StringExact(`No links or jumps lead from an entry point to the node "Old", so no session reaches it.`),
							"is_new":  knownvalue.Bool(true),
						}),
					})),
					statecheck.ExpectKnownOutputValue("markdown", knownvalue.StringRegexp(regexp.MustCompile(
						"^# Conversation Review\n\nAgents: 1[.] New findings: 0[.] Earlier findings: 0[.]\n\n## `bot`\n\n```mermaid\n(?s:.*)\n\nThe agent is new.\n\nFindings:\n\n```text\nNo findings.\n```\n$"))),
					statecheck.ExpectKnownOutputValue("errors", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("broken: the definition is not valid YAML: line 1: did not find expected node content"),
						knownvalue.StringExact("empty: the definition is empty, or its file is not UTF-8"),
						knownvalue.StringExact("other: the definition has no graph object"),
					})),
					statecheck.ExpectKnownOutputValue("new", knownvalue.ListExact([]knownvalue.Check{knownvalue.Bool(true), knownvalue.Bool(true)})),
				},
			},
		},
	})
}
