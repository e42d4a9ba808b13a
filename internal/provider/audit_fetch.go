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
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// audit is one read of a whole workspace.
type audit struct {
	client      *convo.Client
	arguments   arguments
	definitions bool
	periods     []string
	// types are those of an audited agent's attributes.
	types map[string]tftypes.Type

	// What was read. Every goroutine of the audit writes to agents of its own
	// and to problems under the lock.
	workspace, members tftypes.Value
	agents             []*auditedAgent
	mu                 sync.Mutex
	problems           []problem
}

// auditedAgent is one agent of the list, its definition reduced to what is
// kept of it.
type auditedAgent struct {
	id         string
	attributes map[string]tftypes.Value
	// stats has the counters of a period where they could be read.
	stats []map[string]tftypes.Value
}

// problem is what could not be read for one agent.
type problem struct {
	agentID, operation string
	status             int
	code, message      string
}

func newAudit(ctx context.Context, client *convo.Client, a arguments) *audit {
	definitions := a.optionalFlag("definitions")
	return &audit{
		client:      client,
		arguments:   a,
		definitions: definitions == nil || *definitions,
		periods:     a.textList("stats_periods"),
		types:       typesOf(ctx, auditedAgentAttributes()),
	}
}

// fetch reads all and returns the results of the data source.
func (a *audit) fetch(ctx context.Context) (map[string]tftypes.Value, diag.Diagnostics) {
	var failed *auditError
	err := a.fetchWorkspace(ctx)
	if err == nil {
		if missing := a.keepAgents(); len(missing) > 0 {
			return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), "Unable to read workspace audit",
				fmt.Sprintf("The list of agents does not have %s. Check the ids, and that agent_query does not leave these agents out.",
					strings.Join(missing, ", ")))}
		}
		err = a.fetchAgents(ctx)
	}
	if errors.As(err, &failed) {
		return nil, diag.Diagnostics{failed.subject.failure("read", failed.err)}
	} else if err != nil {
		return nil, diag.Diagnostics{subject{noun: "workspace audit"}.failure("read", err)}
	}
	slices.SortFunc(a.problems, func(x, y problem) int {
		return slices.Compare([]string{x.agentID, x.operation}, []string{y.agentID, y.operation})
	})
	return a.results(ctx), a.warning()
}

// auditError is a failure that concerns the whole audit.
type auditError struct {
	subject subject
	err     error
}

func (e *auditError) Error() string { return e.err.Error() }
func (e *auditError) Unwrap() error { return e.err }

// fetchWorkspace reads the workspace, its members and the list of agents, all
// at once.
func (a *audit) fetchWorkspace(ctx context.Context) error {
	var workspace, members, agents map[string]tftypes.Value
	group, ctx := errgroup.WithContext(ctx)
	fetch := func(q query, arguments arguments, results *map[string]tftypes.Value) {
		group.Go(func() (err error) {
			if *results, err = q.fetch(ctx, a.client, arguments); err != nil {
				return &auditError{q.subject(arguments), err}
			}
			return nil
		})
	}
	workspaceID := arguments{"workspace_id": a.arguments["workspace_id"]}
	list := arguments{"query": a.arguments["agent_query"]}
	fetch(workspaceQuery(), workspaceID, &workspace)
	fetch(membersQuery(), workspaceID, &members)
	fetch(agentsQuery(), list, &agents)
	if err := group.Wait(); err != nil {
		return err
	}
	a.workspace = tftypes.NewValue(tftypes.Object{AttributeTypes: typesOf(ctx, workspaceAttributes())}, workspace)
	a.members = members["members"]
	return a.takeList(agents["agents"], agentsQuery().subject(list))
}

// takeList takes the agents of the list, which are known by their ids from now
// on: each has to have one of its own.
func (a *audit) takeList(list tftypes.Value, subject subject) error {
	broken := func(format string, arguments ...any) error {
		return &auditError{subject, &answerError{said: &convo.ResponseError{}, err: fmt.Errorf(format, arguments...)}}
	}
	var summaries []tftypes.Value
	if err := list.As(&summaries); err != nil {
		return &faultError{err}
	}
	seen := map[string]bool{}
	for _, summary := range summaries {
		agent := &auditedAgent{attributes: map[string]tftypes.Value{}, stats: make([]map[string]tftypes.Value, len(a.periods))}
		for name, typ := range a.types {
			agent.attributes[name] = tftypes.NewValue(typ, nil)
		}
		for name, value := range objectFields(summary) {
			agent.attributes[name] = value
		}
		agent.id = arguments(agent.attributes).text("id")
		switch {
		case agent.id == "":
			return broken("agents: an agent has no id")
		case seen[agent.id]:
			return broken("agents: more than one agent has the id %q", agent.id)
		}
		seen[agent.id] = true
		a.agents = append(a.agents, agent)
	}
	return nil
}

