// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxFailures is the number of failures in a row after which a series is given up. Then
// all of them are one problem, and if every series is given up, there is no audit. It is the
// default number of reads at once.
const maxFailures = 16

// series is an operation that is done for each agent: the reads of definitions, or of the
// statistics of a period.
type series struct {
	name         string // in package audit
	period       string // of statistics, or "" for definitions
	hasSucceeded bool
	failures     int // in a row, up to the last read
	problems     []audit.Problem
}

// isActive reports whether the series is not given up.
func (s *series) isActive() bool { return s.failures < maxFailures }

// addOutcome records the outcome of a read.
func (s *series) addOutcome(a *agent, err error) {
	s.hasSucceeded = s.hasSucceeded || err == nil
	if !s.isActive() {
		return // The read was sent before.
	}
	if err == nil {
		s.failures = 0
		return
	}
	p := problemOf(err)
	p.AgentID = a.ID
	p.Operation = s.name
	isFromService := p.Code != nil
	if s.period != "" && isFromService && api.ValueOf(p.Status) == http.StatusNotFound && !api.ValueOf(a.IsPublished) {
		return // A draft has no statistics.
	}
	s.problems = append(s.problems, p)
	s.failures++
	if s.hasSucceeded && !isUnavailable(err) {
		s.failures = 0 // It concerns this agent alone, so the service is there.
	}
	if !s.isActive() { // One problem stands for those in the row.
		p.AgentID = nil
		addSentence(&p, fmt.Sprintf("%d reads in a row failed, so the others were not attempted.", maxFailures))
		s.problems = append(s.problems[:len(s.problems)-maxFailures], p)
	}
}

func (c *collector) isGivenUp(s *series) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !s.isActive()
}

// finish records the outcome of a read. It returns an error if there will be no audit.
func (c *collector) finish(ctx context.Context, s *series, a *agent, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := len(c.agents) * len(c.series)
	end := &Error{
		Operation: s.name,
		AgentID:   *a.ID,
		Done:      c.done,
		Total:     total,
		Err:       err,
	}
	if err != nil && ctx.Err() != nil {
		return end // The user, or another read, ended all requests.
	}
	c.done++
	end.Done = c.done
	if c.done%progressReads == 0 {
		c.progress(c.done, total)
	}
	s.addOutcome(a, err)
	end.IsOutage = isUnavailable(err) && !slices.ContainsFunc(c.series, (*series).isActive)
	if end.IsOutage {
		return end
	}
	return nil
}

// isUnavailable reports whether the service did not respond, or failed, so that other reads may
// fail, too.
func isUnavailable(err error) bool {
	e, ok := errors.AsType[*convo.Error](err)
	// A 401 can concern one agent. If it lasts, the token has expired.
	if !ok || e.Status == http.StatusUnauthorized {
		return ok
	}
	switch e.Reason {
	case convo.ReasonRedirect, convo.ReasonNotTheService, convo.ReasonInvalid, convo.ReasonRejected:
		return false
	}
	return true
}

// problemOf describes a failed read.
func problemOf(err error) audit.Problem {
	p := audit.Problem{Kind: audit.ReadFailed}
	message := err.Error()
	if e, ok := errors.AsType[*convo.Error](err); ok {
		if e.Status != 0 {
			p.Status = &e.Status
		}
		if e.Code != "" {
			p.Code = &e.Code
		}
		message = cmp.Or(
			e.Message,
			e.Problem,
			e.Excerpt,
			http.StatusText(e.Status),
		)
		if len(e.Issues) > 0 {
			message = strings.TrimSuffix(message, ".") + ": " + strings.Join(oneline.First(e.Issues, 20), "; ")
		}
	}
	if message != "" {
		p.Message = &message
	}
	return p
}

// addProblems adds the problems of a series. If no definition was found, and the workspace is
// not paid for, they say so.
func (c *collector) addProblems(s *series) {
	isUnpaid := api.ValueOf(c.audit.Workspace.IsSuspended) || api.ValueOf(c.audit.Workspace.IsPastDue)
	for _, p := range s.problems {
		if isUnpaid && s.period == "" && !s.hasSucceeded && api.ValueOf(p.Status) == http.StatusNotFound {
			addSentence(&p, "The workspace is past due or suspended, and some services then withhold the definitions of its agents.")
		}
		c.audit.Problems = append(c.audit.Problems, p)
	}
	// Every read was a 404.
	isUnknown := func(a *agent) bool { return a.IsPublished == nil }
	if !s.hasSucceeded && len(s.problems) == 0 && slices.ContainsFunc(c.agents, isUnknown) {
		c.audit.Problems = append(c.audit.Problems, audit.Problem{
			Kind:      audit.ReadFailed,
			Operation: s.name,
			Status:    new(http.StatusNotFound),
			Message:   new("No agent has statistics, and the service does not return whether all of them are unpublished."),
		})
	}
}

func addSentence(p *audit.Problem, sentence string) {
	p.Message = new(strings.TrimSuffix(api.ValueOf(p.Message), ".") + ". " + sentence)
}

// addProblem adds a problem while other goroutines read.
func (c *collector) addProblem(kind, agentID, operation, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.audit.AddProblem(kind, agentID, operation, message)
}

// addMissingFields adds a problem about required values that a response does not contain,
// if there are any.
func (c *collector) addMissingFields(agentID, operation string, names []string) {
	if len(names) > 0 {
		c.addProblem(audit.MissingFields, agentID, operation, fmt.Sprintf(
			"The response does not contain these values, which the API documents as never null: %s.", strings.Join(names, ", ")))
	}
}

// addDoubt adds a problem about a list that may be incomplete, if there is a doubt.
func (c *collector) addDoubt(operation, doubt string) {
	if doubt != "" {
		c.audit.AddProblem(audit.IncompleteList, "", operation, doubt)
	}
}
