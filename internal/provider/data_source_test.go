// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"
)

// A response without the object or list that it is about is an error.
func TestResponseWithoutItsContent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments      object
		target, missed string
	}{
		"convo_agent":       {object{"agent_id": "agt_1"}, `agent "agt_1"`, "agent"},
		"convo_agents":      {object{}, "the agents", "agents"},
		"convo_agent_stats": {object{"agent_id": "agt_1"}, `agent "agt_1"`, "stats"},
		"convo_members":     {object{"workspace_id": "larkspur"}, `workspace "larkspur"`, "members"},
		"convo_workspace":   {object{"workspace_id": "larkspur"}, `workspace "larkspur"`, "workspace"},
	} {
		for _, body := range []string{`{}`, fmt.Sprintf(`{%q:null}`, test.missed)} {
			t.Run(name+body, func(t *testing.T) {
				t.Parallel()
				_, diagnostics := configuredProvider(t, startServiceReturning(t, body)).read(name, test.arguments)
				requireError(t, diagnostics, test.target, test.missed+": required, but null or missing.")
			})
		}
	}
}