// keepAgents leaves out all agents but those of agent_ids, and returns which of
// these are not in the list. All are kept where it is not set; none where it
// is set and empty, as it can be when it is computed.
func (a *audit) keepAgents() (missing []string) {
	if a.arguments["agent_ids"].IsNull() {
		return nil
	}
	wanted := a.arguments.textList("agent_ids")
	a.agents = slices.DeleteFunc(a.agents, func(agent *auditedAgent) bool {
		return !slices.Contains(wanted, agent.id)
	})
	for _, id := range wanted {
		if !slices.ContainsFunc(a.agents, func(agent *auditedAgent) bool { return agent.id == id }) {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	return missing
}

// fetchAgents reads definitions and statistics, as many at once as requests
// may be in flight. It stops early when a failure concerns all.
func (a *audit) fetchAgents(ctx context.Context) error {
	decoder, err := a.definitionDecoder()
	if err != nil {
		return &faultError{err}
	}
	total := len(a.agents) * len(a.periods)
	if a.definitions {
		total += len(a.agents)
	}
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.client.MaxConcurrentRequests())
	run := func(agent *auditedAgent, operation string, fetch func() error) {
		if ctx.Err() != nil {
			return
		}
		group.Go(func() error {
			if err := a.classify(agent.id, operation, fetch()); err != nil {
				return err
			}
			if n := done.Add(1); n%100 == 0 || int(n) == total {
				tflog.Debug(ctx, "Auditing agents", map[string]any{"done": n, "of": total})
			}
			return nil
		})
	}
	for _, agent := range a.agents {
		if a.definitions {
			run(agent, "read agent", func() error { return a.fetchDefinition(ctx, decoder, agent) })
		}
		for i, period := range a.periods {
			run(agent, "read agent statistics of "+period, func() error { return a.fetchStats(ctx, agent, i) })
		}
	}
	return group.Wait()
}

// classify tells failures that concern one agent, which become problems, from
// those that concern all, which it returns.
func (a *audit) classify(agentID, operation string, err error) error {
	if err == nil {
		return nil
	}
	var answer *convo.ResponseError
	var wrong *answerError
	p := problem{agentID: agentID, operation: operation}
	switch {
	case errors.As(err, &wrong):
		p.status, p.code, p.message = wrong.said.Status, wrong.said.Code, wrong.said.Message
		if p.code == "" {
			p.message = strings.ReplaceAll(wrong.Error(), "\n", "; ")
		}
	case errors.As(err, &answer) && (answer.Status == http.StatusForbidden || answer.Status == http.StatusNotFound):
		p.status, p.code, p.message = answer.Status, answer.Code, cmp.Or(answer.Message, answer.Excerpt)
	default:
		return &auditError{subject{noun: strings.TrimPrefix(operation, "read "), target: "agent", id: agentID}, err}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problems = append(a.problems, p)
	return nil
}

// definitionParts are the places in a definition that an audit keeps, by the
// attribute that takes each.
func definitionParts() map[string]string {
	return map[string]string{
		"revision":         "ref.revision",
		"labels":           "profile.labels",
		"state":            "exposure.state",
		"access":           "exposure.access",
		"risk_score":       "safeguards.risk_score",
		"workspace_ref":    "tenancy.workspace_ref",
		"node_count":       "graph.nodes_count",
		"link_count":       "graph.links_count",
		"memory_count":     "graph.memory_count",
		"entrypoint_count": "graph.entrypoints_count",
	}
}

// definitionDecoder decodes no more of a definition than the audit keeps.
func (a *audit) definitionDecoder() (*jsonvalue.Decoder, error) {
	fields := map[string]map[string]tftypes.Type{}
	for attribute, place := range definitionParts() {
		group, field, _ := strings.Cut(place, ".")
		if fields[group] == nil {
			fields[group] = map[string]tftypes.Type{}
		}
		fields[group][field] = a.types[attribute]
	}
	groups := map[string]tftypes.Type{}
	for group := range fields {
		groups[group] = tftypes.Object{AttributeTypes: fields[group]}
	}
	return jsonvalue.NewDecoder(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"agent":             tftypes.Object{AttributeTypes: groups},
		"current_user_mode": tftypes.String,
	}}, agentQuery().options)
}

func (a *audit) fetchDefinition(ctx context.Context, decoder *jsonvalue.Decoder, agent *auditedAgent) error {
	response, err := a.client.Agent(ctx, agent.id)
	if err != nil {
		return err
	}
	answer, err := decode(ctx, a.client, decoder, response)
	if err != nil {
		return err
	}
	agent.attributes["current_user_mode"] = answer["current_user_mode"]
	groups := objectFields(answer["agent"])
	for attribute, place := range definitionParts() {
		group, field, _ := strings.Cut(place, ".")
		if value, ok := objectFields(groups[group])[field]; ok {
			agent.attributes[attribute] = value
		}
	}
	return nil
}

func (a *audit) fetchStats(ctx context.Context, agent *auditedAgent, period int) error {
	results, err := agentStatsQuery().fetch(ctx, a.client, arguments{
		"agent_id": tftypes.NewValue(tftypes.String, agent.id),
		"period":   tftypes.NewValue(tftypes.String, a.periods[period]),
	})
	agent.stats[period] = results
	return err
}

// objectFields returns the fields of an object, none of one that is null.
func objectFields(object tftypes.Value) map[string]tftypes.Value {
	var fields map[string]tftypes.Value
	_ = object.As(&fields) // The decoder made it an object.
	return fields
}
