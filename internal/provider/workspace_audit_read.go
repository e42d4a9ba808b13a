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
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/sync/errgroup"
	"golang.org/x/text/unicode/norm"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// workspaceAudit is one read of a whole workspace.
type workspaceAudit struct {
	*providerData
	// The arguments. agentIDs is nil for all agents.
	workspaceID                string
	agentQuery                 map[string]string
	agentIDs, periods          []string
	definitions, graphFindings bool

	// definitionParts are read with definitionDecoder, of all agents.
	definitionParts   map[string]definitionAttribute
	definitionDecoder *jsonvalue.Decoder
	progressInterval  time.Duration

	workspace, members *result
	listed             int // elements of the list of agents, with those that cannot be audited
	agents             []*auditedAgent
	foreign            int // agents of another workspace, once all are read

	// The goroutines of the audit share these under the lock. Otherwise, each of
	// them writes to its own agent.
	mu                   sync.Mutex
	problems             []problem
	outage               outage
	operations           map[string]*operationFailures
	doneReads, wantReads int
}

// auditedAgent is one agent of the list.
type auditedAgent struct {
	// id is the ID as the service returns it; key is the same in the Unicode
	// normal form that Terraform uses for all strings.
	id, key string
	summary map[string]tftypes.Value
	// definition has the values that come from the definition. It is nil if that
	// was not read.
	definition map[string]tftypes.Value
	// listed and defined are the values of is_published in the list and in the
	// definition; nil if they are not known.
	listed, defined *bool
	findings        []flow.Finding
	// stats has the counters of each period; nil for those that were not read.
	stats []map[string]tftypes.Value
}

// Operations of problems.
const (
	readWorkspaceOperation = "read workspace"
	listMembersOperation   = "list members"
	listAgentsOperation    = "list agents"
	readAgentOperation     = "read agent"
	readStatsOperation     = "read agent statistics (%s)"
)

// auditFailed is the summary of an error that ends an audit.
const auditFailed = "Unable to audit workspace"

// read reads everything and returns the values of the computed attributes.
func (a *workspaceAudit) read(ctx context.Context) (map[string]tftypes.Value, diag.Diagnostics) {
	slices.Sort(a.periods)
	summaries, err := a.readWorkspace(ctx)
	if err != nil {
		return nil, diag.Diagnostics{a.failure(err)}
	}
	if err := a.addAgents(summaries); err != nil {
		return nil, diag.Diagnostics{a.failure(err)}
	}
	if missing := a.selectAgents(); len(missing) > 0 {
		return nil, diag.Diagnostics{missingAgentsError(missing)}
	}
	if err := a.readAgents(ctx); err != nil {
		return nil, diag.Diagnostics{a.failure(err)}
	}
	values, err := a.values(ctx)
	if err != nil {
		return nil, diag.Diagnostics{a.failure(err)}
	}
	return values, a.warnings()
}

