// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestReviewReport(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	got := p.mustCall("review_report", object{"bot": brokenDefinition, "same": brokenDefinition, "broken": "graph: [", "empty": nil},
		object{"bot": repairedDefinition, "same": brokenDefinition}).(object)
	want := object{
		"findings": list{
			object{
				"agent": "bot", "kind": "dangling_link", "id": "lnk_help", "title": "Hello", "is_new": true,
				"message": `The link from the node "Hello" leads to "grp_help", which is not in the graph. A session may end there.`,
			},
			object{
				"agent": "bot", "kind": "unreachable_node", "id": "grp_old", "title": "Old", "is_new": true,
				"message": `No links or jumps lead from an entry point to the node "Old", so no session reaches it.`,
			},
		},
		"errors": list{
			"broken: the definition is not valid YAML: line 1: did not find expected node content",
			"empty: the definition is empty, or its file is not UTF-8",
		},
	}
	requireAttributes(t, got, want)
	// A definition is new if the earlier one, or all earlier ones, are null.
	for _, before := range []any{object{"bot": nil}, nil} {
		got := p.mustCall("review_report", object{"bot": brokenDefinition}, before).(object)
		if text := got["markdown"].(string); before != nil && !strings.Contains(text, "\n\nThe agent is new.\n\n") || !strings.Contains(text, "New findings: 2.") {
			t.Errorf("with the earlier definitions %v, the report is:\n%s", before, text)
		}
	}
}
