// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repairedDefinition is the broken definition without the node that cannot be
// reached, and with a link that leads to the first node.
var repairedDefinition = strings.NewReplacer(`"groupId": "grp_help"`, `"groupId": "grp_hello"`, `},
		{"id": "grp_old", "title": "Old"}`, `}`).Replace(brokenDefinition)

func TestDefinitionDiff(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	want := list{
		object{
			"change": "removed", "part": "node", "id": "grp_old", "title": "Old", "path": "",
			"before": `{"id":"grp_old","title":"Old"}`, "after": nil, "is_layout": false,
		},
		object{
			"change": "changed", "part": "link", "id": "lnk_help", "title": "Hello → Hello", "path": "to.groupId",
			"before": `"grp_help"`, "after": `"grp_hello"`, "is_layout": false,
		},
	}
	if diff := cmp.Diff(any(want), p.mustCall("definition_diff", repairedDefinition, brokenDefinition)); diff != "" {
		t.Errorf("unexpected differences (-want +got):\n%s", diff)
	}
	if got := p.mustCall("definition_diff", brokenDefinition, brokenDefinition); !cmp.Equal(got, any(list{})) {
		t.Errorf("equal definitions differ: %v", got)
	}
	if added := p.mustCall("definition_diff", brokenDefinition, nil).(list); len(added) != 5 {
		t.Errorf("a new definition has the differences %v", added)
	}
}

// A definition that convo_agent was not told to include is null.
func TestNullDefinition(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	for _, name := range []string{"definition_diff", "graph_findings", "flow_diagram"} {
		arguments := []any{nil}
		if name == "definition_diff" {
			arguments = append(arguments, nil)
		}
		_, failure := p.call(name, arguments...)
		if failure == nil || !strings.Contains(failure.Text, "the definition is null. If it comes from the data source convo_agent, set include_definition_json = true") {
			t.Errorf("%s: got the error %v", name, failure)
		}
	}
}
