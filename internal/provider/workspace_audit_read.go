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
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// workspaceAudit is one read of a whole workspace.
type workspaceAudit struct {
	client *convo.Client
	// The arguments. agentIDs is nil for all agents.
	workspaceID                           string
	agentQuery                            map[string]string
	agentIDs, periods                     []string
	definitions, graphFindings, variables types.Bool

	workspace, members *result
	agents             []*auditedAgent
	foreign            *int // number of agents of another workspace, once all are read; nil if it is not known

	definitionParts   map[string]definitionAttribute
	definitionDecoder *jsonvalue.Decoder
	operations        []*agentOperation

	// The goroutines that read agents share these under the lock. Otherwise, each of
	// them writes to its own agent.
	mu                   sync.Mutex
	problems             []problem
	doneReads, wantReads int
	startedAt, loggedAt  time.Time
}

// auditedAgent is one agent of the list.
type auditedAgent struct {
	id string
	// summary and definition are values of the list and of the definition, which is
	// nil if it was not read.
	summary, definition map[string]tftypes.Value
	findings            []flow.Finding
	stats               map[string]map[string]tftypes.Value // by period
	// The values of is_published in the list and in the definition, and other values
	// of the definition. nil and "" mean that it is not known.
	publishedInList, publishedInDefinition, archived, locked *bool
	workspaceRef                                             string
}

// agentOperation is a read of each agent.
type agentOperation struct {
	name     string
	period   string // of statistics; "" for definitions
	failures int    // temporary ones in a row
}

const (
	readAgentOperation  = "read agent"
	listAgentsOperation = "list agents"

	// auditFailed is the summary of an error that ends an audit.
	auditFailed = "Unable to audit workspace"

	// maxFailures is the number of temporary failures in a row after which an audit
	// ends, because each takes several attempts and much time. Only other outcomes of
	// the same operation interrupt the row. It is also the number of first agents for
	// which an operation must fail in the same way to be stopped.
	maxFailures = 50

	// maxFirstFailures ends an audit sooner if no read had another outcome before.
	maxFirstFailures = 10

	// progressInterval is the time between two messages about an audit's progress,
	// because Terraform shows none for data sources.
	progressInterval = 10 * time.Second
)

// diagnosticError is an error that is a diagnostic already.
type diagnosticError struct{ diag.Diagnostic }

func (e diagnosticError) Error() string { return e.Detail() }

// diagnosticOf turns the error that ended the audit into a diagnostic.
func (a *workspaceAudit) diagnosticOf(err error) diag.Diagnostic {
	var d diagnosticError
	if errors.As(err, &d) {
		return d.Diagnostic
	}
	return target{noun: "workspace audit"}.diagnostic(auditFailed, err)
}

// read reads everything and returns the values of the computed attributes.
func (a *workspaceAudit) read(ctx context.Context) (map[string]tftypes.Value, error) {
	if err := a.readWorkspace(ctx); err != nil {
		return nil, err
	}
	if err := a.readAgents(ctx); err != nil {
		return nil, err
	}
	return a.values(ctx)
}

// readWorkspace reads the workspace, its members and the list of agents
// concurrently. If several of them fail, the error is always the same.
func (a *workspaceAudit) readWorkspace(ctx context.Context) error {
	var agents *result
	var workspaceErr, membersErr, agentsErr error
	var group sync.WaitGroup
	group.Go(func() { a.workspace, workspaceErr = readWorkspace(ctx, a.client, a.workspaceID, nil) })
	group.Go(func() { a.members, membersErr = readMembers(ctx, a.client, a.workspaceID) })
	group.Go(func() { agents, agentsErr = readAgents(ctx, a.client, a.agentQuery) })
	group.Wait()
	switch {
	case workspaceErr != nil:
		return diagnosticError{workspaceTarget("workspace", a.workspaceID).readError(workspaceErr)}
	case membersErr != nil:
		return diagnosticError{workspaceTarget("members", a.workspaceID).readError(membersErr)}
	case agentsErr != nil:
		return diagnosticError{agentsTarget("agent_query").readError(agentsErr)}
	}
	a.addFlaws("", "read workspace", a.workspace)
	a.addFlaws("", "list members", a.members)
	a.addFlaws("", listAgentsOperation, agents)
	listed, err := a.addAgents(agents.values["agents"])
	if err != nil {
		return err
	}
	return a.selectAgents(listed)
}

// addAgents adds the agents of the list, and returns them by ID. An agent without
// a unique ID is a problem.
func (a *workspaceAudit) addAgents(list tftypes.Value) (map[string]*auditedAgent, error) {
	listed := map[string]*auditedAgent{}
	summaries, err := valueAt[[]tftypes.Value](list)
	for _, summary := range summaries {
		agent := &auditedAgent{stats: map[string]map[string]tftypes.Value{}}
		var valuesErr error
		agent.summary, valuesErr = valueAt[map[string]tftypes.Value](summary)
		err = errors.Join(err, valuesErr, agent.summary["id"].As(&agent.id), agent.summary["is_published"].As(&agent.publishedInList))
		if agent.id == "" || listed[agent.id] != nil {
			a.problems = append(a.problems, problem{kind: notRead, agentID: agent.id, operation: listAgentsOperation,
				message: "An element of the list has no ID, or the ID of an earlier one. This element is not audited."})
			continue
		}
		listed[agent.id] = agent
		a.agents = append(a.agents, agent)
	}
	return listed, err
}

