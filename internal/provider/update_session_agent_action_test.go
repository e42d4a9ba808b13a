// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	if !cliHas("1.14.0", "") {
		return // TestAccUpdateSessionAgentAction_invoked shows what an older CLI does.
	}
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
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

// An action that is invoked on the command line shows its progress. An older CLI
// accepts the provider. Terraform 1.13 even ignores the block.
func TestAccUpdateSessionAgentAction_invoked(t *testing.T) {
	t.Parallel()
	s := startService(t)
	r := newRealRun(t, `
provider "convo" {}

action "convo_update_session_agent" "test" {
  config {
    session_id = "ses_orders_open"
  }
}
`)
	if !cliHas("1.14.0", "") {
		output, err := r.run(s.variables(), "apply", "-auto-approve", "-invoke=action.convo_update_session_agent.test")
		if err == nil || !strings.Contains(output, "-invoke") || len(s.sentBodies()) != 0 {
			t.Errorf("got %v and the requests %v, want a refusal of the flag: it needs Terraform 1.14\n%s", err, s.sentBodies(), output)
		}
		return
	}
	r.mustRun(s.variables(), "init")
	output := r.mustRun(s.variables(), "apply", "-auto-approve", "-invoke=action.convo_update_session_agent.test")
	if !strings.Contains(output, `Updating session "ses_orders_open"`) || !strings.Contains(output, `The service returned "success".`) {
		t.Errorf("the progress was not shown:\n%s", output)
	}
	if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent {}"}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
}

func TestUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	for body, arguments := range map[string]object{
		`{"agentId":"agt_returns"}`: {"agent_id": "agt_returns"},
		`{"agentId":"agt_jobs"}`:    {"payload": `{"agentId":"agt_jobs"}`},
		`{}`:                        {},
	} {
		s := startService(t)
		arguments["session_id"] = "ses_orders_open"
		progress, diagnostics := configuredProvider(t, s).invoke(arguments)
		requireExactly(t, diagnostics)
		if diff := cmp.Diff([]string{`Updating session "ses_orders_open" ...`, `The service returned "success".`}, progress); diff != "" {
			t.Errorf("unexpected progress (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent " + body}, s.sentBodies()); diff != "" {
			t.Errorf("unexpected requests (-want +got):\n%s", diff)
		}
	}
}

func TestUpdateSessionAgentActionFailures(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configuredProvider(t, s).invoke(object{"session_id": "ses_returns_done"})
	requireError(t, diagnostics, "Unable to update session agent", `"ses_returns_done"`, "400 Bad Request")

	p := newTestProvider(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": unknown}))
	_, diagnostics = p.invoke(object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "Unable to update session agent", "base_url, token", "not known yet")
}
