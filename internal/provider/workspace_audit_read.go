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

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// workspaceAudit is one read of a whole workspace.
type workspaceAudit struct {
	model      *audit.Audit
	data       *providerData
	agents     []*auditedAgent // to audit
	operations []*agentOperation
	cancel     context.CancelFunc // ends all requests
	large      sync.Mutex         // held while a large definition is decoded

	// The goroutines that read share these under the lock. Otherwise, each of them
	// writes to its own agent.
	mu                   sync.Mutex
	failure              diag.Diagnostic // what ended the audit; or nil
	problems             []problem
	doneReads, wantReads int
}

// auditedAgent is an agent while it is read.
type auditedAgent struct {
	audit.Agent

	// refKey is the definition's ref.key, or "", and agentLinks can lead to other agents.
	refKey     string
	agentLinks map[flow.AgentLink]string
	// isContradictory reports that the list and the definition disagree about
	// is_published.
	isContradictory bool
}

// agentOperation is a kind of read, which is done for each agent.
type agentOperation struct {
	name   string
	period string // of statistics; "" for definitions

	// unavailableReads and silentReads (reads without a complete response) are in a
	// row, up to the last one.
	unavailableReads, silentReads int

	// equalFailures counts the reads from the start that failed like the first one. It
	// is -1 once a read had another outcome.
	equalFailures int
	firstFailure  problem

	// stopped is the failure for whose reason the operation stopped, after so many
	// reads, because it fails for all agents; or nil.
	stopped      *problem
	stoppedAfter string
}

func (o *agentOperation) readsStats() bool { return o.period != "" }

// stop ends the operation, unless it has stopped before.
func (o *agentOperation) stop(reason problem, after string) {
	if o.stopped == nil {
		o.stopped, o.stoppedAfter = &reason, after
	}
}

const (
	// auditFailed is the summary of an error that ends an audit.
	auditFailed = "Unable to audit workspace"

	// maxUnavailableReads is the number of reads in a row, of each operation, that
	// end an audit because the service was unavailable.
	maxUnavailableReads = 20

	// maxSilentReads is the number of reads in a row without a complete response that
	// stop an operation, because each attempt can take as long as the timeout.
	maxSilentReads = 20

	// maxEqualFailures is the number of first reads of an operation that, if all of
	// them fail for the same reason, stop the operation: it fails for all agents.
	maxEqualFailures = 50

	// largeDefinition is the number of bytes from which definitions are decoded one by one,
	// because decoding takes up to 100 times as much memory.
	largeDefinition = 1 << 20

	// progressReads is the number of reads between two messages about an audit's
	// progress, because Terraform shows none for data sources.
	progressReads = 100
)

