// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"slices"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// Problems come in one order, whenever they occurred.
func TestProblemsAreSorted(t *testing.T) {
	t.Parallel()
	want := []problem{
		{operation: "list agents", message: "a"}, {operation: "list agents", message: "b"}, {operation: "list members", message: "a"},
		{agentID: "a", operation: "read agent", message: "z"}, {agentID: "b", operation: "list agents", message: "a"},
	}
	a := &audit{problems: slices.Clone(want)}
	slices.Reverse(a.problems)
	if got := a.sortedProblems(); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	one := &audit{problems: []problem{{agentID: "a", operation: "read agent", status: 403, code: "c"}}}
	if got := one.describeProblems(); got != "1 problem occurred:\n  - agent \"a\", read agent: 403, c" {
		t.Errorf("got %s", got)
	}
}

// Failures in a row end an audit: sooner for those that the client retries,
// which are all of one kind. A success, or a failure of another kind, starts
// anew.
func TestOutageOfAnAudit(t *testing.T) {
	t.Parallel()
	status := func(status int) error { return &convo.ResponseError{Status: status} }
	dropped := &convo.TransportError{Err: errors.New("reset")}
	type reads struct {
		times int
		err   error
	}
	const (
		first10 = "The provider stopped the audit, because the first 10 reads of individual agents all failed. The last error was:"
		first50 = "The provider stopped the audit, because the first 50 reads of individual agents all failed in the same way. The last error was:"
		last50  = "The provider stopped the audit, because the last 50 reads of individual agents all failed. The last error was:"
	)
	tests := map[string]struct {
		before []reads // None of them ends the audit.
		last   error
		want   string // "" if the audit goes on
	}{
		"9 of 500":                     {[]reads{{8, status(500)}}, status(500), ""},
		"10 of 500":                    {[]reads{{9, status(500)}}, status(500), first10},
		"10 of 429":                    {[]reads{{9, status(429)}}, status(429), first10},
		"10 without a response":        {[]reads{{9, dropped}}, dropped, first10},
		"several kinds that are tried": {[]reads{{3, status(503)}, {3, dropped}, {3, status(429)}}, status(500), first10},
		"49 of 403":                    {[]reads{{48, status(403)}}, status(403), ""},
		"50 of 403":                    {[]reads{{49, status(403)}}, status(403), first50},
		"another kind in between":      {[]reads{{48, status(403)}, {1, status(404)}, {48, status(403)}}, status(403), ""},
		"403 after a success":          {[]reads{{1, nil}, {200, status(403)}}, status(403), ""},
		"49 of 500 after a success":    {[]reads{{1, nil}, {48, status(500)}}, status(500), ""},
		"50 of 500 after a success":    {[]reads{{1, nil}, {49, status(500)}}, status(500), last50},
		"a success in between":         {[]reads{{1, nil}, {49, status(500)}, {1, nil}, {48, status(500)}}, status(500), ""},
		"50 after that success":        {[]reads{{1, nil}, {49, status(500)}, {1, nil}, {49, status(500)}}, status(500), last50},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, agent := &audit{}, &auditedAgent{id: "a", key: "a"}
			for _, part := range test.before {
				for range part.times {
					if err := a.classify(agent, "read agent", part.err); err != nil {
						t.Fatalf("ended before: %v", err)
					}
				}
			}
			var ended *auditError
			got := ""
			if err := a.classify(agent, "read agent", test.last); errors.As(err, &ended) {
				got = ended.note
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
