// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
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

	// The goroutines that read share these under the lock. Otherwise, each of them
	// writes to its own agent.
	mu                   sync.Mutex
	failure              diag.Diagnostic // what ended the audit; or nil
	problems             []problem
	doneReads, wantReads int
	bytes                int // of the values of agents with large definitions
	startedAt, loggedAt  time.Time
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

	unavailableReads int // in a row, up to the last one

	// silentAgents are those whose reads had no complete response, in a row, up to the
	// last one, and allSilentReads counts all such reads.
	silentAgents   []string
	allSilentReads int

	// equalFailures counts the reads that failed like the first one. It no longer
	// grows once a read had another outcome (outcomesDiffer). At maxEqualFailures, the
	// operation stops.
	equalFailures  int
	firstFailure   problem
	outcomesDiffer bool

	// silence is the failure after which the operation stopped because too many reads
	// in a row had no complete response; or nil.
	silence *problem
}

func (o *agentOperation) readsStats() bool { return o.period != "" }

// isStopped reports whether the operation fails for all agents.
func (o *agentOperation) isStopped() bool {
	return o.equalFailures >= maxEqualFailures || o.silence != nil
}

const (
	// auditFailed is the summary of an error that ends an audit.
	auditFailed = "Unable to audit workspace"

	// maxUnavailableReads is the number of reads in a row, of each operation, that
	// end an audit because the service was unavailable.
	maxUnavailableReads = 20

	// maxSilentReads is the number of reads of an operation without a complete response
	// that, if they are in a row, stop the operation. After this number in total, such
	// reads are not retried, because each attempt can take as long as the timeout.
	maxSilentReads = 20

	// maxEqualFailures is the number of first reads of an operation that, if all of
	// them fail for the same reason, stop the operation: it fails for all agents.
	maxEqualFailures = 50

	// overviewGrace is the time for which the workspace, the members, and the list of
	// agents are still read after one of them failed.
	overviewGrace = 3 * time.Second

	// progressInterval is the time between two messages about an audit's progress,
	// because Terraform shows none for data sources.
	progressInterval = 10 * time.Second
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
// Of several failures, the first one in this order is reported, because a wrong
// workspace ID can make all of them fail.
func (a *workspaceAudit) readOverview(ctx context.Context) []agentSummary {
	var list []agentSummary
	var group sync.WaitGroup
	failures := make([]diag.Diagnostic, 4) // The last one is of a read that was canceled, and had not failed before.
	finish := func(position int, operation string, m operationMessages, c caveats, err error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.addCaveats("", operation, c)
		transport, isTransport := errors.AsType[*convo.TransportError](err)
		hasFailed := isTransport && transport.Reason != convo.ReasonCanceled
		switch {
		case err == nil:
		case ctx.Err() != nil && !hasFailed:
			failures[3] = m.readError(err)
		default:
			failures[position] = m.readError(err)
			time.AfterFunc(overviewGrace, a.cancel)
		}
	}
	group.Go(func() {
		result, err := a.data.client.Workspace(ctx, a.model.WorkspaceID, nil)
		a.model.Workspace = (*audit.Workspace)(result)
		finish(0, audit.ReadWorkspace, a.data.workspaceMessages("workspace", a.model.WorkspaceID), caveats{missing: jsonvalue.Missing(result)}, err)
	})
	group.Go(func() {
		members, err := a.data.client.Members(ctx, a.model.WorkspaceID)
		a.model.Members = sortedMembers(members.Elements)
		finish(1, audit.ListMembers, a.data.workspaceMessages("members", a.model.WorkspaceID), caveats{signsOfMore: members.SignsOfMore}, err)
	})
	group.Go(func() {
		agents, err := a.data.client.Agents(ctx, a.model.AgentQuery)
		list = sortedAgents(agents.Elements)
		finish(2, audit.ListAgents, a.data.agentsMessages("agent_query"), caveats{signsOfMore: agents.SignsOfMore}, err)
	})
	group.Wait()
	for _, failure := range failures {
		if failure != nil {
			a.fail(failure)
		}
	}
	return list
}

// selectAgents sets the agents to audit: those of the list that are in agent_ids,
// which must all be in the list. By default, these are all. A listed agent without
// a unique ID is a problem.
func (a *workspaceAudit) selectAgents(list []agentSummary) {
	listed := map[string]*auditedAgent{}
	for _, summary := range list {
		id := valueOf(summary.ID)
		if id == "" || listed[mapKey(id)] != nil {
			a.problems = append(a.problems, newProblem(audit.NotRead, id, audit.ListAgents,
				"An element of the list has no ID, or the ID of an earlier one. This element is not audited."))
			continue
		}
		agent := &auditedAgent{Agent: newAgent(summary)}
		for _, period := range a.model.StatsPeriods {
			agent.Stats[period] = audit.Stats{}
		}
		listed[mapKey(id)] = agent
		a.agents = append(a.agents, agent)
	}
	if a.model.AgentIDs == nil {
		return
	}
	selected := map[*auditedAgent]bool{}
	var missing []string
	for _, id := range a.model.AgentIDs {
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
				"and that agent_query selects the workspace of the agents and does not exclude them.", strings.Join(oneline.First(missing, 20), ", "))))
	}
}

