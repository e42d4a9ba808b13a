// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/errgroup"
	"golang.org/x/text/unicode/norm"

	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// audit is one read of a whole workspace.
type audit struct {
	connection  *connection
	arguments   values
	definitions bool
	// graphs reports whether findings of the graphs are required.
	graphs  bool
	periods []string
	// types are those of an audited agent's attributes.
	types map[string]tftypes.Type
	// parts are definitionParts, made once for all agents.
	parts map[string]definitionPart

	workspace, members values
	agents             []*auditedAgent

	// The goroutines of the audit share these under the lock. Otherwise, each of
	// them writes to its own part of an agent.
	mu       sync.Mutex
	problems []problem
	outage   outage
}

// auditedAgent is one agent of the list.
type auditedAgent struct {
	// id is the ID as the service returns it; key is the same in the Unicode
	// normal form that Terraform uses for all strings.
	id, key    string
	attributes values
	// definition has the parts of the definition by attribute, nil until it is read.
	definition values
	findings   []flow.Finding
	// stats has the counters of each period, or nil if they could not be read.
	stats []values
}

func newAudit(ctx context.Context, c *connection, arguments values) *audit {
	definitions := arguments.flag("definitions")
	return &audit{
		connection:  c,
		arguments:   arguments,
		definitions: definitions == nil || *definitions,
		graphs:      arguments.isTrue("include_graph_findings"),
		periods:     arguments.texts("stats_periods"),
		types:       typesOf(ctx, auditedAgentAttributes()),
		parts:       definitionParts(),
	}
}

// fetch reads everything and returns the results of the data source.
func (a *audit) fetch(ctx context.Context) (values, diag.Diagnostics) {
	err := a.fetchWorkspace(ctx)
	if err == nil {
		if missing := a.keepAgents(); len(missing) > 0 {
			return nil, diag.Diagnostics{missingAgentsError(missing)}
		}
		err = a.fetchAgents(ctx)
	}
	if err != nil {
		return nil, diag.Diagnostics{a.failure(err)}
	}
	return a.results(ctx), a.warnings()
}

// fetchWorkspace reads the workspace, its members and the list of agents
// concurrently.
func (a *audit) fetchWorkspace(ctx context.Context) error {
	var lists [2][]string
	var agents values
	group, ctx := errgroup.WithContext(ctx)
	fetch := func(o operation, arguments values, results *values, signs *[]string) {
		group.Go(func() (err error) {
			if *results, *signs, err = o.fetch(ctx, a.connection.client, arguments); err != nil {
				return &auditError{subject: o.subject(arguments), err: err}
			}
			return nil
		})
	}
	workspaceID := values{"workspace_id": a.arguments["workspace_id"]}
	fetch(workspaceOperation(), workspaceID, &a.workspace, new([]string))
	fetch(membersOperation(), workspaceID, &a.members, &lists[0])
	fetch(agentsOperation(), values{"query": a.arguments["agent_query"]}, &agents, &lists[1])
	if err := group.Wait(); err != nil {
		return err
	}
	for i, operation := range []string{listMembers, listAgents} {
		if len(lists[i]) > 0 {
			a.add(problem{operation: operation, message: incompleteList(lists[i])})
		}
	}
	a.takeAgents(agents.list("agents"))
	return nil
}

// Operations of problems that concern a list.
const (
	listMembers = "list members"
	listAgents  = "list agents"
)

// takeAgents reads the agents of the list and indexes them by ID. An agent
// without a unique ID is a problem.
func (a *audit) takeAgents(list []tftypes.Value) {
	seen := map[string]string{}
	for _, summary := range list {
		agent := &auditedAgent{attributes: objectOf(summary), stats: make([]values, len(a.periods))}
		agent.id = agent.attributes.text("id")
		agent.key = norm.NFC.String(agent.id)
		first, known := seen[agent.key]
		switch {
		case agent.id == "":
			a.add(problem{operation: listAgents, message: "An agent in the list has no ID and is not audited."})
			continue
		case known && first == agent.id:
			a.add(problem{operation: listAgents, agentID: agent.key, message: "More than one agent in the list has this ID. Only the first is audited."})
			continue
		case known:
			a.add(problem{operation: listAgents, agentID: agent.key, message: fmt.Sprintf("The IDs %+q and %+q differ in their Unicode normal "+
				"form only, which Terraform does not preserve. Only the first agent is audited.", first, agent.id)})
			continue
		}
		seen[agent.key] = agent.id
		a.agents = append(a.agents, agent)
	}
}

