// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// workspaceAudit is one read of a whole workspace.
type workspaceAudit struct {
	auditModel

	client     *convo.Client
	agents     []*auditedAgent
	operations []*agentOperation
	cancel     context.CancelFunc // ends all requests

	// The goroutines that read share these under the lock. Otherwise, each of them
	// writes to its own agent.
	mu                   sync.Mutex
	failure              diag.Diagnostic // what ended the audit; or nil
	problems             []problem
	doneReads, wantReads int
	startedAt, loggedAt  time.Time
}

// agentOperation is a read of each agent.
type agentOperation struct {
	name   string
	period string // of statistics; "" for definitions

	temporaryFailures int // in a row
	// Of the first reads, those that failed for the same reason. hasVaried reports
	// that a read had another outcome since.
	equalFailures int
	firstFailure  problem
	hasVaried     bool
}

const (
	readAgentOperation  = "read agent"
	listAgentsOperation = "list agents"

	// auditFailed is the summary of an error that ends an audit.
	auditFailed = "Unable to audit workspace"

	// maxTemporaryFailures is the number of temporary failures in a row, of each
	// operation, that end an audit: the service is not available.
	maxTemporaryFailures = 20

	// maxEqualFailures is the number of first reads of an operation that, if all of
	// them fail for the same reason, stop the operation: it fails for all agents.
	maxEqualFailures = 50

	// progressInterval is the time between two messages about an audit's progress,
	// because Terraform shows none for data sources.
	progressInterval = 10 * time.Second
)

// read reads everything and sets the computed attributes.
func (a *workspaceAudit) read(ctx context.Context) diag.Diagnostics {
	ctx, a.cancel = context.WithCancel(ctx)
	defer a.cancel()
	agents := a.readWorkspace(ctx)
	if a.failure == nil {
		a.selectAgents(agents)
	}
	if a.failure == nil {
		a.readAgents(ctx)
	}
	if a.failure != nil {
		return diag.Diagnostics{a.failure}
	}
	a.complete()
	return a.warnings()
}

// fail ends the audit with an error, unless it has failed before.
func (a *workspaceAudit) fail(d diag.Diagnostic) {
	if a.failure == nil {
		a.failure = d
		a.cancel()
	}
}

// readWorkspace reads the workspace, its members and the list of agents
// concurrently. The first failure cancels the other requests.
func (a *workspaceAudit) readWorkspace(ctx context.Context) []agentSummary {
	var agents []agentSummary
	var group sync.WaitGroup
	read := func(operation string, t target, read func() (deviations, error)) {
		group.Go(func() {
			found, err := read()
			a.mu.Lock()
			defer a.mu.Unlock()
			if err != nil {
				a.fail(t.readError(err))
			}
			a.addDeviations("", operation, found)
		})
	}
	read("read workspace", workspaceTarget("workspace", a.WorkspaceID), func() (found deviations, err error) {
		a.Workspace, found, err = readWorkspace(ctx, a.client, a.WorkspaceID, nil)
		return found, err
	})
	read("list members", workspaceTarget("members", a.WorkspaceID), func() (found deviations, err error) {
		a.Members, found, err = readMembers(ctx, a.client, a.WorkspaceID)
		return found, err
	})
	read(listAgentsOperation, agentsTarget("agent_query"), func() (found deviations, err error) {
		agents, found, err = readAgents(ctx, a.client, a.AgentQuery)
		return found, err
	})
	group.Wait()
	return agents
}

// selectAgents sets the agents to audit: those of the list that are in agent_ids,
// which must all be in the list. By default, these are all. A listed agent without
// a unique ID is a problem.
func (a *workspaceAudit) selectAgents(list []agentSummary) {
	listed := map[string]*auditedAgent{}
	for _, summary := range list {
		id := valueOf(summary.ID)
		if id == "" || listed[mapKey(id)] != nil {
			a.problems = append(a.problems, problem{kind: notRead, agentID: id, operation: listAgentsOperation,
				message: "An element of the list has no ID, or the ID of an earlier one. This element is not audited."})
			continue
		}
		agent := &auditedAgent{agentSummary: summary, publishedInList: summary.IsPublished, Stats: map[string]agentStats{}}
		for _, period := range a.StatsPeriods {
			agent.Stats[period] = agentStats{}
		}
		listed[mapKey(id)] = agent
		a.agents = append(a.agents, agent)
	}
	if a.AgentIDs == nil {
		return
	}
	selected := map[*auditedAgent]bool{}
	var missing []string
	for _, id := range a.AgentIDs {
		if agent := listed[mapKey(id)]; agent != nil {
			selected[agent] = true
		} else {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	a.agents = slices.DeleteFunc(a.agents, func(agent *auditedAgent) bool { return !selected[agent] })
	if len(missing) > 0 {
		slices.Sort(missing)
		a.fail(diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
			"The service did not list these agents: %s. Check that the IDs are spelled correctly, that the token's owner has access to the agents, "+
				"and that agent_query selects the workspace of the agents and does not exclude them.", strings.Join(firstOf(missing, 20), ", "))))
	}
}

