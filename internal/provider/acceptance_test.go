// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// providerBlock configures the provider for a service.
func providerBlock(s service, token string) string {
	return fmt.Sprintf("provider \"convo\" {\n  base_url    = %q\n  token       = %q\n  max_retries = 0\n}\n", s.BaseURL, token)
}

// known requires exactly the value.
func known(t *testing.T, value any) knownvalue.Check {
	t.Helper()
	switch value := value.(type) {
	case nil:
		return knownvalue.Null()
	case string:
		return knownvalue.StringExact(value)
	case bool:
		return knownvalue.Bool(value)
	case number:
		float, _, err := big.ParseFloat(string(value), 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return knownvalue.NumberExact(float)
	case list:
		checks := []knownvalue.Check{}
		for _, element := range value {
			checks = append(checks, known(t, element))
		}
		return knownvalue.ListExact(checks)
	case object:
		checks := map[string]knownvalue.Check{}
		for name, attribute := range value {
			checks[name] = known(t, attribute)
		}
		return knownvalue.ObjectExact(checks)
	}
	t.Fatalf("unexpected %T", value)
	return nil
}

// state requires the given values of attributes in the state.
func state(t *testing.T, address string, want object) []statecheck.StateCheck {
	t.Helper()
	var checks []statecheck.StateCheck
	for attribute, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), known(t, value)))
	}
	return checks
}

// jsonTextConfiguration has expressions with JSON text, and with a definition,
// which is not sensitive.
const jsonTextConfiguration = `
data "convo_agent" "full" {
  agent_id                = "agt_returns"
  include_definition_json = true
}
output "greeting" {
  value = jsondecode(data.convo_agent.full.graph.nodes_json)[0].blocks[0].content.richText[0].children[0].text
}
output "revision" {
  value = jsondecode(data.convo_agent.full.definition_json).ref.revision
}
`

// Every read results in the state that its cases expect, and sends only the
// requests that they list. Expressions can read JSON text.
func TestAccDataSources(t *testing.T) {
	t.Parallel()
	s := startService(t)
	config := providerBlock(s, devserver.TokenWrite) + jsonTextConfiguration
	checks := []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValue("greeting", knownvalue.StringExact("Hello 👋 <b>& welcome</b>, {{customerName}}!")),
		statecheck.ExpectKnownOutputValue("revision", knownvalue.StringExact("42")),
	}
	requests := []string{"GET /v1/agents/agt_returns"}
	for i, c := range readCases() {
		if c.token != "" {
			continue // One configuration has one token.
		}
		config += fmt.Sprintf("data %q \"case%d\" {\n", c.source, i)
		for name, value := range c.config {
			config += fmt.Sprintf("  %s = %s\n", name, hcl(t, value))
		}
		config += "}\n"
		checks = append(checks, state(t, fmt.Sprintf("data.%s.case%d", c.source, i), c.want)...)
		requests = append(requests, c.requests...)
	}
	acceptance(t, resource.TestCase{Steps: []resource.TestStep{{Config: config, ConfigStateChecks: checks}}})
	// The CLI reads in every plan and in every apply: each request arrives equally often.
	slices.Sort(requests)
	if diff := cmp.Diff(slices.Compact(requests), slices.Compact(s.sent())); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// hcl writes a value in Terraform's language.
