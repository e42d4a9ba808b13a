// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build acceptance

package acceptance

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDataSources reads each data source, and plans again without a difference.
func TestDataSources(t *testing.T) {
	t.Parallel()
	r := newRun(t, `
data "convo_workspace" "test" {
  workspace_id = var.workspace_id
}
data "convo_members" "test" {
  workspace_id = var.workspace_id
}
data "convo_agents" "test" {
  query = var.agent_query
}
data "convo_agent" "test" {
  agent_id                = var.agent_id
  include_definition_json = true
}
data "convo_agent_stats" "test" {
  agent_id = var.agent_id
  period   = "allTime"
}
data "convo_workspace_audit" "test" {
  workspace_id           = var.workspace_id
  agent_query            = var.agent_query
  stats_periods          = ["today", "allTime"]
  include_graph_findings = true
}
locals {
  audit = data.convo_workspace_audit.test
}
output "read" {
  value = {
    convo_workspace       = data.convo_workspace.test.id != null
    convo_members         = length(data.convo_members.test.members) > 0
    convo_agents          = contains(data.convo_agents.test.agents[*].id, var.agent_id)
    convo_agent           = data.convo_agent.test.current_user_mode != null && can(jsondecode(data.convo_agent.test.definition_json))
    convo_agent_stats     = data.convo_agent_stats.test.total_views != null
    convo_workspace_audit = local.audit.workspace.id == data.convo_workspace.test.id && length(local.audit.agents) == length(data.convo_agents.test.agents)
  }
}
output "problems" {
  value = local.audit.problems[*].kind
}
output "summary" {
  value = { for name in ["agents", "members", "foreign_agents", "problems"] : name => local.audit.summary[name] }
}
`)
	output := r.succeeds("apply", "-auto-approve")
	var read map[string]bool
	r.output("read", &read)
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if !read[name] {
			t.Errorf("%s: the result lacks values that the provider depends on", name)
		}
	}
	var problems []string
	r.output("problems", &problems)
	observe("Problems of an audit", "none", counted(problems, "none"), "The page of `convo_workspace_audit`")
	observe("Warnings", "none", counted(summaries(output, "Warning: "), "none"), "The text of the warning")
	var summary map[string]*float64
	r.output("summary", &summary)
	foreign := summary["foreign_agents"]
	switch {
	case foreign == nil:
		observe("Workspace of the listed agents", "the audited one", "unknown", agentsPage)
	case *foreign == 0:
		observe("Workspace of the listed agents", "the audited one", "the audited one", agentsPage)
	default:
		observe("Workspace of the listed agents", "the audited one", "another one for some agents", agentsPage)
	}
	r.succeeds("plan", "-detailed-exitcode")
}

const agentsPage = "\"Agents of Another Workspace\" on the page of `convo_workspace_audit`"

// TestEphemeralResources reads each ephemeral resource.
func TestEphemeralResources(t *testing.T) {
	t.Parallel()
	needs(t, "ephemeral resources in every CLI", "1.11")
	r := newRun(t, `
ephemeral "convo_workspace" "test" {
  workspace_id = var.workspace_id
}
ephemeral "convo_members" "test" {
  workspace_id = var.workspace_id
}
ephemeral "convo_agents" "test" {
  query = var.agent_query
}
ephemeral "convo_agent" "test" {
  agent_id = var.agent_id
}
ephemeral "convo_agent_stats" "test" {
  agent_id = var.agent_id
  period   = "allTime"
}
ephemeral "convo_workspace_audit" "test" {
  workspace_id = var.workspace_id
  agent_query  = var.agent_query
}
check "read" {
  assert {
    condition = alltrue([
      ephemeral.convo_workspace.test.id != null,
      length(ephemeral.convo_members.test.members) > 0,
      contains(ephemeral.convo_agents.test.agents[*].id, var.agent_id),
      ephemeral.convo_agent.test.current_user_mode != null,
      ephemeral.convo_agent_stats.test.total_views != null,
      length(ephemeral.convo_workspace_audit.test.agents) == length(ephemeral.convo_agents.test.agents),
    ])
    error_message = "An ephemeral resource lacks values."
  }
}
`)
	if output := r.succeeds("plan"); strings.Contains(output, "An ephemeral resource lacks values.") {
		t.Error("the results lack values that the provider depends on")
	}
}

// TestAuditRecord accepts the first record by its key, and plans again without a difference.
func TestAuditRecord(t *testing.T) {
	t.Parallel()
	needs(t, "write-only arguments", "1.11")
	r := newRun(t, `
data "convo_workspace_audit" "test" {
  workspace_id = var.workspace_id
  agent_query  = var.agent_query
}
variable "accepted" {
  default = {}
}
resource "convo_audit_record" "test" {
  audit    = jsonencode(data.convo_workspace_audit.test)
  accepted = var.accepted
}
output "report" {
  value     = provider::convo::audit_report(jsonencode(data.convo_workspace_audit.test), convo_audit_record.test, []).markdown
  sensitive = true
}
`)
	refused, err := r.cli("apply", "-auto-approve")
	key := regexp.MustCompile(`first_record/\S+/[a-z2-7]{24}`).FindString(refused)
	if err == nil || key == "" {
		t.Fatalf("the first record was not refused with a key, with the error %v; dist/testacc.log has the messages", err)
	}
	accepted := `{"accepted":{"` + key + `":"make testacc"}}`
	if err := os.WriteFile(filepath.Join(r.dir, "accepted.auto.tfvars.json"), []byte(accepted), 0o600); err != nil {
		t.Fatal(err)
	}
	r.succeeds("apply", "-auto-approve")
	r.succeeds("plan", "-detailed-exitcode")
}

// TestSessionUpdate sends an update without an agent, so that the session keeps its agent.
func TestSessionUpdate(t *testing.T) {
	t.Parallel()
	if configured.sessionID == "" {
		t.Skip("CONVO_TEST_SESSION_ID is not set, so no session is updated")
	}
	r := newRun(t, `
resource "convo_session_agent" "test" {
  session_id = var.session_id
}
output "message" {
  value = convo_session_agent.test.message == "success"
}
`)
	r.succeeds("apply", "-auto-approve")
	var isConfirmed bool
	r.output("message", &isConfirmed)
	observe("Message of a session update", "`success`", map[bool]string{true: "`success`", false: "another one"}[isConfirmed], "The page of `convo_session_agent`")
	r.succeeds("plan", "-detailed-exitcode")
}
