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

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// problem is a read that failed for one agent, or a flaw of a list.
type problem struct {
	agentID   string // "" for a list
	operation string
	status    int // 0 without a response
	// code and message are those of the service, if there are any.
	code, message string
}

func (a *audit) add(p problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problems = append(a.problems, p)
}

// sortedProblems returns the problems in an order that does not depend on when
// they occurred.
func (a *audit) sortedProblems() []problem {
	slices.SortFunc(a.problems, func(x, y problem) int {
		return slices.Compare([]string{x.agentID, x.operation, x.message}, []string{y.agentID, y.operation, y.message})
	})
	return a.problems
}

// classify records the outcome of one read. A failure that concerns one agent
// becomes a problem, and one that concerns the whole audit is returned.
func (a *audit) classify(agent *auditedAgent, operation string, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.outage.success()
		return nil
	}
	var (
		response  *convo.ResponseError
		invalid   *invalidResponseError
		transport *convo.TransportError
		id        *convo.IDError
	)
	failed := &auditError{subject: subject{noun: strings.TrimPrefix(operation, "read "), target: "agent", id: agent.id}, err: err}
	p := problem{agentID: agent.key, operation: operation}
	var kind string
	switch {
	case errors.Is(err, context.Canceled):
		return failed
	case errors.As(err, &invalid):
		kind = "invalid"
		p.status, p.code, p.message = http.StatusOK, invalid.content.Code, invalid.content.Message
		if p.code == "" {
			p.message = strings.ReplaceAll(invalid.Error(), "\n", "; ")
		}
	case errors.As(err, &response):
		if response.Status == http.StatusUnauthorized {
			return failed
		}
		kind = response.StatusText()
		p.status, p.code, p.message = response.Status, response.Code, cmp.Or(response.Message, response.Excerpt)
	case errors.As(err, &transport):
		kind = fmt.Sprintf("transport %d", transport.Reason)
		p.message = transport.Err.Error()
	case errors.As(err, &id):
		kind = "id"
		p.message = "The ID " + id.Error() + "."
	default:
		return failed
	}
	repeated := transport != nil || response != nil && (response.Status >= http.StatusInternalServerError || response.Status == http.StatusTooManyRequests)
	if repeated {
		// A service that is down fails in several ways at once.
		kind = "unavailable"
	}
	if failed.note = a.outage.failure(kind, repeated); failed.note != "" {
		return failed
	}
	a.problems = append(a.problems, p)
	return nil
}

// outage counts consecutive failures of the same kind, to end an audit if all
// requests fail. All failures that the client retries are of one kind.
type outage struct {
	succeeded bool
	kind      string
	run       int
}

// Numbers of consecutive equal failures after which the audit ends. They are
// lower for failures that the client retries, which take several attempts and
// more time.
const (
	maxRetriedFirst = 10 // retried failures, before any success
	maxRetriedRun   = 50 // retried failures, after a success
	maxFirst        = 50 // other failures, before any success
)

func (o *outage) success() { *o = outage{succeeded: true} }

// failure returns the reason to end the audit, or "" to continue.
func (o *outage) failure(kind string, retried bool) string {
	if kind != o.kind {
		o.kind, o.run = kind, 0
	}
	o.run++
	way := " in the same way"
	if retried {
		way = ""
	}
	switch {
	case !o.succeeded && (retried && o.run == maxRetriedFirst || o.run == maxFirst):
		return fmt.Sprintf("The provider stopped the audit, because the first %d reads of individual agents all failed%s. The last error was:", o.run, way)
	case retried && o.run == maxRetriedRun:
		return fmt.Sprintf("The provider stopped the audit, because the last %d reads of individual agents all failed%s. The last error was:", o.run, way)
	}
	return ""
}

// maxProblemsShown is the number of problems that the warning names.
const maxProblemsShown = 5

// warnings returns one warning for all problems, and one for the agents of
// other workspaces.
func (a *audit) warnings() diag.Diagnostics {
	var diags diag.Diagnostics
	if len(a.problems) > 0 {
		diags.AddWarning("Workspace audit is incomplete", fmt.Sprintf("%s\n\n"+
			"Values that could not be read are null or empty. The problems attribute lists every problem. To make the run fail if an "+
			"audit is incomplete, add a postcondition that checks summary.problems.", a.describeProblems()))
	}
	if n := a.foreignAgents(); n > 0 {
		diags.AddWarning("Audited agents belong to another workspace", fmt.Sprintf(
			"%d of %d agents belong to a workspace other than %q. The API lists only the agents of the token's workspace, "+
				"regardless of workspace_id. Use a token for workspace %[3]q, or set workspace_id to the token's workspace.",
			n, len(a.agents), a.workspace.text("id")))
	}
	return diags
}

func (a *audit) describeProblems() string {
	var lines []string
	for _, p := range a.sortedProblems()[:min(len(a.problems), maxProblemsShown)] {
		line := p.operation
		if p.agentID != "" {
			line = fmt.Sprintf("agent %q, %s", p.agentID, line)
		}
		var reasons []string
		if p.status != 0 {
			reasons = append(reasons, fmt.Sprint(p.status))
		}
		for _, text := range []string{p.code, p.message} {
			if text != "" {
				reasons = append(reasons, text)
			}
		}
		lines = append(lines, line+": "+strings.Join(reasons, ", "))
	}
	if more := len(a.problems) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	count := fmt.Sprintf("%d problems occurred:", len(a.problems))
	if len(a.problems) == 1 {
		count = "1 problem occurred:"
	}
	return count + "\n" + bullets(lines)
}
