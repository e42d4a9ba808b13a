// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package collect reads a workspace into an audit, with as many requests at once as the
// client permits. It knows nothing about Terraform. A read is one request with its
// retries, a series has a read of the same kind for each agent, and a problem is
// what an audit says about a read that failed, or about values that contradict each other.
package collect

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// progressReads is the number of reads between two reports of the progress.
const progressReads = 100

// Error is the reason why there is no audit.
type Error struct {
	// Operation is the read that failed, by its name in package audit.
	Operation string
	// AgentID is "" if the read did not concern a single agent.
	AgentID string
	// Done and Total are the numbers of reads of single agents.
	Done, Total int
	// IsOutage reports that too many reads in a row failed, and that this is the last one.
	IsOutage bool
	// Unlisted are the IDs that the arguments select, but that are not in the list.
	Unlisted []string
	Err      error
}

// Error describes the failure in one line.
func (e *Error) Error() string { return e.Operation + ": " + e.Err.Error() }

// failed returns the error of an operation, if there is one.
func failed(operation string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Operation: operation, Err: err}
}

// collector reads one workspace.
type collector struct {
	client   *convo.Client
	audit    *audit.Audit
	progress func(done, total int)
	agents   []*agent
	series   []*series
	large    sync.Mutex // held while a large definition is decoded

	// mu guards what the goroutines that read share: these counters, the series, and the
	// problems of the audit. Otherwise, each of them writes to its own agent.
	mu   sync.Mutex
	done int // reads of single agents
}

// Audit reads what the arguments of an audit select, and sets its other fields. It reports
// the progress from time to time. Its error is an *Error.
func Audit(ctx context.Context, client *convo.Client, a *audit.Audit, progress func(done, total int)) error {
	c := &collector{client: client, audit: a, progress: progress}
	a.Problems = []audit.Problem{}
	a.ReadAt = new(time.Now().UTC().Format(time.RFC3339Nano))
	list, err := c.readOverview(ctx)
	if err != nil {
		return err
	}
	if err := c.selectAgents(list); err != nil {
		return err
	}
	if err := c.readAgents(ctx); err != nil {
		return err
	}
	c.complete()
	return nil
}

// readOverview reads the workspace, because a wrong ID also makes other reads fail, and then its
// members and the list of agents at once.
func (c *collector) readOverview(ctx context.Context) ([]api.AgentSummary, error) {
	workspace, err := c.client.Workspace(ctx, c.audit.WorkspaceID, nil)
	if err != nil {
		return nil, failed(audit.ReadWorkspace, err)
	}
	var members *convo.List[api.Member]
	var list *convo.List[api.AgentSummary]
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		members, err = c.client.Members(ctx, c.audit.WorkspaceID)
		return failed(audit.ListMembers, err)
	})
	group.Go(func() (err error) {
		list, err = c.client.Agents(ctx, c.audit.AgentQuery)
		return failed(audit.ListAgents, err)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	c.audit.Workspace = workspace
	c.audit.Members = members.Elements
	c.audit.EmailsByRole = api.EmailsByRole(c.audit.Members)
	c.addMissingFields("", audit.ReadWorkspace, jsonvalue.Missing(workspace))
	c.addDoubt(audit.ListMembers, members.Doubt)
	c.addDoubt(audit.ListAgents, list.Doubt)
	return list.Elements, nil
}

// selectAgents sets the agents to read: those of the list that the arguments select, which
// must all be in the list. By default, these are all. A listed agent without a unique ID
// is a problem.
func (c *collector) selectAgents(list []api.AgentSummary) error {
	unlisted := map[string]bool{} // of those that the arguments select
	for _, id := range c.audit.AgentIDs {
		unlisted[id] = true
	}
	listed := map[string]bool{}
	for _, summary := range list {
		id := api.ValueOf(summary.ID)
		if id == "" || listed[id] {
			c.audit.AddProblem(audit.NotRead, id, audit.ListAgents,
				"An element of the list has no ID, or the ID of an earlier one. This element is not audited.")
			continue
		}
		listed[id] = true
		if c.audit.AgentIDs == nil || unlisted[id] {
			c.agents = append(c.agents, newAgent(summary, c.audit.StatsPeriods))
		}
		delete(unlisted, id)
	}
	if len(unlisted) > 0 {
		return &Error{
			Operation: audit.ListAgents,
			Unlisted:  slices.Sorted(maps.Keys(unlisted)),
			Err:       errors.New("agents are not in the list"),
		}
	}
	return nil
}

// readAgents reads the definitions and statistics of as many agents at once as requests
// can be in flight.
func (c *collector) readAgents(ctx context.Context) error {
	if c.audit.ReadsDefinitions() {
		c.series = append(c.series, &series{name: audit.ReadAgent})
	}
	for _, period := range c.audit.StatsPeriods {
		c.series = append(c.series, &series{name: audit.ReadStats + " (" + period + ")", period: period})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.client.MaxConcurrentRequests())
	for _, a := range c.agents {
		group.Go(func() error { return c.readAgent(ctx, a) })
	}
	return group.Wait()
}

// readAgent does the reads of an agent, except in series that are given up. It returns an error if there
// will be no audit.
func (c *collector) readAgent(ctx context.Context, a *agent) error {
	for _, s := range c.series {
		if c.isGivenUp(s) {
			continue
		}
		if err := c.finish(ctx, s, a, c.read(ctx, s, a)); err != nil {
			return err
		}
	}
	return nil
}

// read does the read of a series for an agent.
func (c *collector) read(ctx context.Context, s *series, a *agent) error {
	if s.period == "" {
		return c.readDefinition(ctx, a)
	}
	if a.statsError != nil {
		return a.statsError
	}
	stats, err := c.client.AgentStats(ctx, *a.ID, s.period)
	if isUnavailable(err) {
		a.statsError = err
	}
	if err != nil {
		return err
	}
	a.Stats[s.period] = audit.NewStats(*stats)
	c.addMissingFields(*a.ID, s.name, jsonvalue.Missing(stats))
	return nil
}