// newAgent returns what the list says of an agent.
func newAgent(s agentSummary) audit.Agent {
	return audit.Agent{
		RecordedAgent: audit.RecordedAgent{Name: s.Name, URL: s.URL, PublicID: s.PublicID, IsPublished: s.IsPublished, PublishedAt: s.PublishedAt, DomainID: s.DomainID},
		ID:            s.ID, Icon: s.Icon, Description: s.Description, Tags: s.Tags, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Stats: map[string]audit.Stats{},
	}
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
	a.startedAt = time.Now()
	a.loggedAt = a.startedAt
	var group errgroup.Group // Failures are in a.
	group.SetLimit(a.data.client.MaxConcurrentRequests())
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
	ctx, ok := a.begin(ctx, operation)
	if !ok {
		return
	}
	if operation.readsStats() {
		stats, err := a.data.client.AgentStats(ctx, *agent.ID, operation.period, nil)
		if err == nil {
			agent.Stats[operation.period] = audit.NewStats(stats.TotalViews, stats.TotalStarts, stats.TotalCompleted)
		}
		a.finish(ctx, agent, operation, caveats{missing: jsonvalue.Missing(stats)}, err)
	} else {
		var c caveats
		err := a.data.client.Agent(ctx, *agent.ID, nil, func(response *convo.Response) (err error) {
			c, err = a.readDefinition(response, agent)
			return err
		})
		a.finish(ctx, agent, operation, c, err)
	}
}

// begin returns the context for a read. It reports false if the read is skipped. A read
// that is skipped because its operation stopped no longer counts in wantReads.
func (a *workspaceAudit) begin(ctx context.Context, operation *agentOperation) (context.Context, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case operation.isStopped():
		a.wantReads--
		return nil, false
	case a.failure != nil:
		return nil, false
	case operation.allSilentReads >= maxSilentReads:
		return convo.WithoutLostRetries(ctx), true
	}
	return ctx, true
}

// finish records the outcome of one read of an agent. A failure that concerns
// this agent is a problem, and others end the audit.
func (a *workspaceAudit) finish(ctx context.Context, agent *auditedAgent, operation *agentOperation, c caveats, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		// The user or the first failure canceled the reads. In the second case, fail
		// does nothing.
		a.fail(a.endedBy(agent, ".", err))
		return
	}
	a.doneReads++
	var p problem
	if err != nil {
		p = problemOf(err)
	}
	switch {
	case p.isSilent():
		operation.silentAgents = append(operation.silentAgents, *agent.ID)
		operation.allSilentReads++
	case operation.silence == nil:
		operation.silentAgents = nil
	}
	a.logProgress(ctx)
	if err == nil {
		operation.unavailableReads = 0
		operation.outcomesDiffer = true
		a.addCaveats(*agent.ID, operation.name, c)
		return
	}
	p.AgentID, p.Operation = agent.ID, operation.name
	if state := a.unpaidState(); state != "" && !operation.readsStats() && valueOf(p.Status) == http.StatusNotFound {
		p.Message = new(*p.Message + fmt.Sprintf(". The workspace is %s, and some services then withhold the definitions of its agents.", state))
	}
	if operation.readsStats() && agent.hasNoStats(p) {
		operation.unavailableReads = 0
		return
	}
	operation.recordFailure(agent, p)
	if a.isOutage() {
		a.fail(a.endedBy(agent, ", because too many reads in a row failed. The last error was:", err))
		return
	}
	if len(operation.silentAgents) >= maxSilentReads && !operation.isStopped() {
		operation.silence = &p
	}
	a.problems = append(a.problems, p)
}