// read reads everything and sets the computed attributes.
func (a *workspaceAudit) read(ctx context.Context) diag.Diagnostics {
	ctx, a.cancel = context.WithCancel(ctx)
	defer a.cancel()
	a.model.ReadAt = new(time.Now().UTC().Format(time.RFC3339Nano))
	list := a.readOverview(ctx)
	if a.failure == nil {
		a.selectAgents(list)
	}
	if a.failure == nil {
		a.readEachAgent(ctx)
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

// readOverview reads the workspace, its members and the list of agents concurrently.
// Of several failures, the first one in this order ends the audit, because a wrong
// workspace ID can make all of them fail.
func (a *workspaceAudit) readOverview(ctx context.Context) []agentSummary {
	var (
		client    = a.data.client
		workspace *convo.Workspace
		members   *convo.List[convo.Member]
		agents    *convo.List[convo.AgentSummary]
	)
	start := func(read func() error) <-chan error {
		outcome := make(chan error, 1)
		go func() { outcome <- read() }()
		return outcome
	}
	for _, read := range []struct {
		outcome  <-chan error
		messages operationMessages
	}{
		{start(func() (err error) {
			workspace, err = client.Workspace(ctx, a.model.WorkspaceID, nil)
			return err
		}), a.data.workspaceMessages("workspace", a.model.WorkspaceID)},
		{start(func() (err error) {
			members, err = client.Members(ctx, a.model.WorkspaceID)
			return err
		}), a.data.workspaceMessages("members", a.model.WorkspaceID)},
		{start(func() (err error) {
			agents, err = client.Agents(ctx, a.model.AgentQuery)
			return err
		}), a.data.agentsMessages("agent_query")},
	} {
		if err := <-read.outcome; err != nil {
			a.fail(read.messages.readError(err)) // The others end, too.
		}
	}
	if a.failure != nil {
		return nil
	}
	a.model.Workspace = (*audit.Workspace)(workspace)
	a.model.Members = sortedMembers(members.Elements)
	a.addMissingFields("", audit.ReadWorkspace, jsonvalue.Missing(workspace))
	a.addSignsOfMore(audit.ListMembers, members.SignsOfMore)
	a.addSignsOfMore(audit.ListAgents, agents.SignsOfMore)
	return sortedAgents(agents.Elements)
}

// selectAgents sets the agents to audit: those of the list that are in agent_ids,
// which must all be in the list. By default, these are all. A listed agent without
// a unique ID is a problem.
func (a *workspaceAudit) selectAgents(list []agentSummary) {
	listed, selected := map[string]bool{}, map[string]bool{}
	for _, id := range a.model.AgentIDs {
		selected[mapKey(id)] = true
	}
	for _, summary := range list {
		id := valueOf(summary.ID)
		if id == "" || listed[mapKey(id)] {
			a.problems = append(a.problems, newProblem(audit.NotRead, id, audit.ListAgents,
				"An element of the list has no ID, or the ID of an earlier one. This element is not audited."))
			continue
		}
		listed[mapKey(id)] = true
		if a.model.AgentIDs == nil || selected[mapKey(id)] {
			a.agents = append(a.agents, &auditedAgent{Agent: newAgent(summary, a.model.StatsPeriods)})
		}
	}
	var missing []string
	for _, id := range slices.Sorted(slices.Values(a.model.AgentIDs)) {
		if !listed[mapKey(id)] {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	if len(missing) > 0 {
		a.fail(diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
			"The service did not list these agents: %s. Check that the IDs are spelled correctly, that the token's owner has access to the agents, "+
				"and that agent_query selects the workspace of the agents and does not exclude them.", strings.Join(oneline.First(missing, 20), ", "))))
	}
}

// newAgent returns what the list says of an agent.
func newAgent(s agentSummary, periods []string) audit.Agent {
	agent := audit.Agent{
		ID: s.ID, Name: s.Name, URL: s.URL, PublicID: s.PublicID, IsPublished: s.IsPublished, PublishedAt: s.PublishedAt, DomainID: s.DomainID,
		Icon: s.Icon, Description: s.Description, Tags: s.Tags, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Stats: map[string]audit.Stats{},
	}
	for _, period := range periods {
		agent.Stats[period] = audit.Stats{}
	}
	return agent
}

// readEachAgent reads the definitions and statistics of as many agents at once as
// requests may be in flight.
func (a *workspaceAudit) readEachAgent(ctx context.Context) {
	if a.model.Definitions == nil || *a.model.Definitions {
		a.operations = append(a.operations, &agentOperation{name: audit.ReadAgent})
	}
	for _, period := range a.model.StatsPeriods {
		a.operations = append(a.operations, &agentOperation{name: audit.ReadStatsOf(period), period: period})
	}
	a.wantReads = len(a.agents) * len(a.operations)
	agents := make(chan *auditedAgent, len(a.agents))
	for _, agent := range a.agents {
		agents <- agent
	}
	close(agents)
	// Not a goroutine for each agent, because the stack of each new one has to grow.
	var group sync.WaitGroup
	for range a.data.client.MaxConcurrentRequests() {
		group.Go(func() {
			for agent := range agents {
				for _, operation := range a.operations {
					a.readAgent(ctx, agent, operation)
				}
			}
		})
	}
	group.Wait()
}

// readAgent reads the definition or the statistics of an agent, unless the audit
// has failed or the operation is stopped.
func (a *workspaceAudit) readAgent(ctx context.Context, agent *auditedAgent, operation *agentOperation) {
	a.mu.Lock()
	isSkipped := a.failure != nil || operation.stopped != nil
	a.mu.Unlock()
	if isSkipped {
		return
	}
	var missing []string
	var err error
	if operation.readsStats() {
		var stats *convo.AgentStats
		stats, err = a.data.client.AgentStats(ctx, *agent.ID, operation.period, nil)
		if err == nil {
			agent.Stats[operation.period] = audit.NewStats(stats.TotalViews, stats.TotalStarts, stats.TotalCompleted)
			missing = jsonvalue.Missing(stats)
		}
	} else {
		var response *convo.Response
		if response, err = a.data.client.Agent(ctx, *agent.ID, nil); err == nil {
			if len(response.Body) > largeDefinition {
				a.large.Lock()
				defer a.large.Unlock()
			}
			err = a.readDefinition(response, agent)
		}
		missing = missingBesideDefinition(agent.CurrentUserMode)
	}
	a.finish(ctx, agent, operation, missing, err)
}

// finish records the outcome of one read of an agent. A failure that concerns
// this agent is a problem, and others end the audit.
func (a *workspaceAudit) finish(ctx context.Context, agent *auditedAgent, operation *agentOperation, missing []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		// The user or the first failure canceled the reads. In the second case, fail
		// does nothing.
		a.fail(a.endedBy(agent, ".", err))
		return
	}
	a.doneReads++
	if a.doneReads%progressReads == 0 {
		tflog.Info(ctx, fmt.Sprintf("Auditing agents: %d of %d reads done", a.doneReads, a.wantReads))
	}
	if err == nil {
		operation.unavailableReads, operation.silentReads, operation.equalFailures = 0, 0, -1
		a.addMissingFields(*agent.ID, operation.name, missing)
		return
	}
	p := problemOf(err)
	p.AgentID, p.Operation = agent.ID, operation.name
	isUnpaid := valueOf(a.model.Workspace.IsSuspended) || valueOf(a.model.Workspace.IsPastDue)
	if isUnpaid && !operation.readsStats() && valueOf(p.Status) == http.StatusNotFound {
		p.Message = new(*p.Message + ". The workspace is past due or suspended, and some services then withhold the definitions of its agents.")
	}
	operation.countFailuresInARow(p)
	if operation.readsStats() && agent.hasNoStats(p) {
		return
	}
	operation.countEqualFailures(agent, p)
	if a.isOutage() {
		a.fail(a.endedBy(agent, ", because too many reads in a row failed. The last error was:", err))
		return
	}
	if operation.silentReads >= maxSilentReads {
		operation.stop(p, fmt.Sprintf("%d reads in a row", maxSilentReads))
	}
	a.problems = append(a.problems, p)
}

func (o *agentOperation) countFailuresInARow(p problem) {
	if !p.unavailable {
		o.unavailableReads, o.silentReads = 0, 0
		return
	}
	o.unavailableReads++
	if p.isSilent() {
		o.silentReads++
	} else {
		o.silentReads = 0
	}
}

// countEqualFailures stops the operation if all its first reads failed for one reason.
func (o *agentOperation) countEqualFailures(agent *auditedAgent, p problem) {
	// An agent that was never published has no statistics, but others may have some.
	mayHaveNoStats := o.readsStats() && valueOf(p.Status) == http.StatusNotFound && agent.IsPublished == nil
	switch {
	case o.equalFailures < 0:
	case mayHaveNoStats, o.equalFailures > 0 && !p.hasReasonOf(o.firstFailure):
		o.equalFailures = -1
	case o.equalFailures == 0:
		o.equalFailures, o.firstFailure = 1, p
	default:
		o.equalFailures++
	}
	if o.equalFailures >= maxEqualFailures {
		o.stop(o.firstFailure, fmt.Sprintf("The first %d reads all", maxEqualFailures))
	}
}

// isOutage reports whether, for every operation that is not stopped, the service
// was unavailable for the last maxUnavailableReads reads.
func (a *workspaceAudit) isOutage() bool {
	active := slices.DeleteFunc(slices.Clone(a.operations), func(o *agentOperation) bool { return o.stopped != nil })
	return len(active) > 0 && !slices.ContainsFunc(active, func(o *agentOperation) bool { return o.unavailableReads < maxUnavailableReads })
}

// hasNoStats reports whether a failed read of statistics means that there are
// none, as is the case for agents that were never published. The agent must
// exist: its definition could be read, or the list has it as unpublished. An error
// without a code may come from something other than the service.
func (agent *auditedAgent) hasNoStats(p problem) bool {
	exists := agent.DefinitionHash != nil || agent.IsPublished != nil
	return exists && !valueOf(agent.IsPublished) && valueOf(p.Status) == http.StatusNotFound && p.Code != nil && !p.unavailable
}

// endedBy returns the error that ends the audit after a read of an agent. ending
// ends its first sentence: "." or ", because ... :".
func (a *workspaceAudit) endedBy(agent *auditedAgent, ending string, err error) diag.Diagnostic {
	d := a.data.agentMessages("agent", *agent.ID).diagnostic(auditFailed, err)
	return diag.NewErrorDiagnostic(auditFailed, fmt.Sprintf(
		"The audit ended after %d of %d reads of individual agents%s\n\n%s", a.doneReads, a.wantReads, ending, d.Detail()))
}