// readAgents reads the definitions and statistics of as many agents at once as
// requests may be in flight.
func (a *workspaceAudit) readAgents(ctx context.Context) {
	if a.Definitions == nil || *a.Definitions {
		a.operations = append(a.operations, &agentOperation{name: readAgentOperation})
	}
	for _, period := range a.StatsPeriods {
		a.operations = append(a.operations, &agentOperation{name: fmt.Sprintf("read agent statistics (%s)", period), period: period})
	}
	a.wantReads = len(a.agents) * len(a.operations)
	a.startedAt = time.Now()
	a.loggedAt = a.startedAt
	var group errgroup.Group // Failures are in a.
	group.SetLimit(a.client.MaxConcurrentRequests())
	for _, agent := range a.agents {
		group.Go(func() error {
			for _, operation := range a.operations {
				a.readAgent(ctx, agent, operation)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// readAgent reads the definition or the statistics of an agent, unless the audit
// has failed or the operation is stopped.
func (a *workspaceAudit) readAgent(ctx context.Context, agent *auditedAgent, operation *agentOperation) {
	if !a.begin(operation) {
		return
	}
	var found deviations
	var err error
	if operation.period == "" {
		found, err = a.readDefinition(ctx, agent)
	} else {
		var stats *agentStats
		stats, found, err = readAgentStats(ctx, a.client, *agent.ID, operation.period, nil)
		if err == nil {
			agent.Stats[operation.period] = *stats
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finish(ctx, agent, operation, found, err)
}

// begin reports whether a read of the operation can begin. One of a stopped operation
// does not count as wanted anymore.
func (a *workspaceAudit) begin(operation *agentOperation) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if operation.isStopped() {
		a.wantReads--
	}
	return a.failure == nil && !operation.isStopped()
}

// isStopped reports whether the operation fails for all agents.
func (o *agentOperation) isStopped() bool { return o.equalFailures >= maxEqualFailures }

// finish records the outcome of one read of an agent. A failure that concerns
// this agent is a problem, and others end the audit.
func (a *workspaceAudit) finish(ctx context.Context, agent *auditedAgent, operation *agentOperation, found deviations, err error) {
	if err != nil && ctx.Err() != nil {
		a.fail(a.endedBy(agent, ".", err))
		return
	}
	a.doneReads++
	a.logProgress(ctx)
	if err == nil {
		operation.temporaryFailures = 0
		operation.hasVaried = true
		a.addDeviations(*agent.ID, operation.name, found)
		return
	}
	p := problemOf(err)
	p.agentID, p.operation = *agent.ID, operation.name
	if state := a.unpaidState(); state != "" && operation.period == "" && p.status == http.StatusNotFound {
		p.message += fmt.Sprintf(". The workspace is %s, and some services then withhold the definitions of its agents.", state)
	}
	operation.count(p)
	switch {
	case p.status == http.StatusUnauthorized:
		a.fail(a.endedBy(agent, ".", err))
	case a.isOutage():
		a.fail(a.endedBy(agent, ", because too many reads in a row failed. The last error was:", err))
	case operation.period == "" || !agent.hasNoStats(p):
		a.problems = append(a.problems, p)
	}
}

// count counts a failure. A 404 for statistics says nothing about other agents,
// because these may never have been published.
func (o *agentOperation) count(p problem) {
	if p.temporary {
		o.temporaryFailures++
	} else {
		o.temporaryFailures = 0
	}
	if o.equalFailures == 0 {
		o.firstFailure = p
	}
	if !p.hasReasonOf(o.firstFailure) || o.period != "" && p.status == http.StatusNotFound {
		o.hasVaried = true
	}
	if !o.hasVaried {
		o.equalFailures++
	}
}

// isOutage reports whether the last reads of each operation failed temporarily.
func (a *workspaceAudit) isOutage() bool {
	isOutage := false
	for _, operation := range a.operations {
		if operation.isStopped() {
			continue
		}
		if operation.temporaryFailures < maxTemporaryFailures {
			return false
		}
		isOutage = true
	}
	return isOutage
}

// hasNoStats reports whether a failed read of statistics means that there are
// none, as is the case for agents that were never published. The agent must
// exist: its definition could be read, or the list has it as unpublished. A 404
// without a code may come from something other than the service.
func (agent *auditedAgent) hasNoStats(p problem) bool {
	exists := agent.DefinitionHash != nil || agent.IsPublished != nil
	isPublished := valueOf(agent.IsPublished)
	return exists && !isPublished && p.status == http.StatusNotFound && p.code != ""
}

// endedBy returns the error that ends the audit after a read of an agent.
func (a *workspaceAudit) endedBy(agent *auditedAgent, cause string, err error) diag.Diagnostic {
	d := agentTarget("agent", *agent.ID).diagnostic(auditFailed, err)
	return diag.NewErrorDiagnostic(auditFailed, fmt.Sprintf(
		"The audit ended after %d of %d reads of individual agents%s\n\n%s", a.doneReads, a.wantReads, cause, d.Detail()))
}

// logProgress logs the progress of the audit, at most once every ten seconds.
func (a *workspaceAudit) logProgress(ctx context.Context) {
	if time.Since(a.loggedAt) < progressInterval {
		return
	}
	a.loggedAt = time.Now()
	elapsed := a.loggedAt.Sub(a.startedAt)
	left := elapsed / time.Duration(a.doneReads) * time.Duration(a.wantReads-a.doneReads)
	tflog.Info(ctx, fmt.Sprintf("Auditing agents: %d of %d reads done in %s, time left: %s",
		a.doneReads, a.wantReads, elapsed.Round(time.Second), left.Round(time.Second)))
}