// recordFailure counts a failed read of an agent.
func (o *agentOperation) recordFailure(agent *auditedAgent, p problem) {
	if p.unavailable {
		o.unavailableReads++
	} else {
		o.unavailableReads = 0
	}
	if o.equalFailures == 0 {
		o.firstFailure = p
	}
	// An agent that was never published has no statistics, but others may have some.
	mayHaveNoStats := o.readsStats() && valueOf(p.Status) == http.StatusNotFound && agent.IsPublished == nil
	if mayHaveNoStats || !p.hasReasonOf(o.firstFailure) {
		o.outcomesDiffer = true
	}
	if !o.outcomesDiffer {
		o.equalFailures++
	}
}

// isOutage reports whether, for every operation that is not stopped, the service
// was unavailable for the last maxUnavailableReads reads.
func (a *workspaceAudit) isOutage() bool {
	isOutage := false
	for _, operation := range a.operations {
		if operation.isStopped() {
			continue
		}
		if operation.unavailableReads < maxUnavailableReads {
			return false
		}
		isOutage = true
	}
	return isOutage
}

// hasNoStats reports whether a failed read of statistics means that there are
// none, as is the case for agents that were never published. The agent must
// exist: its definition could be read, or the list has it as unpublished. An error
// without a code may come from something other than the service.
func (agent *auditedAgent) hasNoStats(p problem) bool {
	statuses := []int{http.StatusNotFound}
	if agent.IsPublished != nil { // It is a draft, for which services refuse statistics in different ways.
		statuses = append(statuses, http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity)
	}
	exists := agent.DefinitionHash != nil || agent.IsPublished != nil
	return exists && !valueOf(agent.IsPublished) && slices.Contains(statuses, valueOf(p.Status)) && p.Code != nil && !p.unavailable
}

// endedBy returns the error that ends the audit after a read of an agent. ending
// ends its first sentence: "." or ", because ... :".
func (a *workspaceAudit) endedBy(agent *auditedAgent, ending string, err error) diag.Diagnostic {
	d := a.data.agentMessages("agent", *agent.ID).diagnostic(auditFailed, err)
	return diag.NewErrorDiagnostic(auditFailed, fmt.Sprintf(
		"The audit ended after %d of %d reads of individual agents%s\n\n%s", a.doneReads, a.wantReads, ending, d.Detail()))
}

// logProgress logs the progress of the audit, at most once every ten seconds.
func (a *workspaceAudit) logProgress(ctx context.Context) {
	if time.Since(a.loggedAt) < progressInterval {
		return
	}
	a.loggedAt = time.Now()
	elapsed := a.loggedAt.Sub(a.startedAt)
	silent := 0
	for _, operation := range a.operations {
		silent += operation.allSilentReads
	}
	left := elapsed / time.Duration(a.doneReads) * time.Duration(a.wantReads-a.doneReads)
	message := fmt.Sprintf("Auditing agents: %d of %d reads done in %s", a.doneReads, a.wantReads, elapsed.Round(time.Second))
	if silent > 0 {
		message += fmt.Sprintf(", %d without a complete response", silent)
	}
	tflog.Info(ctx, fmt.Sprintf("%s, time left: %s", message, left.Round(time.Second)))
}