func hcl(t *testing.T, value any) string {
	t.Helper()
	switch value := value.(type) {
	case number:
		return string(value)
	case nil, bool:
		return fmt.Sprint(value)
	case string:
		return strings.ReplaceAll(strconv.Quote(value), "${", "$${")
	case list:
		var elements []string
		for _, element := range value {
			elements = append(elements, hcl(t, element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case object:
		var elements []string
		for name, element := range value {
			elements = append(elements, strconv.Quote(name)+" = "+hcl(t, element))
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	t.Fatalf("unexpected %T", value)
	return ""
}

func TestAccSessionAgent(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const address = "convo_session_agent.test"
	config := func(arguments string) string {
		return providerBlock(s, devserver.TokenWrite) + "resource \"convo_session_agent\" \"test\" {\n" + arguments + "\n}\n"
	}
	planned := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
	}
	acceptance(t, resource.TestCase{Steps: []resource.TestStep{
		{
			Config:           config(`session_id = "ses_orders_open"`),
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
			ConfigStateChecks: state(t, address, object{
				"session_id": "ses_orders_open", "agent_id": nil, "payload": nil, "triggers": nil, "message": "success",
			}),
		},
		{
			Config:            config(`session_id = "ses_orders_open"` + "\n" + `agent_id = "agt_returns"`),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate),
			ConfigStateChecks: state(t, address, object{"agent_id": "agt_returns", "message": "success"}),
		},
		{
			Config:           config(`session_id = "ses_orders_open"` + "\n" + `agent_id = "agt_returns"` + "\n" + `triggers = { revision = "43" }`),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
		},
		{
			Config:           config(`session_id = "ses_workshop_open"` + "\n" + `payload = jsonencode({ agentId = "agt_orders" })`),
			ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
		},
		{
			// The same content in another form sends nothing.
			Config:           config(`session_id = "ses_workshop_open"` + "\n" + `payload = "{ \"agentId\" : \"agt_orders\" }"`),
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
		},
		{
			ResourceName:                         address,
			ImportState:                          true,
			ImportStateId:                        "ses_workshop_open",
			ImportStateVerify:                    true,
			ImportStateVerifyIdentifierAttribute: "session_id",
			// The service cannot tell them.
			ImportStateVerifyIgnore: []string{"payload", "message"},
		},
	}})
	want := []string{
		`POST /v1/sessions/ses_orders_open/updateAgent {}`,
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`,
		`POST /v1/sessions/ses_workshop_open/updateAgent {"agentId":"agt_orders"}`,
	}
	if diff := cmp.Diff(want, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// The first plan after an import sends the agent that is configured.
func TestAccSessionAgentImportBlock(t *testing.T) {
	t.Parallel()
	s := startService(t)
	acceptance(t, resource.TestCase{Steps: []resource.TestStep{{
		Config: providerBlock(s, devserver.TokenWrite) + `
import {
  to = convo_session_agent.test
  id = "ses_orders_open"
}
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
  agent_id   = "agt_returns"
}
`,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction("convo_session_agent.test", plancheck.ResourceActionUpdate),
		}},
	}}})
	if diff := cmp.Diff([]string{`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

// Terraform shows the errors of several objects in one run: those of validation,
// those of reads, and those of an apply.
func TestAccErrors(t *testing.T) {
	t.Parallel()
	s := startService(t)
	write := providerBlock(s, devserver.TokenWrite)
	alias := func(token string) string {
		return strings.Replace(providerBlock(s, token), "{\n", fmt.Sprintf("{\n  alias = %q\n", token), 1)
	}
	r := newRealRun(t, "")
	r.mustRun(nil, "init")
	tests := []struct {
		command, config string
		want            []string
	}{
		{
			"plan", write + `
provider "convo" {
  alias    = "invalid"
  base_url = "service.example"
  token    = ""
}
data "convo_agents" "a" {
  provider = convo.invalid
}
data "convo_agent_stats" "a" {
  agent_id = "agt_returns"
  period   = "last8Days"
}
`, []string{
				"Invalid value for base_url.*The value must begin with https://", "Invalid value for token.*must not be empty",
				"Invalid value for period.*last8Days.*Did you mean \"last7Days\"",
			},
		},
		{
			"plan", write + alias("wrong") + alias(devserver.TokenNoAccess) + `
data "convo_agents" "unauthorized" {
  provider = convo.wrong
}
data "convo_agents" "forbidden" {
  provider = convo.` + devserver.TokenNoAccess + `
}
data "convo_agent" "a" {
  agent_id = "agt_nope"
}
`, []string{
				"Unable to read agents.*401 Unauthorized.*UNAUTHORIZED.*token is invalid",
				"Unable to read agents.*403 Forbidden.*FORBIDDEN.*not have permission",
				"Unable to read agent .*with data.convo_agent.a.*agent_id = \"agt_nope\".*404 Not Found.*misspelled",
			},
		},
		{
			"apply", write + "resource \"convo_session_agent\" \"a\" {\n  session_id = \"ses_returns_done\"\n}\n",
			[]string{"Unable to update session agent.*400 Bad Request.*ses_returns_done.*not active"},
		},
	}
	for _, test := range tests {
		r.write(test.config)
		arguments := map[string][]string{"plan": {"plan"}, "apply": {"apply", "-auto-approve"}}[test.command]
		output, err := r.run(nil, arguments...)
		// Terraform breaks long lines.
		errors := strings.Split(strings.Join(strings.Fields(output), " "), "Error: ")[1:]
		if err == nil || len(errors) != len(test.want) {
			t.Errorf("%s: got %v and %d errors, want %d:\n%s", test.command, err, len(errors), len(test.want), output)
		}
		for _, want := range test.want {
			if !slices.ContainsFunc(errors, regexp.MustCompile(want).MatchString) {
				t.Errorf("%s: no error matches %q:\n%s", test.command, want, output)
			}
		}
	}
}

// The provider's own configuration may come from what is not applied yet.
func TestAccUnknownConfiguration(t *testing.T) {
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
	acceptance(t, resource.TestCase{Steps: []resource.TestStep{{
		Config: config + "resource \"convo_session_agent\" \"test\" {\n session_id = \"ses_orders_open\"\n}\n",
	}}})
	if got := len(s.Requests()); got != 1 {
		t.Errorf("sent %v", s.paths())
	}

	acceptance(t, resource.TestCase{Steps: []resource.TestStep{{
		Config:      config + "data \"convo_agents\" \"all\" {}\n",
		ExpectError: regexp.MustCompile(`(?s)Unable to read agents.*base_url,\s+token`),
	}}})
}