// readWorkspace reads the workspace, its members and the list of agents
// concurrently, and returns the list.
func (a *workspaceAudit) readWorkspace(ctx context.Context) (summaries []tftypes.Value, err error) {
	var agents *result
	group, ctx := errgroup.WithContext(ctx)
	read := func(t target, result **result, read func() (*result, error)) {
		group.Go(func() (err error) {
			if *result, err = read(); err != nil {
				return &auditError{target: t, err: err}
			}
			return nil
		})
	}
	read(workspaceTarget("workspace", a.workspaceID), &a.workspace, func() (*result, error) {
		return readWorkspace(ctx, a.client, a.workspaceID, nil)
	})
	read(workspaceTarget("members", a.workspaceID), &a.members, func() (*result, error) {
		return readMembers(ctx, a.client, a.workspaceID)
	})
	read(agentsTarget("agent_query"), &agents, func() (*result, error) {
		return readAgents(ctx, a.client, a.agentQuery)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	a.addFlaws("", readWorkspaceOperation, a.workspace)
	a.addFlaws("", listMembersOperation, a.members)
	a.addFlaws("", listAgentsOperation, agents)
	return valueAt[[]tftypes.Value](agents.values["agents"])
}

// addAgents indexes the listed agents by ID. An agent without a unique ID is a
// problem.
func (a *workspaceAudit) addAgents(summaries []tftypes.Value) error {
	a.listed = len(summaries)
	seen := map[string]string{}
	for _, summary := range summaries {
		if summary.IsNull() {
			a.add(problem{kind: notRead, operation: listAgentsOperation, message: "An element of the list is null."})
			continue
		}
		attributes, err := valueAt[map[string]tftypes.Value](summary)
		if err != nil {
			return err
		}
		id, idErr := valueAt[string](attributes["id"])
		listed, listedErr := valueAt[*bool](attributes["is_published"])
		if err := errors.Join(idErr, listedErr); err != nil {
			return err
		}
		agent := &auditedAgent{
			id: id, key: norm.NFC.String(id), summary: attributes, listed: listed, stats: make([]map[string]tftypes.Value, len(a.periods)),
		}
		first, known := seen[agent.key]
		switch {
		case agent.id == "":
			a.add(problem{kind: notRead, operation: listAgentsOperation, message: "An agent in the list has no ID and is not audited."})
		case known && first == agent.id:
			a.add(problem{kind: contradiction, operation: listAgentsOperation, agentID: agent.key,
				message: "More than one agent in the list has this ID. Only the first is audited."})
		case known:
			a.add(problem{kind: contradiction, operation: listAgentsOperation, agentID: agent.key, message: fmt.Sprintf(
				"The IDs %+q and %+q differ in their Unicode normal form only, which Terraform does not preserve. Only the first agent is audited.", first, agent.id)})
		default:
			seen[agent.key] = agent.id
			a.agents = append(a.agents, agent)
		}
	}
	return nil
}

// selectAgents removes all agents except those in agentIDs and returns the IDs
// that are not in the list. It keeps all if agentIDs is nil, and none if it is
// empty, as a computed set can be.
func (a *workspaceAudit) selectAgents() (missing []string) {
	if a.agentIDs == nil {
		return nil
	}
	listed := map[string]*auditedAgent{}
	for _, agent := range a.agents {
		listed[agent.key] = agent
	}
	a.agents = nil
	for _, id := range slices.Sorted(slices.Values(a.agentIDs)) {
		if agent, ok := listed[norm.NFC.String(id)]; ok {
			a.agents = append(a.agents, agent)
		} else {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	return missing
}

func missingAgentsError(missing []string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
		"The service did not list these agents: %s. Check that the IDs are spelled correctly, that the token's user has access to the agents, "+
			"and that agent_query selects the workspace of the agents and does not exclude them.", strings.Join(firstOf(missing, 20), ", ")))
}

// readAgents reads definitions and statistics, of as many agents at once as
// requests may be in flight. It ends early if the service cannot be reached.
func (a *workspaceAudit) readAgents(ctx context.Context) (err error) {
	if a.definitionDecoder, err = newDefinitionDecoder(ctx, a.definitionParts); err != nil {
		return err
	}
	a.operations = map[string]*operationFailures{}
	if a.definitions {
		a.operations[readAgentOperation] = &operationFailures{}
	}
	for _, period := range a.periods {
		a.operations[fmt.Sprintf(readStatsOperation, period)] = &operationFailures{}
	}
	a.wantReads = len(a.agents) * len(a.operations)
	defer a.logProgress(ctx)()
	// Whether an operation is requested for the other agents depends on the first
	// ones, and not on which of them respond first.
	first := min(len(a.agents), maxFailures)
	for _, agents := range [][]*auditedAgent{a.agents[:first], a.agents[first:]} {
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(a.client.MaxConcurrentRequests())
		for _, agent := range agents {
			if groupCtx.Err() != nil {
				break
			}
			group.Go(func() error { return a.readAgent(groupCtx, agent) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return ctx.Err() // Agents that were never started have no error.
}

// readAgent reads the definition of an agent, then its statistics.
func (a *workspaceAudit) readAgent(ctx context.Context, agent *auditedAgent) error {
	if a.definitions && !a.skips(readAgentOperation) {
		err := a.readDefinition(ctx, agent)
		if err := a.finish(ctx, agent, readAgentOperation, err); err != nil {
			return err
		}
	}
	for i, period := range a.periods {
		operation := fmt.Sprintf(readStatsOperation, period)
		if a.skips(operation) {
			continue
		}
		stats, err := readAgentStats(ctx, a.client, agent.id, period, nil)
		if err == nil {
			agent.stats[i] = stats.values
			a.addFlaws(agent.key, operation, stats)
		}
		if err := a.finish(ctx, agent, operation, err); err != nil {
			return err
		}
	}
	return nil
}

// hasNoStatistics reports whether an error means that an agent has no
// statistics, as is the case for agents that were never published. The agent
// must exist: its definition could be read, or the list has it as unpublished.
// A 404 without a code may come from something other than the service.
func (agent *auditedAgent) hasNoStatistics(operation string, err error) bool {
	var response *convo.ResponseError
	if operation == readAgentOperation || !errors.As(err, &response) || response.Status != http.StatusNotFound || response.Code == "" {
		return false
	}
	return agent.definition != nil || agent.listed != nil && !*agent.listed
}

// finish records the outcome of one read of an agent. A failure that concerns
// this agent becomes a problem, and one that ends the audit is returned.
func (a *workspaceAudit) finish(ctx context.Context, agent *auditedAgent, operation string, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := a.operations[operation]
	ended := func(cause string) error {
		return &auditError{target: agentTarget(strings.TrimPrefix(operation, "read "), agent.id), err: err,
			note: fmt.Sprintf("The audit ended after %d of %d reads of individual agents%s", a.doneReads, a.wantReads, cause)}
	}
	if err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		return ended(".")
	}
	a.doneReads++
	if err == nil || agent.hasNoStatistics(operation, err) {
		a.outage = outage{responded: true}
		own.outage, own.differ = 0, true
		return nil
	}
	p, outcome := problemOf(err)
	switch {
	case outcome == fatal:
		return ended(".")
	case outcome == permanent:
		a.outage = outage{responded: true}
		// A 404 for statistics says nothing about other agents, because this one may
		// never have been published.
		own.failed(p, operation != readAgentOperation && p.status == http.StatusNotFound)
	case a.outage.failed():
		return ended(fmt.Sprintf(", because the last %d of them all failed. The last error was:", a.outage.failures))
	case own.unavailable():
		return ended(fmt.Sprintf(", because the last %d of the operation %q all failed. The last error was:", maxFailures, operation))
	}
	p.agentID, p.operation = agent.key, operation
	a.problems = append(a.problems, p)
	return nil
}

// failure turns the error that ended the audit into a diagnostic.
func (a *workspaceAudit) failure(err error) diag.Diagnostic {
	var failed *auditError
	switch {
	case !errors.As(err, &failed):
		return target{noun: "workspace audit"}.diagnostic(auditFailed, err)
	case failed.note == "":
		return failed.target.readError(failed.err)
	}
	d := failed.target.diagnostic(auditFailed, failed.err)
	return diag.NewErrorDiagnostic(auditFailed, failed.note+"\n\n"+d.Detail())
}

// auditError is a failure that ends the audit.
type auditError struct {
	target target
	err    error
	// note says how far the audit came; "" for the reads before those of agents.
	note string
}

func (e *auditError) Error() string { return e.err.Error() }
func (e *auditError) Unwrap() error { return e.err }
