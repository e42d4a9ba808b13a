// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Each object has an acceptance test in the file beside its own, which runs the real CLI with
// a configuration, and expects the whole result. TestEveryObjectHasAnAcceptanceTest names an
// object without one. The development server makes it cheap: startService starts one for a
// single test, so that no test needs an account, and all of them run in parallel.

// testAcc runs the steps of an acceptance test, whose configurations can lack the provider block.
// After each of them that has no error, a plan is empty.
func testAcc(t *testing.T, s service, since *version.Version, steps ...resource.TestStep) {
	t.Helper()
	for i := range steps {
		if steps[i].ImportState {
			continue
		}
		if !strings.Contains(steps[i].Config, `provider "convo"`) {
			steps[i].Config = testAccProviderConfig(s) + steps[i].Config
		}
		if steps[i].ExpectError == nil {
			steps[i].ConfigPlanChecks.PostApplyPostRefresh = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
		}
	}
	resource.UnitTest(t, resource.TestCase{
		PreCheck: func() {
			if errCLI != nil {
				t.Fatal(errCLI)
			}
		},
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(since)},
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"convo": func() (tfprotov6.ProviderServer, error) { return NewServer("test")(), nil },
			"echo":  echoprovider.NewProviderServer(),
		},
		Steps: steps,
	})
}

// Versions of Terraform and OpenTofu that have what a test uses. Older ones skip it.
var (
	anyVersion         = tfversion.Version1_0_0
	functions          = tfversion.Version1_8_0
	ephemeralResources = tfversion.Version1_11_0 // Terraform 1.10 has them, too.
	writeOnlyArguments = tfversion.Version1_11_0
	actions            = tfversion.Version1_14_0
)

// failing is a step with an error that contains a text. The CLI wraps lines.
func failing(config, text string) resource.TestStep {
	words := strings.Fields(regexp.QuoteMeta(text))
	return resource.TestStep{Config: config, ExpectError: regexp.MustCompile(strings.Join(words, `\s+`))}
}

// reading is a step that reads an object, and expects all of its attributes.
func reading(config, address string, want object) resource.TestStep {
	return resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{wholeObject{address, known(want)}}}
}

// opening is a step that opens an ephemeral resource, and expects all of its attributes. The
// provider of the resource echo stores them.
func opening(config, address string, want object) resource.TestStep {
	return reading(config+`
provider "echo" {
  data = `+address+`
}
resource "echo" "test" {}
`, "echo.test", object{"data": want})
}

// returning is a step whose output "test" is a value, such as the result of a function.
func returning(config string, want any) resource.TestStep {
	return resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("test", known(want))}}
}

// wholeObject expects that a resource has exactly these attributes. ExpectKnownValue requires the path of one.
type wholeObject struct {
	address string
	want    knownvalue.Check
}

func (o wholeObject) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = fmt.Errorf("there is no %s", o.address)
	for _, r := range req.State.Values.RootModule.Resources {
		if r.Address == o.address {
			resp.Error = o.want.CheckValue(r.AttributeValues)
		}
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

// The provider's own arguments can come from resources that are applied in the
// same run. A data source that depends on them is then read during the apply.
func TestAccProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	s := startService(t)
	testAcc(t, s, anyVersion, returning(fmt.Sprintf(`
resource "terraform_data" "service" {
  input = { base_url = %q, token = %q }
}
provider "convo" {
  base_url = terraform_data.service.output.base_url
  token    = terraform_data.service.output.token
}
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
}
output "test" {
  value = convo_session_agent.test.message
}
`, s.BaseURL, devserver.TokenWrite), "success"))
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
