// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/collect"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// auditFailed is the summary of an error that ends an audit.
const auditFailed = "Unable to audit workspace"

// auditError turns the error of an audit into a diagnostic.
func auditError(workspaceID string, err error) (diags diag.Diagnostics) {
	e, isOwn := errors.AsType[*collect.Error](err)
	if !isOwn {
		e = &collect.Error{Err: err}
	}
	switch {
	case len(e.Unlisted) > 0:
		diags.AddAttributeError(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
			"The service did not list these agents: %s. Check that these are IDs, not names or public IDs, that they are spelled correctly, that the token's owner has access to "+
				"the agents, and that agent_query selects the agents' workspace and does not exclude them.",
			oneline.List(e.Unlisted, 20)))
		return diags
	case e.Operation == audit.ReadWorkspace:
		return workspaceMessages("workspace", workspaceID).readError(e.Err)
	case e.Operation == audit.ListMembers:
		return workspaceMessages("members", workspaceID).readError(e.Err)
	case e.Operation == audit.ListAgents:
		return agentsMessages("agent_query").readError(e.Err)
	}
	ending := "."
	if e.IsOutage {
		ending = ", because too many reads in a row failed. The last error was:"
	}
	last := agentMessages("agent", e.AgentID).diagnostic(auditFailed, e.Err)
	diags.AddError(auditFailed, fmt.Sprintf(
		"The audit ended after %d of %d reads of individual agents%s\n\n%s", e.Done, e.Total, ending, last.Detail()))
	return diags
}

// auditWarnings returns one warning about all problems, and warnings about an audit without
// members, without agents, or with agents of another workspace.
func auditWarnings(a *audit.Audit) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(a.Problems) > 0 {
		diags.Append(problemsWarning(a))
	}
	if len(a.Members) == 0 {
		diags.AddWarning("The audit contains no members", "The service listed no members of the workspace, so checks of roles find nothing. The "+
			"token's owner may not have permission to list them.")
	}
	if len(a.Agents) == 0 && a.AgentIDs == nil {
		diags.AddWarning("The audit contains no agents", "The service listed no agents that can be audited. Either the workspace that "+
			"the token or agent_query selects has none, or the token's owner does not have access to them. If agent_query contains the slug of "+
			"the workspace, try its ID.")
	}
	if foreign := a.ForeignAgents(); foreign > 0 {
		diags.AddWarning("Audited agents belong to another workspace", fmt.Sprintf("Agents that belong to a workspace other than %[3]q: %[1]d of %[2]d. The API lists "+
			"the agents of a single workspace, regardless of workspace_id, and does not document what selects this workspace. Use a token for "+
			"workspace %[3]q, or check that agent_query selects this workspace, if the service supports that.", foreign, len(a.Agents), a.WorkspaceID))
	}
	return diags
}

// problemsWarning returns the warning about the problems of an audit.
func problemsWarning(a *audit.Audit) diag.Diagnostic {
	var lines []string
	for _, p := range a.Problems {
		line := p.Text()
		if p.AgentID != nil {
			line = fmt.Sprintf("agent %q, %s", *p.AgentID, line)
		}
		lines = append(lines, line)
	}
	summary := "Workspace audit has missing or contradictory values"
	detail := fmt.Sprintf("Problems (%d):\n%s\n\nThe problems attribute lists every problem.", len(lines), bullets(oneline.First(lines, 5)))
	if !*a.IsComplete {
		summary = "Workspace audit is incomplete"
		detail += " Values that could not be read are null or empty, and is_complete is false."
	}
	return diag.NewWarningDiagnostic(summary, detail+"\n\nWhat to do: "+audit.Guides+"/when-an-audit-fails.md")
}
