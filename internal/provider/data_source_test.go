// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// readCase is a read of the development server's data. TestReadParity,
// TestDiagnostics, and FuzzReads use the cases, too.
type readCase struct {
	name   string
	source string // the type of the data source
	config object // its arguments
	// requests are all requests that the read sends, sorted.
	requests []string
	// want is the state without the arguments, written by hand from the
	// development server's data.
	want object
	// summary and about are how an error names a read that sends a single
	// request, and its object.
	summary, about string
}

// Every read returns what a person expects of the development server, with
// exactly the requests that it needs.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, test := range readCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			state, diagnostics := configuredProvider(t, s).read(test.source, test.config)
			requireExactly(t, diagnostics)
			want := object{}
			for name := range state {
				want[name] = test.config[name] // null, if the case does not set the argument
			}
			maps.Copy(want, test.want)
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.requests, s.sent()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

// readCases returns the cases of all data sources. Each data source's file of
// tests has its own.
func readCases() []readCase {
	return slices.Concat(
		workspaceReadCases(),
		membersReadCases(),
		agentsReadCases(),
		agentReadCases(),
		agentStatsReadCases(),
		workspaceAuditReadCases(),
	)
}

// Four failures in a row are survived with exactly four more requests.
func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	for fault, handler := range temporaryFaults() {
		for _, test := range readCases() {
			t.Run(fault+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				s := startService(t, devserver.WithFault(firstFaults(4, handler)))
				configuredProvider(t, s, object{"max_retries": nil}).mustRead(test.source, test.config)
				if got := len(s.Requests()); got != 4+len(test.requests) {
					t.Errorf("sent %d requests, want %d", got, 4+len(test.requests))
				}
			})
		}
	}
}

// responseCase is a read of a response that does not match the documented API.
type responseCase struct {
	name     string
	source   string
	config   object
	response string
	// about is the object that the diagnostic names, and want is what it says
	// about the response.
	about, want string
}

// A documented field that is missing is null, and one warning names all of them.
func TestReadsWarnAboutMissingFields(t *testing.T) {
	t.Parallel()
	for _, test := range missingFieldCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startServiceReturning(t, test.response)
			state, diagnostics := configuredProvider(t, s).read(test.source, test.config)
			requireWarning(t, diagnostics, "[] Documented fields are missing\n", test.about, ": "+test.want+".")
			for name := range strings.SplitSeq(test.want, ", ") {
				if value, ok := state[name]; !ok || value != nil {
					t.Errorf("%s is %v", name, value)
				}
			}
		})
	}
}

func missingFieldCases() []responseCase {
	return []responseCase{
		{
			name:     "workspace without a value",
			source:   "convo_workspace",
			config:   object{"workspace_id": "larkspur"},
			response: `{"workspace":{"plan":null,"icon":null}}`,
			about:    `workspace "larkspur"`,
			want: "id, created_at, updated_at, last_activity_at, name, plan, is_quarantined, is_suspended, is_past_due, " +
				"chat_usage, extras, addons",
		},
		{
			name:     "agent with null mode",
			source:   "convo_agent",
			config:   object{"agent_id": "agt_returns"},
			response: `{"agent":{},"currentUserMode":null}`,
			about:    `agent "agt_returns"`,
			want:     "current_user_mode",
		},
		{
			name:     "statistics with null",
			source:   "convo_agent_stats",
			config:   object{"agent_id": "agt_returns"},
			response: `{"stats":{"totalViews":1,"totalStarts":null,"totalCompleted":1}}`,
			about:    `agent "agt_returns"`,
			want:     "total_starts",
		},
	}
}

// A response that does not match the documented API fails the read, and the
// error lists everything that is wrong.
func TestReadsRejectInvalidResponses(t *testing.T) {
	t.Parallel()
	for _, test := range invalidResponseCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startServiceReturning(t, test.response)
			_, diagnostics := configuredProvider(t, s).read(test.source, test.config)
			requireError(t, diagnostics, test.about, ":\n"+test.want+"\n\n")
		})
	}
}