// keepAgents removes all agents except those in agent_ids and returns the IDs
// that are not in the list. It keeps all if agent_ids is null, and none if it
// is empty, as a computed set can be.
func (a *audit) keepAgents() (missing []string) {
	if a.arguments["agent_ids"].IsNull() {
		return nil
	}
	listed := map[string]*auditedAgent{}
	for _, agent := range a.agents {
		listed[agent.key] = agent
	}
	a.agents = nil
	for _, id := range a.arguments.texts("agent_ids") {
		if agent, ok := listed[norm.NFC.String(id)]; ok {
			a.agents = append(a.agents, agent)
		} else {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	return missing
}

// auditFailed is the summary of an error that no single read explains.
const auditFailed = "Unable to audit workspace"

// maxMissingShown is the number of missing IDs that an error names.
const maxMissingShown = 20

func missingAgentsError(missing []string) diag.Diagnostic {
	shown := strings.Join(missing[:min(len(missing), maxMissingShown)], ", ")
	if more := len(missing) - maxMissingShown; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("agent_ids"), auditFailed, fmt.Sprintf(
		"The service did not list these agents: %s. Check that the IDs are spelled correctly, that the agents belong to the token's "+
			"workspace, and that agent_query does not exclude them.", shown))
}

// fetchAgents reads definitions and statistics with the maximum number of
// concurrent requests. It ends early if a failure concerns all agents.
func (a *audit) fetchAgents(ctx context.Context) error {
	definition, err := a.definitionDecoder()
	if err != nil {
		return &faultError{err}
	}
	stats := agentStatsOperation()
	statsDecoder, err := stats.decoder(ctx, false)
	if err != nil {
		return &faultError{err}
	}
	total := len(a.agents) * len(a.periods)
	if a.definitions {
		total += len(a.agents)
	}
	var done atomic.Int64
	whole := ctx // The group's own context also ends with the first error.
	group, ctx := errgroup.WithContext(ctx)
	// Each goroutine serves many requests, because a new one first has to grow its
	// stack.
	tasks := make(chan func() error)
	for range a.connection.client.MaxConcurrentRequests() {
		group.Go(func() error {
			for task := range tasks {
				if err := task(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	run := func(agent *auditedAgent, operation string, fetch func() error) {
		task := func() error {
			if err := a.classify(agent, operation, fetch()); err != nil {
				return err
			}
			if n := done.Add(1); n%100 == 0 || int(n) == total {
				tflog.Debug(ctx, "Auditing agents", map[string]any{"done": n, "of": total})
			}
			return nil
		}
		select {
		case tasks <- task:
		case <-ctx.Done():
		}
	}
	for _, agent := range a.agents {
		if a.definitions {
			run(agent, "read agent", func() error { return a.fetchDefinition(ctx, definition, agent) })
		}
		for i, period := range a.periods {
			run(agent, "read agent statistics ("+period+")", func() (err error) {
				agent.stats[i], _, err = stats.fetchWith(ctx, a.connection.client, statsDecoder, values{
					"agent_id": tftypes.NewValue(tftypes.String, agent.id),
					"period":   tftypes.NewValue(tftypes.String, period),
				})
				return err
			})
		}
	}
	close(tasks)
	if err := group.Wait(); err != nil {
		return err
	}
	return whole.Err() // Tasks that were never started have no error.
}

// definitionDecoder returns a decoder for the parts of a definition that the
// audit keeps.
func (a *audit) definitionDecoder() (*jsonvalue.Decoder, error) {
	places := map[string]tftypes.Type{"current_user_mode": tftypes.String}
	for name, part := range a.parts {
		places["agent."+part.place] = a.types[name]
	}
	return jsonvalue.NewDecoder(nestedType(places), jsonvalue.Options{Required: agentOperation().options.Required})
}

// nestedType returns the type of an object that has values at the given paths.
func nestedType(places map[string]tftypes.Type) tftypes.Object {
	types := map[string]tftypes.Type{}
	groups := map[string]map[string]tftypes.Type{}
	for place, typ := range places {
		group, rest, nested := strings.Cut(place, ".")
		if !nested {
			types[place] = typ
			continue
		}
		if groups[group] == nil {
			groups[group] = map[string]tftypes.Type{}
		}
		groups[group][rest] = typ
	}
	for group, inner := range groups {
		types[group] = nestedType(inner)
	}
	return tftypes.Object{AttributeTypes: types}
}

func (a *audit) fetchDefinition(ctx context.Context, decoder *jsonvalue.Decoder, agent *auditedAgent) error {
	response, err := a.connection.client.Agent(ctx, agent.id)
	if err != nil {
		return err
	}
	fields, _, err := decode(ctx, a.connection.client, decoder, response)
	if err != nil {
		return err
	}
	definition := values{"current_user_mode": fields["current_user_mode"]}
	root := fields.object("agent")
	for name, part := range a.parts {
		object := root
		groups := strings.Split(part.place, ".")
		for _, group := range groups[:len(groups)-1] {
			object = object.object(group)
		}
		if value, ok := object[groups[len(groups)-1]]; ok {
			definition[name] = value
		}
	}
	agent.definition = definition
	if a.graphs {
		agent.findings = a.findingsIn(response.Body)
	}
	return nil
}

// findingsIn returns the findings of the definition in a response.
func (a *audit) findingsIn(body []byte) []flow.Finding {
	findings, err := flow.FindingsIn(body, "agent")
	if err != nil {
		return []flow.Finding{{Kind: flow.GraphNotUnderstood, Message: "The graph cannot be analyzed: " + err.Error() + "."}}
	}
	return findings
}

// failure turns the error that ended the audit into a diagnostic.
func (a *audit) failure(err error) diag.Diagnostic {
	var failed *auditError
	if !errors.As(err, &failed) {
		return a.connection.failure(subject{noun: "workspace audit"}, "read", err)
	}
	if failed.note == "" {
		return a.connection.failure(failed.subject, "read", failed.err)
	}
	failed.subject.others = "these agents"
	d := a.connection.failure(failed.subject, "read", failed.err)
	return diag.NewErrorDiagnostic(auditFailed, failed.note+"\n\n"+d.Detail())
}

// auditError is a failure that concerns the whole audit.
type auditError struct {
	subject subject
	err     error
	// note explains why the audit ended with this failure, if that is not obvious.
	note string
}

func (e *auditError) Error() string { return e.err.Error() }
func (e *auditError) Unwrap() error { return e.err }
