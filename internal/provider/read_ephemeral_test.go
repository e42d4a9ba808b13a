// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// open opens an ephemeral resource. The result is nil when there are errors.
func (p *protocol) open(name string, config object) (object, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	typ := p.schema.EphemeralResourceSchemas[name].ValueType()
	resp, err := p.server.OpenEphemeralResource(p.ctx, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: name,
		Config:   p.dynamic(typ, config),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	closed, err := p.server.CloseEphemeralResource(p.ctx, &tfprotov6.CloseEphemeralResourceRequest{TypeName: name})
	if err != nil {
		p.t.Fatal(err)
	}
	requireNoErrors(p.t, closed.Diagnostics)
	if len(errorsIn(resp.Diagnostics)) > 0 {
		return nil, resp.Diagnostics
	}
	return p.plain(typ, resp.Result), resp.Diagnostics
}

// Every data source has an ephemeral counterpart, in both lists that Terraform
// requests.
func TestEphemeralCounterparts(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	want := slices.Sorted(maps.Keys(p.schema.DataSourceSchemas))
	metadata, err := p.server.GetMetadata(t.Context(), &tfprotov6.GetMetadataRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, counterpart := range metadata.EphemeralResources {
		listed = append(listed, counterpart.TypeName)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("unexpected ephemeral resources in the metadata (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(p.schema.EphemeralResourceSchemas))); diff != "" {
		t.Errorf("unexpected ephemeral resources in the schema (-want +got):\n%s", diff)
	}
	for name, schema := range p.schema.EphemeralResourceSchemas {
		if diff := cmp.Diff(p.schema.DataSourceSchemas[name].ValueType(), schema.ValueType()); diff != "" {
			t.Errorf("%s differs from its data source:\n%s", name, diff)
		}
	}
}

func TestEphemeralErrors(t *testing.T) {
	t.Parallel()
	p := configured(t, startService(t))
	_, diagnostics := p.open("convo_agent", object{"agent_id": "agt_nope"})
	requireError(t, diagnostics, "Unable to read agent", "404 Not Found", `agent "agt_nope"`)

	validated, err := p.server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: "convo_agent_stats",
		Config:   p.dynamic(p.schema.EphemeralResourceSchemas["convo_agent_stats"].ValueType(), object{"agent_id": "", "period": "today"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	requireError(t, validated.Diagnostics, "agent_id", "must not be empty")
}

// Nothing that ephemeral resources read is in any file that the CLI writes,
// and checks and postconditions work on it.
func TestAccNothingIsStored(t *testing.T) {
	t.Parallel()
	s := startService(t)
	r := newRealRun(t, `
provider "convo" {}

ephemeral "convo_workspace_audit" "this" {
  workspace_id  = "larkspur"
  stats_periods = ["last30Days"]
  lifecycle {
    postcondition {
      condition     = self.summary.problems == 0
      error_message = "Parts of the workspace could not be read."
    }
  }
}
ephemeral "convo_members" "this" {
  workspace_id = "larkspur"
}
ephemeral "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}
check "admins" {
  assert {
    condition     = length([for m in ephemeral.convo_members.this.members : m if m.role == "ADMIN"]) <= 1
    error_message = "More than one person is ADMIN."
  }
}
check "token" {
  assert {
    condition     = ephemeral.convo_agent.returns.exposure.access.share.token != ""
    error_message = "The agent has no share token."
  }
}
resource "terraform_data" "something" {
  input = "to be stored"
}
`)
	variables := s.variables()
	if !cliHas("1.10.0", "1.11.0") {
		// An older CLI takes the provider, but not the block.
		output, err := r.run(variables, "init")
		if err == nil || !strings.Contains(output, "ephemeral") {
			t.Errorf("got %v, want a refusal of the ephemeral block: it needs Terraform 1.10 or OpenTofu 1.11\n%s", err, output)
		}
		return
	}
	r.mustRun(variables, "init")
	output := r.mustRun(variables, "plan", "-out=plan.tfplan")
	output += r.mustRun(variables, "apply", "-auto-approve")
	if !strings.Contains(output, "More than one person is ADMIN.") || strings.Contains(output, "The agent has no share token.") {
		t.Errorf("the checks did not see what was read:\n%s", output)
	}
	if searched := searchFiles(t, r.dir, "@larkspur-bicycles.example", "shr_5Tz0nQ", "Larkspur"); searched < 4 {
		t.Errorf("only %d files were searched", searched)
	}
}

// An ephemeral resource is deferred like its data source, and only where
// Terraform allows that.
func TestEphemeralCounterpartIsDeferred(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": "t"}))
	typ := p.schema.EphemeralResourceSchemas["convo_agents"].ValueType()
	for _, allowed := range []bool{true, false} {
		resp, err := p.server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
			TypeName: "convo_agents", Config: p.dynamic(typ, object{}),
			ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: allowed},
		})
		if err != nil {
			t.Fatal(err)
		}
		if deferred := resp.Deferred != nil; deferred != allowed {
			t.Errorf("allowed %t: deferred %t", allowed, deferred)
		}
		if allowed {
			requireExactly(t, resp.Diagnostics)
			if resp.Deferred != nil && resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				t.Errorf("got the reason %s", resp.Deferred.Reason)
			}
		} else {
			requireError(t, resp.Diagnostics, "Unable to read agents", "not known yet: base_url")
		}
	}
}