// selectAgents removes all agents except those in agentIDs, which must be listed.
// An empty set, as a computed one can be, selects none.
func (a *workspaceAudit) selectAgents(listed map[string]*auditedAgent) error {
	if a.agentIDs == nil {
		return nil
	}
	a.agents = nil
	var missing []string
	for _, id := range slices.Sorted(slices.Values(a.agentIDs)) {
		if listed[id] == nil {
			missing = append(missing, fmt.Sprintf("%q", id))
			continue
		}
		a.agents = append(a.agents, listed[id])
	}
	if len(missing) > 0 {
		return diagnosticError{diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
			"The service did not list these agents: %s. Check that the IDs are spelled correctly, that the token's user has access to the agents, "+
				"and that agent_query selects the workspace of the agents and does not exclude them.", strings.Join(firstOf(missing, 20), ", ")))}
	}
	return nil
}

// readAgents reads the definitions and statistics of the agents. It ends early if
// the service cannot be reached.
func (a *workspaceAudit) readAgents(ctx context.Context) (err error) {
	a.definitionParts = definitionAttributes()
	if !a.variables.ValueBool() {
		delete(a.definitionParts, "variables")
	}
	if a.definitionDecoder, err = newDefinitionDecoder(ctx, a.definitionParts); err != nil {
		return err
	}
	if a.definitions.IsNull() || a.definitions.ValueBool() {
		a.operations = append(a.operations, &agentOperation{name: readAgentOperation})
	}
	for _, period := range a.periods {
		a.operations = append(a.operations, &agentOperation{name: fmt.Sprintf("read agent statistics (%s)", period), period: period})
	}
	a.wantReads = len(a.agents) * len(a.operations)
	a.startedAt = time.Now()
	a.loggedAt = a.startedAt
	// Whether an operation is stopped depends on the first agents of the list, and
	// not on which agents respond first.
	first := a.agents[:min(len(a.agents), maxFailures)]
	others := a.agents[len(first):]
	if err := a.readEach(ctx, first); err != nil || len(others) == 0 {
		return err
	}
	a.stopOperations(len(others))
	return a.readEach(ctx, others)
}

// readEach reads as many agents at once as requests may be in flight.
func (a *workspaceAudit) readEach(ctx context.Context, agents []*auditedAgent) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.client.MaxConcurrentRequests())
	for _, agent := range agents {
		group.Go(func() error { return a.readAgent(ctx, agent) })
	}
	return group.Wait()
}

func (a *workspaceAudit) readAgent(ctx context.Context, agent *auditedAgent) error {
	for _, operation := range a.operations {
		var r *result
		var err error
		if operation.period == "" {
			r, err = a.readDefinition(ctx, agent)
		} else if r, err = readAgentStats(ctx, a.client, agent.id, operation.period, nil); err == nil {
			agent.stats[operation.period] = r.values
		}
		if err := a.finish(ctx, agent, operation, r, err); err != nil {
			return err
		}
	}
	return nil
}

// finish records the outcome of one read of an agent. A failure that concerns
// this agent becomes a problem, and one that ends the audit is returned.
func (a *workspaceAudit) finish(ctx context.Context, agent *auditedAgent, operation *agentOperation, r *result, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return a.ended(agent, ".", err)
	}
	a.doneReads++
	a.logProgress(ctx)
	if err == nil {
		operation.failures = 0
		a.addFlaws(agent.id, operation.name, r)
		return nil
	}
	p := problemOf(err)
	if p.temporary {
		operation.failures++
	} else {
		operation.failures = 0
	}
	failures := 0
	for _, o := range a.operations {
		failures += o.failures
	}
	switch {
	case p.status == http.StatusUnauthorized:
		return a.ended(agent, ".", err)
	case failures == maxFailures, failures == maxFirstFailures && a.doneReads == failures:
		return a.ended(agent, ", because too many reads in a row failed. The last error was:", err)
	case operation.period == "" || !agent.hasNoStats(p):
		p.agentID, p.operation = agent.id, operation.name
		a.problems = append(a.problems, p)
	}
	return nil
}

// hasNoStats reports whether a failed read of statistics means that there are
// none, as is the case for agents that were never published. The agent must
// exist: its definition could be read, or the list has it as unpublished. A 404
// without a code may come from something other than the service.
func (agent *auditedAgent) hasNoStats(p problem) bool {
	exists := agent.definition != nil || agent.publishedInList != nil && !*agent.publishedInList
	return exists && p.status == http.StatusNotFound && p.code != ""
}

// ended returns the error that ends the audit after a read of an agent.
func (a *workspaceAudit) ended(agent *auditedAgent, cause string, err error) error {
	d := agentTarget("agent", agent.id).diagnostic(auditFailed, err)
	return diagnosticError{diag.NewErrorDiagnostic(auditFailed, fmt.Sprintf(
		"The audit ended after %d of %d reads of individual agents%s\n\n%s", a.doneReads, a.wantReads, cause, d.Detail()))}
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
