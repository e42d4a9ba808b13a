// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestReads(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configured(t, s)
	stats := func(period any, views, starts, completed string) object {
		return object{
			"agent_id": "agt_returns", "period": period,
			"total_views": number(views), "total_starts": number(starts), "total_completed": number(completed),
		}
	}
	tests := map[string]struct {
		source string
		config object
		want   object
	}{
		"workspace by slug":                   {"convo_workspace", object{"workspace_id": "larkspur"}, expectedWorkspace()},
		"workspace with nulls":                {"convo_workspace", object{"workspace_id": "ws_tidepool02", "get_default": false}, expectedSparseWorkspace()},
		"members":                             {"convo_members", object{"workspace_id": "ws_larkspur01"}, expectedMembers()},
		"agent with everything":               {"convo_agent", object{"agent_id": "agt_returns"}, expectedFullAgent()},
		"agent with little, and its document": {"convo_agent", object{"agent_id": "agt_scratch", "include_definition_json": true}, expectedSparseAgent()},
		"statistics without a period":         {"convo_agent_stats", object{"agent_id": "agt_returns"}, stats(nil, "1535810", "153600", "15368")},
		"statistics of a day":                 {"convo_agent_stats", object{"agent_id": "agt_returns", "period": "today"}, stats("today", "7", "3", "1")},
		"statistics of a week":                {"convo_agent_stats", object{"agent_id": "agt_returns", "period": "last7Days"}, stats("last7Days", "70", "26", "12")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, p.mustRead(test.source, test.config)); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadAgents(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead("convo_agents", object{"query": object{"folder": "a b", "limit": "10&x=1"}})

	agents := state["agents"].(list)
	var ids list
	for _, agent := range agents {
		ids = append(ids, agent.(object)["id"])
	}
	if diff := cmp.Diff(expectedAgentIDs(), ids); diff != "" {
		t.Fatalf("unexpected agents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(expectedFullSummary(), agents[5]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(expectedSparseSummary(), agents[6]); diff != "" {
		t.Errorf("unexpected agent (-want +got):\n%s", diff)
	}
	if got, want := s.Requests()[0].RawQuery, "folder=a+b&limit=10%26x%3D1"; got != want {
		t.Errorf("sent the query %q, want %q", got, want)
	}
}

// What is sent for each read: one request, as the interface has it.
func TestReadRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		source string
		config object
		want   string
	}{
		"workspace":             {"convo_workspace", object{"workspace_id": "larkspur"}, "/v1/workspaces/larkspur"},
		"workspace, default":    {"convo_workspace", object{"workspace_id": "larkspur", "get_default": true}, "/v1/workspaces/larkspur?getDefault=true"},
		"workspace, no default": {"convo_workspace", object{"workspace_id": "larkspur", "get_default": false}, "/v1/workspaces/larkspur?getDefault=false"},
		"members":               {"convo_members", object{"workspace_id": "larkspur"}, "/v1/workspaces/larkspur/members"},
		"agents":                {"convo_agents", object{}, "/v1/agents"},
		"agent":                 {"convo_agent", object{"agent_id": "a/b c?d#é"}, "/v1/agents/a%2Fb%20c%3Fd%23%C3%A9"},
		"statistics":            {"convo_agent_stats", object{"agent_id": "a"}, "/v1/agents/a/analytics/stats"},
		"statistics, period":    {"convo_agent_stats", object{"agent_id": "a", "period": "lastMonth"}, "/v1/agents/a/analytics/stats?timeFilter=lastMonth"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			_, _ = configured(t, s).read(test.source, test.config)
			var got []string
			for _, r := range s.Requests() {
				got = append(got, strings.TrimSuffix(r.Method+" "+r.Path+"?"+r.RawQuery, "?"))
			}
			if diff := cmp.Diff([]string{"GET " + test.want}, got); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
		})
	}
}

// Another implementation of the naming and null rules, over documents that
// nobody wrote an expectation for.
func TestAgentsAgreeWithTheService(t *testing.T) {
	t.Parallel()
	seed := devserver.ManyAgents(40)
	seed.Agents = append(seed.Agents, devserver.DefaultSeed().Agents...)
	p := configured(t, startService(t, devserver.WithSeed(seed)))
	attributes := p.schema.DataSourceSchemas["convo_agent"].ValueType().(tftypes.Object).AttributeTypes
	for _, argument := range []string{"agent_id", "include_definition_json", "definition_json", "current_user_mode"} {
		delete(attributes, argument)
	}
	for _, agent := range seed.Agents {
		state := p.mustRead("convo_agent", object{"agent_id": agent.ID, "include_definition_json": true})
		agree(t, agent.ID, attributes, parse(t, agent.Definition), state)
		if diff := cmp.Diff(parse(t, agent.Definition), parse(t, []byte(state["definition_json"].(string)))); diff != "" {
			t.Errorf("%s: definition_json differs (-want +got):\n%s", agent.ID, diff)
		}
	}
}

