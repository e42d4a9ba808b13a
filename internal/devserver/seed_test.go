// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// agentOf returns one agent of the default seed.
func agentOf(t *testing.T, id string) devserver.Agent {
	t.Helper()
	for _, agent := range devserver.DefaultSeed().Agents {
		if agent.ID == id {
			return agent
		}
	}
	t.Fatalf("no agent %q", id)
	return devserver.Agent{}
}

// lookup describes what stands at a dotted path of a JSON document: absent, null, or its JSON.
func lookup(t *testing.T, document json.RawMessage, path string) string {
	t.Helper()
	for key := range strings.SplitSeq(path, ".") {
		var next json.RawMessage
		if index, err := strconv.Atoi(key); err == nil {
			var elements []json.RawMessage
			if err := json.Unmarshal(document, &elements); err != nil || index >= len(elements) {
				return "absent"
			}
			next = elements[index]
		} else {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(document, &fields); err != nil {
				return "absent"
			}
			var ok bool
			if next, ok = fields[key]; !ok {
				return "absent"
			}
		}
		document = next
	}
	return string(document)
}

// TestFullAgent holds that every field of the table "Agent (full definition)" has a value in agt_returns.
func TestFullAgent(t *testing.T) {
	t.Parallel()
	definition := agentOf(t, "agt_returns").Definition

	paths := strings.Fields(`
		ref.key ref.revision ref.publicKey
		profile.title profile.summary profile.icon profile.labels
		graph.nodes.0 graph.nodes.1
		canvas.appearance canvas.presetId
		execution.rules execution.simulation
		exposure.state.published exposure.state.archived exposure.state.locked
		exposure.schedule.publishedAt
		exposure.access.url exposure.access.domain exposure.access.share.token exposure.access.share.rules
		tenancy.workspaceRef tenancy.domainRef
		tenancy.workspace.isSuspended tenancy.workspace.isPastDue
		tenancy.workspace.members.0.userId tenancy.workspace.members.1.userId
		tenancy.workspace.collaborators.0 tenancy.workspace.collaborators.1
		timestamps.created timestamps.updated
		taxonomy.tags.ids taxonomy.tags.relations.0 taxonomy.tags.relations.1
		safeguards.security safeguards.riskScore
		telemetry.tables.order telemetry.tables.visibility telemetry.tables.width
		integrations.messaging.credentialsRef`)
	for i := range 2 {
		for list, fields := range map[string]string{
			"graph.links":        "id from.blockId from.itemId to.groupId to.blockId",
			"graph.memory":       "id name isSessionVariable value",
			"graph.entrypoints":  "id graphCoordinates.x graphCoordinates.y type outgoingEdgeId",
			"canvas.annotations": "id type content x y width height color zIndex",
		} {
			for field := range strings.FieldsSeq(fields) {
				paths = append(paths, fmt.Sprintf("%s.%d.%s", list, i, field))
			}
		}
	}

	for _, path := range paths {
		if got := lookup(t, definition, path); got == "absent" || got == "null" {
			t.Errorf("%s is %s", path, got)
		}
	}
	for path, want := range map[string]string{
		"graph.nodes.1.numbers.beyondDouble": "9007199254740993",
		"graph.nodes.1.numbers.huge":         "12345678901234567890123",
		"graph.nodes.1.numbers.small":        "1e-7",
		"graph.nodes.0.graphCoordinates.y":   "1e3",
		"graph.nodes.4":                      "null",
		"safeguards.riskScore":               "12.75",
	} {
		if got := lookup(t, definition, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestSparseAgent holds that agt_scratch keeps what is absent, null and empty apart.
func TestSparseAgent(t *testing.T) {
	t.Parallel()
	agent := agentOf(t, "agt_scratch")

	for path, want := range map[string]string{
		"tenancy":                        "absent",
		"integrations":                   "absent",
		"profile.summary":                "absent",
		"timestamps.updated":             "absent",
		"exposure.state.locked":          "absent",
		"graph.entrypoints.0.type":       `"start"`,
		"graph.entrypoints.0.graphCoord": "absent",
		"canvas":                         "null",
		"ref.publicKey":                  "null",
		"graph.memory":                   "null",
		"taxonomy.tags":                  "null",
		"execution.simulation":           "null",
		"exposure.access.share.rules":    "null",
		"profile.title":                  `""`,
		"exposure.access.url":            `""`,
		"profile.labels":                 "[]",
		"graph.nodes":                    "[]",
		"execution.rules":                "{}",
		"telemetry.tables.visibility":    "{}",
		"safeguards.riskScore":           "0",
		"exposure.state.published":       "false",
	} {
		if got := lookup(t, agent.Definition, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := lookup(t, agent.Summary, "updatedAt"); got != "absent" {
		t.Errorf("updatedAt of the summary is %s, want it absent", got)
	}
}

// TestStates holds what the tests of others find in the seed.
func TestStates(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, agent := range devserver.DefaultSeed().Agents {
		var state []string
		for _, flag := range []string{"published", "archived", "locked"} {
			if lookup(t, agent.Definition, "exposure.state."+flag) == "true" {
				state = append(state, flag)
			}
		}
		if at := lookup(t, agent.Definition, "exposure.schedule.publishedAt"); at == "null" {
			state = append(state, "never published")
		}
		got[agent.ID] = strings.Join(state, ", ")
	}
	want := map[string]string{
		"agt_workshop":    "published",
		"agt_returns":     "published",
		"agt_survey":      "",
		"agt_bikefit":     "never published",
		"agt_orders":      "published, locked",
		"agt_winter_sale": "archived",
		"agt_scratch":     "never published",
		"agt_jobs":        "published",
		"agt_trade":       "published, locked",
		"agt_warranty":    "never published",
		"agt_kiosk":       "published",
		"agt_lost_found":  "archived, locked",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestSummariesAgree holds that an agent looks the same in the list and by itself.
func TestSummariesAgree(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = append(seed.Agents, devserver.ManyAgents(50).Agents...)
	for _, agent := range seed.Agents {
		for summary, definition := range map[string]string{
			"id":          "ref.key",
			"name":        "profile.title",
			"isPublished": "exposure.state.published",
			"createdAt":   "timestamps.created",
		} {
			inList, alone := lookup(t, agent.Summary, summary), lookup(t, agent.Definition, definition)
			if inList != alone {
				t.Errorf("%s: %s is %s in the list, but %s is %s", agent.ID, summary, inList, definition, alone)
			}
		}
	}
}
