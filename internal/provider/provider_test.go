// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Each object's file of tests begins with an acceptance test, which runs the
// real CLI with a configuration and checks the state. The development server
// makes it cheap: startService starts one for a single test, so that no test
// needs an account, and all of them run in parallel. TestMain sets TF_ACC.

// testAccProtoV6ProviderFactories creates the provider for acceptance tests.
var testAccProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
	"convo": func() (tfprotov6.ProviderServer, error) { return NewServer("test")(), nil },
}

// testAccPreCheck fails an acceptance test if there is no CLI to run.
func testAccPreCheck(t *testing.T) {
	t.Helper()
	if errCLI != nil {
		t.Fatal(errCLI)
	}
}

// testAccProviderConfig is a provider block for a development server.
func testAccProviderConfig(s service) string {
	return fmt.Sprintf(`
provider "convo" {
  base_url    = %q
  token       = %q
  max_retries = 0
}
`, s.BaseURL, devserver.TokenWrite)
}

// requireRequests requires these requests in this order, each once or, because a CLI
// repeats reads, several times in a row.
func requireRequests(t *testing.T, s service, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, slices.Compact(s.sent())); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// A second plan of every data source, and of a resource, has no changes.
func TestAccNoChanges(t *testing.T) {
	t.Parallel()
	config := testAccProviderConfig(startService(t)) + `
data "convo_workspace" "test" {
  workspace_id = "larkspur"
}
data "convo_members" "test" {
  workspace_id = "larkspur"
}
data "convo_agents" "test" {}
data "convo_agent" "test" {
  agent_id                = "agt_returns"
  include_definition_json = true
}
data "convo_agent_stats" "test" {
  agent_id = "agt_returns"
}
data "convo_workspace_audit" "test" {
  workspace_id  = "larkspur"
  stats_periods = ["today"]
}
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  payload    = jsonencode({ agentId = data.convo_agent.test.agent_id })
  triggers   = { revision = data.convo_agent.test.ref.revision }
}
output "test" {
  value = [
    data.convo_workspace.test, data.convo_members.test, data.convo_agents.test, data.convo_agent_stats.test,
    data.convo_workspace_audit.test.agents, data.convo_agent.test.definition_json,
  ]
}
`
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}},
	})
}

// The provider's own arguments can come from resources that are applied in the
// same run. A data source that depends on them is then read during the apply.
func TestAccProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	s := startService(t)
	config := fmt.Sprintf(`
resource "terraform_data" "service" {
  input = { base_url = %q, token = %q }
}
provider "convo" {
  base_url = terraform_data.service.output.base_url
  token    = terraform_data.service.output.token
}
`, s.BaseURL, devserver.TokenWrite)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: config + "resource \"convo_session_agent\" \"test\" {\n  session_id = \"ses_orders_open\"\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("convo_session_agent.test", tfjsonpath.New("message"), knownvalue.StringExact("success")),
				},
			},
		},
	})
}

// Data of another type, which only a mistake in the provider can pass, is reported.
func TestUnexpectedProviderData(t *testing.T) {
	t.Parallel()
	source := datasource.ConfigureResponse{}
	NewMembersDataSource().(datasource.DataSourceWithConfigure).Configure(t.Context(), datasource.ConfigureRequest{ProviderData: 1}, &source)
	opened := ephemeral.ConfigureResponse{}
	newEphemeralDataSource(NewMembersDataSource)().(ephemeral.EphemeralResourceWithConfigure).Configure(
		t.Context(), ephemeral.ConfigureRequest{ProviderData: 1}, &opened)
	managed := fwresource.ConfigureResponse{}
	NewSessionAgentResource().(fwresource.ResourceWithConfigure).Configure(t.Context(), fwresource.ConfigureRequest{ProviderData: 1}, &managed)
	invoked := action.ConfigureResponse{}
	NewUpdateSessionAgentAction().(action.ActionWithConfigure).Configure(t.Context(), action.ConfigureRequest{ProviderData: 1}, &invoked)
	for object, diags := range map[string]diag.Diagnostics{
		"data source": source.Diagnostics, "ephemeral resource": opened.Diagnostics, "resource": managed.Diagnostics, "action": invoked.Diagnostics,
	} {
		if len(diags) != 1 || diags[0].Detail() != "Expected *provider.providerData, got int. Report this to the provider's maintainers." {
			t.Errorf("%s: got %v", object, diags)
		}
	}
}
