// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// problem is an element of the attribute problems while an audit is read. Only a gap makes
// the audit incomplete.
type problem struct {
	audit.Problem
	issues []string // in the service's error, at most 20
	// unavailable reports that the service did not respond, or failed, so that other
	// reads may fail, too.
	unavailable bool
}

// newProblem returns a problem. The ID is "" if it does not concern a single agent.
func newProblem(kind, agentID, operation, message string) problem {
	return problem{Problem: audit.Problem{Kind: kind, AgentID: nilIfZero(agentID), Operation: operation, Message: &message}}
}

// problemOf describes a failed read.
func problemOf(err error) problem {
	p, message := problem{Problem: audit.Problem{Kind: audit.ReadFailed}}, ""
	var (
		response  *convo.ResponseError
		transport *convo.TransportError
	)
	switch {
	case errors.As(err, &response):
		p.Status, p.Code, message = nilIfZero(response.Status), nilIfZero(response.Code), cmp.Or(response.Message, response.Excerpt, http.StatusText(response.Status))
		if response.Err != nil && (response.Code == "" || response.Message == "") {
			message = response.Err.Error()
		}
		p.issues = oneline.First(response.Issues, 20)
		// A 401 can concern one agent. If it lasts, the token has expired.
		p.unavailable = response.ServiceFailed() || response.Throttled() || response.Status == http.StatusUnauthorized
	case errors.As(err, &transport):
		message = transport.Err.Error()
		p.unavailable = transport.Reason != convo.ReasonRedirect && transport.Reason != convo.ReasonTooLarge
	case errors.Is(err, convo.ErrID):
		message = "The ID " + err.Error() + "."
	default:
		message = err.Error()
	}
	p.Message = &message
	return p
}

// isSilent reports that there was no complete response. Such a read can take as long as
// the timeouts of all its attempts.
func (p problem) isSilent() bool { return p.unavailable && p.Status == nil }

// text is the message with the issues.
func (p problem) text() string {
	if len(p.issues) == 0 {
		return valueOf(p.Message)
	}
	return strings.TrimPrefix(strings.TrimSuffix(valueOf(p.Message), ".")+": "+strings.Join(p.issues, "; "), ": ")
}

// hasReasonOf reports whether two reads failed for the same reason.
func (p problem) hasReasonOf(other problem) bool {
	if p.unavailable || other.unavailable {
		return p.unavailable && other.unavailable
	}
	return valueOf(p.Status) == valueOf(other.Status) && valueOf(p.Code) == valueOf(other.Code)
}

// addMissingFields adds a problem about required values that a response does not contain,
// if there are any.
func (a *workspaceAudit) addMissingFields(agentID, operation string, names []string) {
	if len(names) > 0 {
		a.problems = append(a.problems, newProblem(audit.MissingFields, agentID, operation,
			"The response does not contain these values, which the API documents as never null: "+strings.Join(names, ", ")+"."))
	}
}

// addSignsOfMore adds a problem about a list that may be incomplete, if there are signs
// of that.
func (a *workspaceAudit) addSignsOfMore(operation string, signs []string) {
	if len(signs) > 0 {
		a.problems = append(a.problems, newProblem(audit.IncompleteList, "", operation, describeSigns(signs)))
	}
}

// mergeFailures replaces the failures for which an operation stopped with one problem.
func (a *workspaceAudit) mergeFailures(operation *agentOperation) {
	merged := *operation.stopped
	a.problems = slices.DeleteFunc(a.problems, func(p problem) bool {
		isMerged := p.Kind == audit.ReadFailed && p.Operation == operation.name && p.hasReasonOf(merged)
		if isMerged && !slices.Equal(p.issues, merged.issues) {
			merged.issues = nil // They concern single agents.
		}
		return isMerged
	})
	merged.Message = new(strings.TrimSuffix(merged.text(), ".") +
		fmt.Sprintf(". %s failed for this reason, so the provider did not attempt the others.", operation.stoppedAfter))
	merged.AgentID, merged.issues = nil, nil
	a.problems = append(a.problems, merged)
}

// nilIfZero returns nil for the zero value.
func nilIfZero[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// warnings returns one warning for all problems, and those about the list of
// agents.
func (a *workspaceAudit) warnings() diag.Diagnostics {
	var diags diag.Diagnostics
	if len(a.problems) > 0 {
		var lines []string
		for _, p := range a.model.Problems {
			line := p.Text()
			if p.AgentID != nil {
				line = fmt.Sprintf("agent %q, %s", *p.AgentID, line)
			}
			lines = append(lines, line)
		}
		summary := "Workspace audit has missing or contradictory values"
		detail := fmt.Sprintf("Problems (%d):\n%s\n\nThe problems attribute lists every problem.", len(a.problems), bullets(oneline.First(lines, 5)))
		if !*a.model.IsComplete {
			summary = "Workspace audit is incomplete"
			detail += " Values that could not be read are null or empty. To make the run fail if an audit is incomplete, use the function audit_report " +
				"with a precondition. Without this function, add a postcondition with the condition self.is_complete."
		}
		diags.AddWarning(summary, detail)
	}
	if len(a.model.Members) == 0 {
		diags.AddWarning("The audit contains no members", "The service listed no members of the workspace, so checks of roles find nothing. The "+
			"token's owner may not have permission to list them.")
	}
	if len(a.agents) == 0 && a.model.AgentIDs == nil {
		diags.AddWarning("The audit contains no agents", "The service listed no agents that can be audited. Either the workspace that "+
			"the token or agent_query selects has none, or the token's owner does not have access to them. If agent_query contains the slug of "+
			"the workspace, try its ID.")
	}
	if foreign := valueOf(a.model.Summary.ForeignAgents); foreign > 0 {
		diags.AddWarning("Audited agents belong to another workspace", fmt.Sprintf("%d of %d agents belong to a workspace other than %q. The API lists "+
			"the agents of a single workspace, regardless of workspace_id, and does not document what selects this workspace. Use a token for "+
			"workspace %[3]q, or check that agent_query selects this workspace, if the service supports that.", foreign, len(a.agents), a.model.WorkspaceID))
	}
	return diags
}
