// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// problem is what keeps an audit from being complete.
type problem struct {
	kind      problemKind
	agentID   string // "" if it does not concern a single agent
	operation string
	status    int // 0 without a response
	// code and message are those of the service, if there are any.
	code, message string
}

type problemKind string

const (
	readFailed     problemKind = "read_failed"
	notRead        problemKind = "not_read"
	missingFields  problemKind = "missing_fields"
	incompleteness problemKind = "incomplete_list"
	contradiction  problemKind = "contradiction"
)

func (a *workspaceAudit) add(p problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problems = append(a.problems, p)
}

// addFlaws adds the problems of a read that did not fail.
func (a *workspaceAudit) addFlaws(agentID, operation string, r *result) {
	if len(r.missing) > 0 {
		a.add(problem{kind: missingFields, agentID: agentID, operation: operation,
			message: "The response does not contain these values, which the API documents as never null: " + strings.Join(r.missing, ", ") + "."})
	}
	if len(r.incomplete) > 0 {
		a.add(problem{kind: incompleteness, agentID: agentID, operation: operation, message: incompleteList(r.incomplete)})
	}
}

// outcome is the meaning of a failed read for the whole audit.
type outcome int

const (
	permanent outcome = iota // the same for every attempt to read this object
	temporary                // no response, or one that is retried
	fatal                    // the same for every read
)

// problemOf describes a failed read.
func problemOf(err error) (problem, outcome) {
	p := problem{kind: readFailed}
	var (
		invalid   *invalidResponseError
		response  *convo.ResponseError
		transport *convo.TransportError
		id        *convo.IDError
	)
	switch {
	case errors.As(err, &invalid):
		p.status, p.code, p.message = http.StatusOK, invalid.content.Code, invalid.content.Message
		if p.code == "" {
			p.message = strings.ReplaceAll(invalid.Error(), "\n", "; ")
		}
	case errors.As(err, &response):
		p.status, p.code, p.message = response.Status, response.Code, cmp.Or(response.Message, response.Excerpt)
		switch {
		case response.Status == http.StatusUnauthorized:
			return p, fatal
		case response.Status >= http.StatusInternalServerError, response.Status == http.StatusTooManyRequests:
			return p, temporary
		}
	case errors.As(err, &transport):
		p.message = transport.Err.Error()
		if transport.Reason != convo.ReasonRejected {
			return p, temporary
		}
	case errors.As(err, &id):
		p.message = "The ID " + id.Error() + "."
	default:
		return p, fatal // A fault of the provider.
	}
	return p, permanent
}

// maxFailures is the number of failures in a row, without a response or with a
// temporary one, after which an audit ends, because they take several attempts and
// much time. It is also the number of equal permanent failures from the start of
// an operation after which that is not requested for the remaining agents: a
// service can reject the definition of every agent of a past-due workspace.
const maxFailures = 50

// outage counts the temporary failures in a row, of all operations. Before any
// other response, 10 are enough.
type outage struct {
	responded bool
	failures  int
}

// failed counts a failure and reports whether the audit must end.
func (o *outage) failed() bool {
	o.failures++
	return o.failures == maxFailures || !o.responded && o.failures == 10
}

// operationFailures counts the permanent failures of an operation, which may
// differ from each other or from other outcomes, and the temporary ones in a row.
type operationFailures struct {
	first         problem
	count, outage int
	differ        bool
}

func (f *operationFailures) failed(p problem, differs bool) {
	if f.count == 0 {
		f.first = p
	}
	f.count++
	f.outage = 0
	f.differ = f.differ || differs || f.first.status != p.status || f.first.code != p.code
}

// unavailable counts a temporary failure and reports whether the audit must end.
func (f *operationFailures) unavailable() bool {
	f.differ = true
	f.outage++
	return f.outage == maxFailures
}

func (f *operationFailures) stopped() bool { return !f.differ && f.count >= maxFailures }

// skips reports whether an operation is not requested for another agent.
func (a *workspaceAudit) skips(operation string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	stopped := a.operations[operation].stopped()
	if stopped {
		a.wantReads--
	}
	return stopped
}

// addNotRead adds a problem for each operation that was stopped.
func (a *workspaceAudit) addNotRead() {
	for operation, failures := range a.operations {
		if !failures.stopped() {
			continue
		}
		if remaining := len(a.agents) - maxFailures; remaining > 0 {
			others := fmt.Sprintf("%d agents were", remaining)
			if remaining == 1 {
				others = "agent was"
			}
			a.problems = append(a.problems, problem{kind: notRead, operation: operation, message: fmt.Sprintf(
				"The first %d reads all failed in the same way, so the remaining %s not read.", maxFailures, others)})
		}
	}
}

// sortProblems sorts the problems, so that their order does not depend on when
// they occurred.
func (a *workspaceAudit) sortProblems() {
	slices.SortFunc(a.problems, func(x, y problem) int {
		return cmp.Or(cmp.Compare(x.agentID, y.agentID), cmp.Compare(x.operation, y.operation), cmp.Compare(x.kind, y.kind), cmp.Compare(x.message, y.message))
	})
}

// warnings returns one warning for all problems, and those about the list of
// agents.
func (a *workspaceAudit) warnings() diag.Diagnostics {
	var diags diag.Diagnostics
	if len(a.problems) > 0 {
		diags.AddWarning("Workspace audit is incomplete", fmt.Sprintf("%s\n\n"+
			"Values that could not be read are null or empty. The problems attribute lists every problem. To make the run fail if an "+
			"audit is incomplete, add a postcondition that checks summary.problems.", a.describeProblems()))
	}
	if a.listed == 0 && a.agentIDs == nil {
		cause := "the current workspace, which agent_query may have to select,"
		if len(a.agentQuery) > 0 {
			cause = "the workspace that agent_query selects"
		}
		diags.AddWarning("The audit contains no agents", fmt.Sprintf(
			"The service listed no agents. Either %s has none, or the token's user does not have access to them.", cause))
	}
	if a.foreign > 0 {
		cause := "The API lists the agents of the current workspace, regardless of workspace_id, and does not document what makes a workspace " +
			"current. Use a token for workspace %[3]q, or select the workspace with agent_query if the service supports that."
		if len(a.agentQuery) > 0 {
			cause = "Check that agent_query selects workspace %[3]q, or use a token for that workspace."
		}
		diags.AddWarning("Audited agents belong to another workspace",
			fmt.Sprintf("%d of %d agents belong to a workspace other than %q. "+cause, a.foreign, len(a.agents), a.workspaceID))
	}
	return diags
}

// describeProblems lists the first problems, and the number of the others.
func (a *workspaceAudit) describeProblems() string {
	var lines []string
	for _, p := range a.problems {
		line := p.operation
		if p.agentID != "" {
			line = fmt.Sprintf("agent %q, %s", p.agentID, line)
		}
		status := ""
		if p.status != 0 {
			status = strconv.Itoa(p.status)
		}
		reasons := slices.DeleteFunc([]string{status, p.code, p.message}, func(text string) bool { return text == "" })
		lines = append(lines, line+": "+strings.Join(reasons, ", "))
	}
	count := fmt.Sprintf("%d problems occurred:", len(lines))
	if len(lines) == 1 {
		count = "1 problem occurred:"
	}
	return count + "\n" + bullets(firstOf(lines, 5))
}
