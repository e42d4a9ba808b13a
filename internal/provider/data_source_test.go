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

// Values that a response should have, but lacks, are named in a warning.
func TestMissingValues(t *testing.T) {
	t.Parallel()
	s := startService(t, withoutFields("workspace.plan", "stats.totalStarts", "currentUserMode"))
	p := configuredProvider(t, s)
	state, diagnostics := p.read("convo_agent_stats", object{"agent_id": "agt_returns"})
	requireWarning(t, diagnostics, `agent "agt_returns"`, ": totalStarts.")
	if state["total_starts"] != nil || state["completion_percent"] != nil {
		t.Errorf("got the state %v", state)
	}
	_, diagnostics = p.read("convo_workspace", object{"workspace_id": "larkspur"})
	requireWarning(t, diagnostics, `workspace "larkspur"`, ": plan.")
	_, diagnostics = p.read("convo_agent", object{"agent_id": "agt_returns"})
	requireWarning(t, diagnostics, `agent "agt_returns"`, ": currentUserMode.")
}

// A list that may be incomplete causes a warning that names the evidence, and a
// complete one does not.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	for fields, evidence := range map[string]string{
		`"total":2`: "the field total",
		`"total":1`: "",
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceReturning(t, `{"agents":[{"id":"a"}],"members":[{"role":"ADMIN"}],`+fields+"}"))
			requireIncomplete(t, p, "convo_agents", object{}, "agents", evidence)
			requireIncomplete(t, p, "convo_members", object{"workspace_id": "w"}, "members", evidence)
		})
	}
}

// requireIncomplete requires the warning that a list may be incomplete, with
// exactly the given evidence, or no warning for "".
func requireIncomplete(t *testing.T, p *testProvider, source string, config object, noun, evidence string) {
	t.Helper()
	_, diagnostics := p.read(source, config)
	if evidence == "" {
		requireNone(t, diagnostics)
		return
	}
	requireWarning(t, diagnostics, "[] The list of "+noun+" may be incomplete\n", "(evidence: "+evidence+").")
}
