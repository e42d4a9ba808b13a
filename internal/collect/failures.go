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
	failures     []audit.Problem // in a row, up to the last read
}

// isActive reports whether the series is not given up.
func (s *series) isActive() bool { return len(s.failures) < maxFailures }

func (c *collector) isGivenUp(s *series) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !s.isActive()
}

// problemOf describes a failed read. It reports whether the service did not respond, or
// failed, so that other reads may fail, too.
func problemOf(err error) (p audit.Problem, isUnavailable bool) {
	message := err.Error()
	var response *convo.ResponseError
	var transport *convo.TransportError
	switch {
	case errors.As(err, &response):
		p.Status = &response.Status
		p.Code = nilIfZero(response.Code)
		violation := ""
		if response.Err != nil {
			violation = response.Err.Error()
		}
		message = cmp.Or(
			response.Message,
			violation,
			response.Excerpt,
			http.StatusText(response.Status),
		)
		if len(response.Issues) > 0 {
			message = strings.TrimSuffix(message, ".") + ": " + strings.Join(oneline.First(response.Issues, 20), "; ")
		}
		// A 401 can concern one agent. If it lasts, the token has expired.
		isUnavailable = response.ServiceFailed() || response.Throttled() || response.Status == http.StatusUnauthorized
	case errors.As(err, &transport):
		isUnavailable = transport.Reason != convo.ReasonTooLarge
	}
	p.Kind = audit.ReadFailed
	p.Message = nilIfZero(message)
	return p, isUnavailable
}

// finish records the outcome of a read. It returns an error if there will be no audit.
func (c *collector) finish(ctx context.Context, s *series, a *agent, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := &Error{
		Operation: s.name,
		AgentID:   *a.ID,
		Done:      c.done,
		Total:     c.total,
		Err:       err,
	}
	if err != nil && ctx.Err() != nil {
		return end // The user, or another read, ended all requests.
	}
	c.done++
	end.Done = c.done
	if c.done%progressReads == 0 {
		c.progress(c.done, c.total)
	}
	if err == nil {
		c.settle(s)
		s.hasSucceeded = true
		return nil
	}
	p, isUnavailable := problemOf(err)
	p.AgentID = a.ID
	p.Operation = s.name
	isFromService := p.Code != nil
	if s.period != "" && isFromService && api.ValueOf(p.Status) == http.StatusNotFound && !api.ValueOf(a.IsPublished) {
		return nil // A draft has no statistics.
	}
	if s.hasSucceeded && !isUnavailable {
		c.settle(s) // The failure concerns this agent alone, so the service is there.
		c.audit.Problems = append(c.audit.Problems, p)
		return nil
	}
	s.failures = append(s.failures, p)
	end.IsOutage = isUnavailable && !slices.ContainsFunc(c.series, (*series).isActive)
	if end.IsOutage {
		return end
	}
	return nil
}

// settle ends a row of failures. Each of them is a problem, unless the series is given up.
func (c *collector) settle(s *series) {
	if s.isActive() {
		c.audit.Problems = append(c.audit.Problems, s.failures...)
		s.failures = nil
	}
}

// settleLast ends the last row of failures. If the series is given up, they are one problem. If no definition
// was found, and the workspace is not paid for, it says so.
func (c *collector) settleLast(s *series) {
	if !s.isActive() {
		p := s.failures[len(s.failures)-1]
		p.AgentID = nil
		p.Message = new(fmt.Sprintf("%s. %d reads in a row failed, so the others were not attempted.",
			strings.TrimSuffix(api.ValueOf(p.Message), "."), maxFailures))
		s.failures = []audit.Problem{p}
	}
	isUnpaid := api.ValueOf(c.audit.Workspace.IsSuspended) || api.ValueOf(c.audit.Workspace.IsPastDue)
	for i, p := range s.failures {
		if isUnpaid && s.period == "" && !s.hasSucceeded && api.ValueOf(p.Status) == http.StatusNotFound {
			s.failures[i].Message = new(strings.TrimSuffix(api.ValueOf(p.Message), ".") +
				". The workspace is past due or suspended, and some services then withhold the definitions of its agents.")
		}
	}
	c.settle(s)
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
