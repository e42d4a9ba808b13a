// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// Operations, as problems name them.
const (
	ReadWorkspace = "read workspace"
	ListMembers   = "list members"
	ListAgents    = "list agents"
	ReadAgent     = "read agent"
	ReadStats     = "read agent statistics" // of one period with its name in parentheses
)

// Kinds of problems. Each but EqualStatistics is also the name of the rule about it.
const (
	ReadFailed     = "read_failed"
	NotRead        = "not_read"
	MissingFields  = "missing_fields"
	IncompleteList = "incomplete_list"
	Contradiction  = "contradiction"
	// EqualStatistics means that statistics may be those of another period.
	EqualStatistics = "equal_statistics"
	// MissingURL means that a published agent has no address, although others have one.
	MissingURL = "missing_url"
	// MissingAgent means that a flow links to an agent that is not listed.
	MissingAgent = "missing_agent"
)

// Problem is what could not be read, or is contradictory. AgentID is nil if it does not
// concern a single agent.
type Problem struct {
	Kind      string  `json:"kind" tfsdk:"kind"`
	AgentID   *string `json:"agent_id" tfsdk:"agent_id"`
	Operation string  `json:"operation" tfsdk:"operation"`
	Status    *int    `json:"status" tfsdk:"status"`
	Code      *string `json:"code" tfsdk:"code"`
	Message   *string `json:"message" tfsdk:"message"`
}

// Text describes the problem in one line, without the agent.
func (p Problem) Text() string {
	status := ""
	if p.Status != nil {
		status = strconv.Itoa(*p.Status)
	}
	text := joinTexts(status, api.ValueOf(p.Code), api.ValueOf(p.Message))
	return p.Operation + ": " + cmp.Or(text, "no message")
}

// AddProblem adds a problem. The ID is "" if it does not concern a single agent.
func (a *Audit) AddProblem(kind, agentID, operation, message string) {
	p := Problem{Kind: kind, Operation: operation, Message: &message}
	if agentID != "" {
		p.AgentID = &agentID
	}
	a.Problems = append(a.Problems, p)
}

// Complete adds the problems that the audit itself shows, sorts all of them, and sets
// IsComplete. Programs without the functions of the provider see problems, but no findings.
func (a *Audit) Complete() {
	a.addEqualStatistics()
	a.addMissingURLs()
	slices.SortFunc(a.Problems, func(x, y Problem) int {
		return cmp.Or(
			cmp.Compare(api.ValueOf(x.AgentID), api.ValueOf(y.AgentID)),
			cmp.Compare(x.Operation, y.Operation),
			cmp.Compare(api.ValueOf(x.Message), api.ValueOf(y.Message)),
		)
	})
	// The other kinds mean that everything was read.
	a.IsComplete = new(!slices.ContainsFunc(a.Problems, func(p Problem) bool { return levelOf(p.Kind) == LevelError }))
}

// addEqualStatistics adds a problem if several periods have sessions, and the same counters.
func (a *Audit) addEqualStatistics() {
	periods := slices.Sorted(slices.Values(a.StatsPeriods))
	if len(periods) < 2 {
		return
	}
	hasSessions := false
	for _, agent := range a.Agents {
		first := agent.Stats[periods[0]]
		for _, period := range periods[1:] {
			if fmt.Sprint(agent.Stats[period]) != fmt.Sprint(first) {
				return
			}
		}
		hasSessions = hasSessions || first.TotalStarts != nil && first.TotalStarts.Sign() > 0
	}
	if !hasSessions {
		return
	}
	a.AddProblem(EqualStatistics, "", ReadStats, "All periods ("+strings.Join(periods, ", ")+") have the same statistics. "+
		"The service may ignore the query parameter for the period, whose name the API does not document. "+
		"Compare the statistics with those in the service's own user interface.")
}

// addMissingURLs adds problems about published agents that nobody can reach by an address, if
// others have one. Services also report a publication that failed as a success.
func (a *Audit) addMissingURLs() {
	hasURL := false
	var unreachable []string
	for id, agent := range a.Agents {
		hasURL = hasURL || api.ValueOf(agent.URL) != ""
		address := api.ValueOf(agent.URL) + api.ValueOf(agent.PublicID) + api.ValueOf(agent.Domain)
		if agent.DefinitionHash != nil && api.ValueOf(agent.IsPublished) && address == "" {
			unreachable = append(unreachable, id)
		}
	}
	for _, id := range unreachable {
		if hasURL {
			a.AddProblem(MissingURL, id, ReadAgent,
				"The agent is published, but has no URL, public ID, or domain, although other agents have a URL.")
		}
	}
}

// HasWholeList reports whether the result of an operation that lists something has
// all of its elements.
func (a *Audit) HasWholeList(operation string) bool {
	return !slices.ContainsFunc(a.Problems, func(p Problem) bool {
		return p.Operation == operation && (p.Kind == IncompleteList || p.Kind == NotRead)
	})
}
