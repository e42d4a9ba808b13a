// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every wrong argument is reported at its attribute.
func TestReadArguments(t *testing.T) {
	t.Parallel()
	for source, config := range map[string]object{
		"convo_workspace":   {"workspace_id": "https://service.example/ws_1"},
		"convo_members":     {"workspace_id": "a\nb"},
		"convo_agents":      {"query": object{"a": nil}},
		"convo_agent":       {"agent_id": "a "},
		"convo_agent_stats": {"agent_id": "", "period": "ever"},
		workspaceAuditType:  {"workspace_id": "", "agent_ids": list{""}, "stats_periods": list{nil}, "agent_query": object{"a": nil}},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			reported := map[string]bool{}
			for _, d := range errorsIn(newTestProvider(t).validateData(source, config)) {
				argument, _, _ := strings.Cut(d.Attribute.String(), ".") // Without an element in it.
				reported[argument] = true
			}
			want := map[string]bool{}
			for argument := range config {
				want[fmt.Sprintf("AttributeName(%q)", argument)] = true
			}
			if diff := cmp.Diff(want, reported); diff != "" {
				t.Errorf("unexpected errors (-want +got):\n%s", diff)
			}
		})
	}
}
