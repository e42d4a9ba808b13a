// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"
	"testing"
)

// Problems come in one order, whenever they occurred.
func TestProblemsAreSorted(t *testing.T) {
	t.Parallel()
	want := []problem{
		{operation: "list agents", message: "a"}, {operation: "list agents", message: "b"}, {operation: "list members", message: "a"},
		{agentID: "a", operation: "read agent", message: "z"}, {agentID: "b", operation: "list agents", message: "a"},
	}
	a := &workspaceAudit{problems: slices.Clone(want)}
	slices.Reverse(a.problems)
	a.sortProblems()
	if got := a.problems; !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	one := &workspaceAudit{problems: []problem{{agentID: "a", operation: "read agent", status: 403, code: "c"}}}
	if got := one.describeProblems(); got != "1 problem occurred:\n  - agent \"a\", read agent: 403, c" {
		t.Errorf("got %s", got)
	}
}
