// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	needsCLI(t, "actions", "1.14", "")
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
action "convo_update_session_agent" "test" {
  config {
    session_id = "ses_orders_open"
    agent_id   = "agt_returns"
  }
}
resource "terraform_data" "release" {
  input = "1"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.convo_update_session_agent.test]
    }
  }
}
`,
			PostApplyFunc: func() {
				if diff := cmp.Diff([]string{`POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`}, s.sentBodies()); diff != "" {
					t.Errorf("unexpected requests (-want +got):\n%s", diff)
				}
			},
		}},
	})
}

// Nothing can be sent before the provider is configured.
func TestUpdateSessionAgentAction_notConfigured(t *testing.T) {
	t.Parallel()
	_, diagnostics := newTestProvider(t).invoke(object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "The provider is not configured")
}

// The provider's own arguments can be unknown in a plan, but not when an action
// is invoked.
func TestUpdateSessionAgentAction_unknownConfiguration(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": unknown}))
	_, diagnostics := p.invoke(object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "The provider configuration is not known yet", "not known yet: base_url, token")
}