// agree compares an object of the service's with the attributes made of it.
func agree(t *testing.T, location string, types map[string]tftypes.Type, document any, state object) {
	t.Helper()
	source, _ := document.(map[string]any)
	for name, typ := range types {
		words := strings.Split(strings.TrimSuffix(name, "_json"), "_")
		key := words[0]
		for _, word := range words[1:] {
			key += strings.ToUpper(word[:1]) + word[1:]
		}
		here := location + "." + key
		want, got := source[key], state[name]
		switch {
		case want == nil || got == nil:
			if want != nil || got != nil {
				t.Errorf("%s: got %v, want %v", here, got, want)
			}
		case strings.HasSuffix(name, "_json"):
			if diff := cmp.Diff(want, parse(t, []byte(got.(string)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", here, diff)
			}
		default:
			agreeValue(t, here, typ, want, got)
		}
	}
}

func agreeValue(t *testing.T, location string, typ tftypes.Type, want, got any) {
	t.Helper()
	if want == nil || got == nil { // an element that is null
		if want != nil || got != nil {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
		return
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		agree(t, location, typ.AttributeTypes, want, got.(object))
	case tftypes.List:
		elements := want.([]any)
		if len(elements) != len(got.(list)) {
			t.Errorf("%s: got %d elements, want %d", location, len(got.(list)), len(elements))
			return
		}
		for i := range elements {
			agreeValue(t, fmt.Sprintf("%s[%d]", location, i), typ.ElementType, elements[i], got.(list)[i])
		}
	default:
		if text, ok := want.(json.Number); ok && typ.Is(tftypes.Number) {
			float, _, err := big.ParseFloat(text.String(), 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			want = number(float.Text('f', -1))
		}
		if want != got {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
	}
}

func parse(t *testing.T, document []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// An answer without a required field fails and names every such field.
func TestReadsRefuseIncompleteAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		source string
		config object
		answer string
		want   []string
	}{
		"workspace":       {"convo_workspace", object{"workspace_id": "w"}, `{}`, []string{"workspace: is missing"}},
		"workspace, null": {"convo_workspace", object{"workspace_id": "w"}, `{"workspace":null}`, []string{"workspace: is null"}},
		"workspace, its fields": {
			"convo_workspace", object{"workspace_id": "w"}, `{"workspace":{"id":"w","plan":null,"icon":null}}`,
			[]string{
				"workspace.createdAt: is missing", "workspace.updatedAt: is missing", "workspace.lastActivityAt: is missing",
				"workspace.name: is missing", "workspace.plan: is null", "workspace.isQuarantined: is missing",
				"workspace.isSuspended: is missing", "workspace.isPastDue: is missing", "workspace.chatUsage: is missing",
				"workspace.extras: is missing", "workspace.addons: is missing",
			},
		},
		"members":        {"convo_members", object{"workspace_id": "w"}, `{"member":[]}`, []string{"members: is missing"}},
		"agents":         {"convo_agents", object{}, `{"agents":null}`, []string{"agents: is null"}},
		"agent and mode": {"convo_agent", object{"agent_id": "a"}, `{}`, []string{"agent: is missing", "currentUserMode: is missing"}},
		"statistics":     {"convo_agent_stats", object{"agent_id": "a"}, `{"stats":{"totalStarts":1}}`, []string{"stats.totalViews: is missing", "stats.totalCompleted: is missing"}},
		"a value of another kind": {
			"convo_agent", object{"agent_id": "a"},
			`{"agent":{"canvas":{"annotations":[{},{"zIndex":"1"}]}},"currentUserMode":"read"}`,
			[]string{"agent.canvas.annotations[1].zIndex: expected a number, got a string"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configured(t, answering(t, test.answer))
			_, diagnostics := p.read(test.source, test.config)
			d := requireError(t, diagnostics, append(test.want, "Unable to read ", "200 OK")...)
			if got := strings.Count(d.Detail, "  - "); got != len(test.want) {
				t.Errorf("got %d problems, want %d:\n%s", got, len(test.want), d.Detail)
			}
		})
	}
}

// Unknown fields and enum values, and any JSON where a string is expected.
func TestReadsTakeMoreThanTheInterfaceNames(t *testing.T) {
	t.Parallel()
	p := configured(t, answering(t, `{
		"agent": {"brandNew": {"x": [1]}, "profile": {"title": 12, "more": null}, "canvas": {"annotations": [{"color": "mauve"}]},
			"graph": {"memory": [{"value": {"b": 2, "a": [1.0]}}, {"value": false}]}},
		"currentUserMode": "owner", "extra": 1
	}`))
	state := p.mustRead("convo_agent", object{"agent_id": "a"})
	if state["current_user_mode"] != "owner" {
		t.Errorf("got the mode %v", state["current_user_mode"])
	}
	if title := state["profile"].(object)["title"]; title != "12" {
		t.Errorf("got the title %v", title)
	}
	if color := state["canvas"].(object)["annotations"].(list)[0].(object)["color"]; color != "mauve" {
		t.Errorf("got the color %v", color)
	}
	var values list
	for _, variable := range state["graph"].(object)["memory"].(list) {
		values = append(values, variable.(object)["value"])
	}
	if diff := cmp.Diff(list{`{"a":[1.0],"b":2}`, "false"}, values); diff != "" {
		t.Errorf("unexpected values (-want +got):\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	s := startService(t)
	agent := object{"agent_id": "agt_returns"}
	workspace := object{"workspace_id": "ws_larkspur01"}
	tests := map[string]struct {
		token     string
		source    string
		config    object
		attribute string
		want      []string
	}{
		"wrong token":      {"wrong-token", "convo_agent", agent, "", []string{"Unable to read agent", "401 Unauthorized", "UNAUTHORIZED", `agent "agt_returns"`, "CONVO_TOKEN"}},
		"no access":        {devserver.TokenNoAccess, "convo_agents", object{}, "", []string{"Unable to read agents", "403 Forbidden", "Insufficient access (FORBIDDEN)"}},
		"guest":            {devserver.TokenGuest, "convo_members", workspace, "", []string{"Unable to read members", "403 Forbidden", "lacks access"}},
		"no such agent":    {devserver.TokenWrite, "convo_agent", object{"agent_id": "agt_nope"}, "agent_id", []string{"404 Not Found", `agent "agt_nope"`, "Check agent_id"}},
		"no such stats":    {devserver.TokenWrite, "convo_agent_stats", object{"agent_id": "agt_nope"}, "agent_id", []string{"404 Not Found", `agent "agt_nope"`}},
		"no such space":    {devserver.TokenWrite, "convo_workspace", object{"workspace_id": "ws_nope"}, "workspace_id", []string{"404 Not Found", `workspace "ws_nope"`}},
		"no such members":  {devserver.TokenWrite, "convo_members", object{"workspace_id": "ws_nope"}, "workspace_id", []string{"404 Not Found"}},
		"a period unknown": {devserver.TokenWrite, "convo_agent_stats", object{"agent_id": "agt_returns", "period": "fortnight"}, "", []string{"400 Bad Request", "Invalid input data (BAD_REQUEST)", "  - "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics := configured(t, s, object{"token": test.token}).read(test.source, test.config)
			d := requireError(t, diagnostics, test.want...)
			if got := strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), `AttributeName("`), `")`); got != test.attribute {
				t.Errorf("the error is at %q, want %q", got, test.attribute)
			}
			if strings.Contains(d.Detail, d.Summary) {
				t.Errorf("the detail repeats the summary:\n%s", describe(d))
			}
		})
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	tests := map[string]struct {
		source string
		config object
		want   []string
	}{
		"empty id":        {"convo_agent", object{"agent_id": ""}, []string{"agent_id", "must not be empty"}},
		"dots":            {"convo_workspace", object{"workspace_id": ".."}, []string{"workspace_id", `".."`}},
		"a dot":           {"convo_members", object{"workspace_id": "."}, []string{"workspace_id", `"."`}},
		"period":          {"convo_agent_stats", object{"agent_id": "a", "period": "last8Days"}, []string{"period", `"last7Days"`, "last8Days"}},
		"empty period":    {"convo_agent_stats", object{"agent_id": "a", "period": ""}, []string{"period"}},
		"null in a query": {"convo_agents", object{"query": object{"a": nil}}, []string{"query"}},
		"unnamed query":   {"convo_agents", object{"query": object{"": "a"}}, []string{"query"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, p.validateData(test.source, test.config), test.want...)
		})
	}
	for _, period := range []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"} {
		requireNoErrors(t, p.validateData("convo_agent_stats", object{"agent_id": "a", "period": period}))
	}
	requireNoErrors(t, p.validateData("convo_agent_stats", object{"agent_id": unknown, "period": unknown}))
}

// The order of an answer means nothing where the interface promises none.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()
	s := answering(t, `{"agents":[{"id":"b"},{"id":"c"},{},{"id":"a"}]}`)
	state := configured(t, s).mustRead("convo_agents", object{})
	var ids list
	for _, agent := range state["agents"].(list) {
		ids = append(ids, agent.(object)["id"])
	}
	if !slices.Equal(ids, list{nil, "a", "b", "c"}) {
		t.Errorf("got the order %v", ids)
	}
}
