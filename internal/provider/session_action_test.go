// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const updateSessionAgentType = "convo_update_session_agent"

// invoke invokes the action and returns its progress messages.
func (p *protocol) invoke(config object) ([]string, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	server, ok := p.server.(tfprotov6.ActionServer)
	if !ok {
		p.t.Fatal("the server serves no actions")
	}
	stream, err := server.InvokeAction(p.ctx, &tfprotov6.InvokeActionRequest{
		ActionType: updateSessionAgentType,
		Config:     p.dynamic(p.schema.ActionSchemas[updateSessionAgentType].Schema.ValueType(), config),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	var progress []string
	var diagnostics []*tfprotov6.Diagnostic
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diagnostics = event.Diagnostics
		}
	}
	return progress, diagnostics
}

func TestUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config object
		body   string
	}{
		"an agent":            {object{"session_id": "ses_orders_open", "agent_id": "agt_returns"}, `{"agentId":"agt_returns"}`},
		"a payload":           {object{"session_id": "ses_orders_open", "payload": `{"agentId":"agt_jobs"}`}, `{"agentId":"agt_jobs"}`},
		"the newest revision": {object{"session_id": "ses_orders_open"}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			progress, diagnostics := configured(t, s).invoke(test.config)
			if len(diagnostics) > 0 {
				t.Fatalf("unexpected diagnostic: %s", describe(diagnostics[0]))
			}
			if diff := cmp.Diff([]string{
				`Updating session "ses_orders_open" ...`, `The service returned "success".`,
			}, progress); diff != "" {
				t.Errorf("unexpected progress (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"POST /v1/sessions/ses_orders_open/updateAgent " + test.body}, s.sentBodies()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUpdateSessionAgentActionFailures(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configured(t, s).invoke(object{"session_id": "ses_returns_done"})
	requireError(t, diagnostics, "Unable to update session agent", `"ses_returns_done"`, "400 Bad Request")

	p := newProtocol(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": unknown}))
	_, diagnostics = p.invoke(object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "Unable to update session agent", "base_url, token", "not known yet")
}

// An invoked action sends one POST and shows its progress; a triggered one
// runs after its resource. An older CLI takes the provider, but not the block.
func TestAccUpdateSessionAgentAction(t *testing.T) {
	t.Parallel()
	s := startService(t)
	r := newRealRun(t, `
provider "convo" {}

action "convo_update_session_agent" "orders" {
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
      actions = [action.convo_update_session_agent.orders]
    }
  }
}
`)
	variables := s.variables()
	if !cliHas("1.14.0", "") {
		output, err := r.run(variables, "init")
		if err == nil || !strings.Contains(output, `"action"`) {
			t.Errorf("got %v, want a refusal of the action block: it needs Terraform 1.14\n%s", err, output)
		}
		return
	}
	r.mustRun(variables, "init")
	const sent = `POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`
	output := r.mustRun(variables, "apply", "-auto-approve", "-invoke=action.convo_update_session_agent.orders")
	if !strings.Contains(output, `Updating session "ses_orders_open"`) || !strings.Contains(output, `The service returned "success".`) {
		t.Errorf("the progress was not shown:\n%s", output)
	}
	if diff := cmp.Diff([]string{sent}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	output = r.mustRun(variables, "apply", "-auto-approve")
	if diff := cmp.Diff([]string{sent, sent}, s.sentBodies()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	// Terraform 1.17 prints "Creation complete" after the action.
	if creating, invoked := strings.Index(output, "Creating..."), strings.Index(output, "Updating session"); creating < 0 || invoked < creating {
		t.Errorf("the action did not run after its resource:\n%s", output)
	}
}

// variables configure the provider for the service.
func (s service) variables() []string {
	return []string{"CONVO_BASE_URL=" + s.BaseURL, "CONVO_TOKEN=" + devserver.TokenWrite}
}
