// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// problem is what keeps an audit from being complete.
type problem struct {
	kind      string
	agentID   string // "" if it does not concern a single agent
	operation string
	status    int // 0 without a response
	// code and message are those of the service, if there are any.
	code, message string
	// temporary reports that there was no response, or one that is retried.
	temporary bool
}

// Kinds of problems.
const (
	readFailed     = "read_failed"
	notRead        = "not_read"
	missingFields  = "missing_fields"
	incompleteness = "incomplete_list"
	contradiction  = "contradiction"
)

// isGap reports that something was not read.
func (p problem) isGap() bool { return p.kind != missingFields && p.kind != contradiction }

// problemOf describes a failed read.
func problemOf(err error) problem {
	p := problem{kind: readFailed}
	var (
		response  *convo.ResponseError
		transport *convo.TransportError
	)
	switch {
	case errors.As(err, &response):
		p.status, p.code, p.message = response.Status, response.Code, cmp.Or(response.Message, response.Excerpt, http.StatusText(response.Status))
		if response.Err != nil && (response.Code == "" || response.Message == "") {
			p.message = response.Err.Error()
		}
		p.temporary = response.Status >= http.StatusInternalServerError || response.Status == http.StatusTooManyRequests
	case errors.As(err, &transport):
		p.message = transport.Err.Error()
		p.temporary = transport.Reason != convo.ReasonRedirect && transport.Reason != convo.ReasonTooLarge
	case errors.Is(err, convo.ErrID):
		p.message = "The ID " + err.Error() + "."
	default:
		p.message = err.Error()
	}
	return p
}

// addFlaws adds the problems of a read that did not fail.
func (a *workspaceAudit) addFlaws(agentID, operation string, r *result) {
	if len(r.missing) > 0 {
		a.problems = append(a.problems, problem{kind: missingFields, agentID: agentID, operation: operation,
			message: "The response does not contain these values, which the API documents as never null: " + strings.Join(r.missing, ", ") + "."})
	}
	if len(r.incomplete) > 0 {
		a.problems = append(a.problems, problem{kind: incompleteness, agentID: agentID, operation: operation, message: incompleteList(r.incomplete)})
	}
}

// stopOperations stops those operations that failed in the same way for all of
// the first agents, such as the definitions of a past-due workspace.
func (a *workspaceAudit) stopOperations(others int) {
	a.operations = slices.DeleteFunc(a.operations, func(operation *agentOperation) bool {
		if !a.failsForAll(operation) {
			return false
		}
		a.wantReads -= others
		a.problems = append(a.problems, problem{kind: notRead, operation: operation.name, message: fmt.Sprintf(
			"The first %d reads all failed in the same way, so the other reads (%d) were not attempted.", maxFailures, others)})
		return true
	})
}

// failsForAll reports whether an operation failed in the same way for all of the
// first agents. A 404 for statistics says nothing about other agents, because
// these may never have been published.
func (a *workspaceAudit) failsForAll(operation *agentOperation) bool {
	failures := slices.DeleteFunc(slices.Clone(a.problems), func(p problem) bool {
		return p.kind != readFailed || p.operation != operation.name
	})
	return len(failures) == maxFailures && !slices.ContainsFunc(failures, func(p problem) bool {
		return p.status != failures[0].status || p.code != failures[0].code || operation.period != "" && p.status == http.StatusNotFound
	})
}

// problemsValue returns the problems in an order that does not depend on when they
// occurred.
func (a *workspaceAudit) problemsValue(ctx context.Context) tftypes.Value {
	slices.SortFunc(a.problems, func(x, y problem) int {
		return cmp.Or(cmp.Compare(x.agentID, y.agentID), cmp.Compare(x.operation, y.operation), cmp.Compare(x.kind, y.kind), cmp.Compare(x.message, y.message))
	})
	typ := objectType(ctx, problemAttributes())
	elements := make([]tftypes.Value, len(a.problems))
	for i, p := range a.problems {
		elements[i] = tftypes.NewValue(typ, map[string]tftypes.Value{
			"kind":      tftypes.NewValue(tftypes.String, p.kind),
			"agent_id":  orNull(tftypes.String, p.agentID),
			"operation": tftypes.NewValue(tftypes.String, p.operation),
			"status":    orNull(tftypes.Number, p.status),
			"code":      orNull(tftypes.String, p.code),
			"message":   orNull(tftypes.String, p.message),
		})
	}
	return tftypes.NewValue(tftypes.List{ElementType: typ}, elements)
}

// orNull returns null for the zero value.
func orNull[T comparable](typ tftypes.Type, value T) tftypes.Value {
	if value == *new(T) {
		return tftypes.NewValue(typ, nil)
	}
	return tftypes.NewValue(typ, value)
}

// warnings returns one warning for all problems, and those about the list of
// agents.
func (a *workspaceAudit) warnings() diag.Diagnostics {
	var diags diag.Diagnostics
	if len(a.problems) > 0 {
		summary := "Workspace audit has missing or contradictory values"
		detail := fmt.Sprintf("Problems (%d):\n%s\n\nThe problems attribute lists every problem.", len(a.problems), bullets(firstOf(a.describeProblems(), 5)))
		if slices.ContainsFunc(a.problems, problem.isGap) {
			summary = "Workspace audit is incomplete"
			detail += " Values that could not be read are null or empty. To make the run fail if an audit is incomplete, add a postcondition " +
				"that checks the kinds of the problems."
		}
		if slices.ContainsFunc(a.problems, func(p problem) bool { return p.operation == readAgentOperation && p.status == http.StatusNotFound }) {
			detail += " " + adviceUnpaid
		}
		diags.AddWarning(summary, detail)
	}
	if len(a.agents) == 0 && a.agentIDs == nil {
		diags.AddWarning("The audit contains no agents", "The service listed no agents that can be audited. Either the current workspace, which "+
			"agent_query may have to select, has none, or the token's user does not have access to them. If agent_query contains the slug of "+
			"the workspace, try its ID.")
	}
	if a.foreign != nil && *a.foreign > 0 {
		diags.AddWarning("Audited agents belong to another workspace", fmt.Sprintf("%d of %d agents belong to a workspace other than %q. The API lists "+
			"the agents of the current workspace, regardless of workspace_id, and does not document what makes a workspace current. Use a token for "+
			"workspace %[3]q, or check that agent_query selects this workspace, if the service supports that.", *a.foreign, len(a.agents), a.workspaceID))
	}
	return diags
}

// describeProblems describes each problem in one line.
func (a *workspaceAudit) describeProblems() []string {
	var lines []string
	for _, p := range a.problems {
		line := p.operation + ": "
		if p.agentID != "" {
			line = fmt.Sprintf("agent %q, %s", p.agentID, line)
		}
		if p.status != 0 {
			line += fmt.Sprintf("%d, ", p.status)
		}
		if p.code != "" {
			line += p.code + ", "
		}
		lines = append(lines, strings.TrimSuffix(line+p.message, ", "))
	}
	return lines
}
