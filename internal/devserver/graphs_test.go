// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// graph is the part of a definition that its mistakes are looked for in.
type graph struct {
	Links []struct {
		ID       string
		From, To struct{ BlockID, GroupID string }
	}
	Nodes       []any
	Memory      []struct{ ID, Name string }
	Entrypoints []struct{ ID, OutgoingEdgeID string }
}

// mistakes lists the mistakes of a definition's graph, by the assumptions that the provider documents. It shares no code with
// the provider, so that the seed can serve as an expectation of the provider's tests.
func mistakes(t *testing.T, definition json.RawMessage) []string {
	t.Helper()
	var parsed struct{ Graph graph }
	if err := json.Unmarshal(definition, &parsed); err != nil {
		t.Fatal(err)
	}
	g := parsed.Graph

	var found []string
	seen := map[string]bool{}
	once := func(kind, id string) {
		if seen[kind+id] {
			found = append(found, "duplicate "+id)
		}
		seen[kind+id] = true
	}

	nodes := map[string][]string{} // texts by ID of the node
	owner := map[string]string{}   // ID of the node by ID of anything in it
	for _, node := range g.Nodes {
		fields, _ := node.(map[string]any)
		id, ok := fields["id"].(string)
		if !ok {
			continue
		}
		once("node", id)
		nodes[id] = texts(node, func(inner string) { owner[inner] = id })
	}
	understood := false
	links := map[string]string{}
	for _, link := range g.Links {
		once("link", link.ID)
		_, exists := nodes[link.To.GroupID]
		understood = understood || exists
		links[link.ID] = link.To.GroupID
	}
	if !understood && len(g.Nodes) > 0 {
		return []string{"not understood"}
	}

	var reached []string
	for _, entry := range g.Entrypoints {
		once("entry", entry.ID)
		next := links[entry.OutgoingEdgeID]
		for _, link := range g.Links {
			if link.From.BlockID == entry.ID {
				next = link.To.GroupID
			}
		}
		if next == "" {
			found = append(found, "no link from "+entry.ID)
		}
		reached = append(reached, next)
	}
	for i := 0; i < len(reached); i++ {
		visit := func(id string) {
			if _, exists := nodes[id]; exists && !slices.Contains(reached, id) {
				reached = append(reached, id)
			}
		}
		for _, link := range g.Links {
			if owner[link.From.BlockID] == reached[i] {
				visit(link.To.GroupID)
			}
		}
		for _, text := range nodes[reached[i]] {
			visit(text) // a jump
		}
	}
	for id := range nodes {
		if !slices.Contains(reached, id) {
			found = append(found, "unreachable "+id)
		}
	}
	for _, link := range g.Links {
		if _, exists := nodes[link.To.GroupID]; !exists {
			found = append(found, "dangling "+link.ID)
		}
	}
	all := texts(g.Nodes, nil)
	for _, variable := range g.Memory {
		once("variable", variable.ID)
		use := regexp.MustCompile(`\{\{\s*` + regexp.QuoteMeta(variable.Name) + `\s*\}\}`)
		if !slices.ContainsFunc(all, func(text string) bool {
			return strings.Contains(text, variable.ID) || use.MatchString(text)
		}) {
			found = append(found, "unused "+variable.ID)
		}
	}
	slices.Sort(found)
	return found
}

// texts returns the texts inside a JSON value, and calls inner for each ID inside it.
func texts(value any, inner func(id string)) []string {
	var found []string
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, element := range value {
			found = append(found, texts(element, inner)...)
		}
	case map[string]any:
		for key, field := range value {
			if id, ok := field.(string); ok && key == "id" && inner != nil {
				inner(id)
			}
			found = append(found, texts(field, inner)...)
		}
	}
	return found
}

// TestGraphs holds which mistakes the graphs of the default seed have: the provider's tests and examples rely on them.
func TestGraphs(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, agent := range devserver.DefaultSeed().Agents {
		got[agent.ID] = mistakes(t, agent.Definition)
	}
	want := map[string][]string{
		"agt_workshop":    nil, // grp_callback is reached only by a jump
		"agt_returns":     {"unused var_courier"},
		"agt_survey":      nil,
		"agt_bikefit":     nil,
		"agt_orders":      {"unreachable grp_holiday"},
		"agt_winter_sale": {"duplicate lnk_checkout"},
		"agt_scratch":     {"no link from ent_start"},
		"agt_jobs":        {"unused var_contact"},
		"agt_trade":       {"no link from ent_renew"},
		"agt_warranty":    {"not understood"},
		"agt_kiosk":       {"dangling lnk_cargo"},
		"agt_lost_found":  nil,
		"agt_tide_visit":  nil,
		"agt_tide_nulls":  nil,
		"agt_tide_leaves": {"not understood"},
		"agt_tide_bare":   nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

// TestJump holds that agt_workshop has a node that only a jump leads to: no link does.
func TestJump(t *testing.T) {
	t.Parallel()
	var definition struct{ Graph graph }
	if err := json.Unmarshal(agentOf(t, "agt_workshop").Definition, &definition); err != nil {
		t.Fatal(err)
	}
	for _, link := range definition.Graph.Links {
		if link.To.GroupID == "grp_callback" {
			t.Errorf("%s leads to grp_callback", link.ID)
		}
	}
}

func TestGeneratedGraphsAreSound(t *testing.T) {
	t.Parallel()
	agents := devserver.ManyAgents(100).Agents
	for _, size := range []int{0, 1, 1 << 17} {
		agents = append(agents, devserver.LargeAgent("agt_large", size))
	}
	for _, agent := range agents {
		if got := mistakes(t, agent.Definition); len(got) > 0 {
			t.Errorf("%s of %d bytes: %v", agent.ID, len(agent.Definition), got)
		}
	}
	for _, agent := range agents[:100] {
		var definition struct{ Graph graph }
		if err := json.Unmarshal(agent.Definition, &definition); err != nil {
			t.Fatal(err)
		}
		if got := len(definition.Graph.Nodes); got < 10 {
			t.Errorf("%s has %d nodes, want 10 or more", agent.ID, got)
		}
	}
}
