// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC_PROVIDER_HOST") != "" {
		t.Skip("OpenTofu does not support actions")
	}
	s := startService(t)
	const config = `
action "convo_update_session_agent" "test" {
  config {
    session_id = %q
    agent_id   = "agt_returns"
  }
}

resource "terraform_data" "test" {
  lifecycle {
    action_trigger {
      events  = [before_create]
      actions = [action.convo_update_session_agent.test]
    }
  }
}
`
	testAcc(t, s, actions,
		failing(fmt.Sprintf(config, "ses_returns_done"), `Invalid input data (BAD_REQUEST). - session "ses_returns_done" is not active`),
		resource.TestStep{Config: fmt.Sprintf(config, "ses_orders_open")},
	)
	requireUpdates(t, s, `ses_returns_done/updateAgent {"agentId":"agt_returns"}`, `ses_orders_open/updateAgent {"agentId":"agt_returns"}`)
}

// Not every CLI has actions.
func TestUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	s := startService(t)
	progress, diagnostics := configuredProvider(t, s).invoke(object{"session_id": "ses_orders_open", "payload": `{"x":[1.0]}`})
	requireNone(t, diagnostics)
	if diff := cmp.Diff([]string{`Updating session "ses_orders_open" ...`, `The service returned "success".`}, progress); diff != "" {
		t.Errorf("unexpected progress (-want +got):\n%s", diff)
	}
	requireUpdates(t, s, `ses_orders_open/updateAgent {"x":[1.0]}`)
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
