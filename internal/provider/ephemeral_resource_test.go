// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// The result of an ephemeral resource is in no state, so that a provider for
// tests, echo, stores it.
func TestAccEphemeralResource(t *testing.T) {
	t.Parallel()
	needsCLI(t, "ephemeral resources", "1.10", "1.11")
	s := startService(t)
	factories := maps.Clone(testAccProtoV6ProviderFactories)
	factories["echo"] = echoprovider.NewProviderServer()
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
ephemeral "convo_members" "test" {
  workspace_id = "larkspur"
}
provider "echo" {
  data = ephemeral.convo_members.test.emails_by_role
}
resource "echo" "test" {}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("echo.test", tfjsonpath.New("data").AtMapKey("BILLING"), knownvalue.TupleExact([]knownvalue.Check{
					knownvalue.StringExact("ilija@larkspur-bicycles.example"),
				})),
			},
		}},
	})
}

// An ephemeral resource validates its arguments like its data source.
func TestEphemeralArguments(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	requireError(t, rpc(p, p.server.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: "convo_agent_stats",
		Config:   p.toDynamic(p.schema.EphemeralResourceSchemas["convo_agent_stats"].ValueType(), object{"agent_id": "", "period": "today"}),
	}).Diagnostics, "agent_id", "must not be empty")
}

// An ephemeral resource is deferred if Terraform allows it. Otherwise, it fails.
func TestEphemeralDeferral(t *testing.T) {
	t.Parallel()
	config := object{"base_url": unknown, "token": "t"}
	deferring := newTestProvider(t)
	requireNone(t, deferring.configureDeferring(config))
	typ := deferring.schema.EphemeralResourceSchemas["convo_agents"].ValueType()
	request := &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: "convo_agents", Config: deferring.toDynamic(typ, object{}),
		ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: true},
	}
	resp := rpc(deferring, deferring.server.OpenEphemeralResource, request)
	requireNone(t, resp.Diagnostics)
	if resp.Deferred == nil || resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("got the deferral %v", resp.Deferred)
	}

	p := newTestProvider(t)
	requireNone(t, p.configure(config))
	requireError(t, rpc(p, p.server.OpenEphemeralResource, request).Diagnostics, "The provider configuration is not known yet", "not known yet: base_url")
}
