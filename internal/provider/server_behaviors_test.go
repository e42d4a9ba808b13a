// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Servers differ from the API's documentation in these ways every day. An audit
// succeeds with what can be read, and an error names the cause.
func TestAccServerBehaviors(t *testing.T) {
	t.Parallel()
	const audit = `
data "convo_workspace_audit" "test" {
  workspace_id  = "larkspur"
  stats_periods = ["last7Days"]
}
`
	check := func(value knownvalue.Check, path ...string) statecheck.StateCheck {
		attribute := tfjsonpath.New(path[0])
		for _, key := range path[1:] {
			attribute = attribute.AtMapKey(key)
		}
		return statecheck.ExpectKnownValue("data.convo_workspace_audit.test", attribute, value)
	}
	tests := map[string]struct {
		options     []devserver.Option
		token       string // the writer's if empty
		config      string
		checks      []statecheck.StateCheck
		expectError string
	}{
		"drafts without statistics": {
			options: []devserver.Option{devserver.WithBehavior(devserver.DraftStats)},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Int64Exact(0), "summary", "problems"),
				check(knownvalue.Null(), "agents", "agt_scratch", "stats", "last7Days", "total_views"),
			},
		},
		"past-due workspace without definitions": {
			options: []devserver.Option{devserver.WithBehavior(devserver.UnpaidAgents)},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Bool(true), "workspace", "is_past_due"),
				check(knownvalue.Int64Exact(12), "summary", "problems"),
				check(knownvalue.Null(), "summary", "locked"),
				check(knownvalue.Int64Exact(6), "summary", "published"),
			},
		},
		"missing fields": {
			options: []devserver.Option{devserver.WithMissingFields("workspace.lastActivityAt", "workspace.plan", "agents.isPublished")},
			config:  audit,
			checks: []statecheck.StateCheck{
				check(knownvalue.Null(), "workspace", "plan"),
				check(knownvalue.ListPartial(map[int]knownvalue.Check{0: knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"kind":    knownvalue.StringExact("missing_fields"),
					"message": knownvalue.StringRegexp(regexp.MustCompile("last_activity_at, plan")),
				})}), "problems"),
			},
		},
		"issues with paths": {
			options: []devserver.Option{devserver.WithBehavior(devserver.WorkspaceInQuery, devserver.NestedIssues)},
			config:  audit,
			// Terraform wraps the lines of a message.
			expectError: `(?s)- workspaceId: .*query\s+parameters.*agent_query`,
		},
		"workspace in the query": {
			options: []devserver.Option{devserver.WithBehavior(devserver.WorkspaceInQuery)},
			config: `
data "convo_workspace_audit" "test" {
  workspace_id = "larkspur"
  agent_query  = { workspaceId = "ws_larkspur01" }
}
`,
			checks: []statecheck.StateCheck{check(knownvalue.Int64Exact(12), "summary", "agents")},
		},
		"wrong token": {
			options: []devserver.Option{devserver.WithBehavior(devserver.HiddenObjects)},
			token:   "wrong",
			config: `
data "convo_agent" "test" {
  agent_id = "agt_returns"
}
`,
			expectError: `(?s)404 Not Found.*Some\s+services\s+return\s+404\s+if\s+the\s+token\s+is\s+invalid`,
		},
		"session update without permission": {
			options: []devserver.Option{devserver.WithBehavior(devserver.HiddenObjects)},
			token:   "dev-token-no-access",
			config: `
resource "convo_session_agent" "test" {
  session_id = "ses_orders_open"
}
`,
			expectError: `(?s)401 Unauthorized.*session\s+"ses_orders_open".*may\s+not\s+have\s+permission\s+for\s+this\s+request`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, test.options...)
			config := testAccProviderConfig(s) + test.config
			if test.token != "" {
				config = strings.Replace(config, devserver.TokenWrite, test.token, 1)
			}
			step := resource.TestStep{Config: config, ConfigStateChecks: test.checks}
			if test.expectError != "" {
				step.ExpectError = regexp.MustCompile(test.expectError)
			}
			resource.Test(t, resource.TestCase{
				PreCheck:                 func() { testAccPreCheck(t) },
				ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
				Steps:                    []resource.TestStep{step},
			})
		})
	}
}