func invalidResponseCases() []responseCase {
	return []responseCase{
		{
			name:     "null workspace",
			source:   "convo_workspace",
			config:   object{"workspace_id": "larkspur"},
			response: `{"workspace":null}`,
			about:    `workspace "larkspur"`,
			want:     "  - workspace: expected an object, got null",
		},
		{
			name:     "number instead of member",
			source:   "convo_members",
			config:   object{"workspace_id": "larkspur"},
			response: `{"members":[1,{}]}`,
			about:    `workspace "larkspur"`,
			want:     "  - members[0]: expected an object, got a number",
		},
		{
			name:     "null agents",
			source:   "convo_agents",
			config:   object{},
			response: `{"agents":null}`,
			about:    "the agents",
			want:     "  - agents: expected an array, got null",
		},
		{
			name:     "no agent",
			source:   "convo_agent",
			config:   object{"agent_id": "agt_returns"},
			response: `{"currentUserMode":"read"}`,
			about:    `agent "agt_returns"`,
			want:     "  - agent: required, but missing",
		},
		{
			name:     "two faults in an agent",
			source:   "convo_agent",
			config:   object{"agent_id": "agt_returns"},
			response: `{"agent":{"canvas":{"annotations":[{},{"zIndex":"1"}]},"graph":{"links":{}}}}`,
			about:    `agent "agt_returns"`,
			want: "  - agent.canvas.annotations[1].zIndex: expected a number, got a string\n" +
				"  - agent.graph.links: expected an array, got an object",
		},
		{
			name:     "string instead of counter",
			source:   "convo_agent_stats",
			config:   object{"agent_id": "agt_returns"},
			response: `{"stats":{"totalStarts":"1"}}`,
			about:    `agent "agt_returns"`,
			want:     "  - stats.totalStarts: expected a number, got a string",
		},
	}
}

// An ID that cannot be sent fails at its argument without a request, even if
// validation did not see it. Arguments that are unknown are not sent either.
func TestReadsWithoutARequest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s)
	_, diagnostics := p.read("convo_agent", object{"agent_id": ".."})
	requireExactly(t, diagnostics, "[AttributeName(\"agent_id\")] Unable to read agent\nThe ID of the agent \"..\" is not a valid ID, because it has a "+
		"special meaning in a URL path.")
	_, diagnostics = p.read("convo_agents", object{"query": unknown})
	requireError(t, diagnostics, "[AttributeName(\"query\")]")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// Every wrong argument is reported at its attribute. TestDiagnostics shows the
// texts.
func TestReadArguments(t *testing.T) {
	t.Parallel()
	for source, test := range map[string]struct {
		config object
		want   []string
	}{
		"convo_workspace": {
			config: object{"workspace_id": ".."},
			want:   []string{"workspace_id"},
		},
		"convo_members": {
			config: object{"workspace_id": "."},
			want:   []string{"workspace_id"},
		},
		"convo_agents": {
			config: object{"query": object{"a": nil}},
			want:   []string{"query"},
		},
		"convo_agent": {
			config: object{"agent_id": "", "query": object{"": "a"}},
			want:   []string{"agent_id", "query"},
		},
		"convo_agent_stats": {
			config: object{"agent_id": "", "period": "", "query": object{"a": nil}},
			want:   []string{"agent_id", "period", "query"},
		},
		workspaceAuditType: {
			config: object{
				"workspace_id":  "",
				"agent_ids":     list{""},
				"stats_periods": list{nil},
				"agent_query":   object{"a": nil},
			},
			want: []string{"agent_ids", "agent_query", "stats_periods", "workspace_id"},
		},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			var attributes []string
			for _, d := range errorsIn(newTestProvider(t).validateData(source, test.config)) {
				steps := d.Attribute.Steps()
				if len(steps) == 0 {
					t.Fatalf("an error without an attribute: %s", d.Detail)
				}
				attributes = append(attributes, string(steps[0].(tftypes.AttributeName)))
			}
			slices.Sort(attributes)
			if diff := cmp.Diff(test.want, attributes); diff != "" {
				t.Errorf("unexpected errors (-want +got):\n%s", diff)
			}
		})
	}
}
