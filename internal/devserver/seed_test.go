// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
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

// lookup describes the value at a dotted path of a JSON document: absent, null, or its JSON.
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

// TestStates holds the states of the first workspace's agents, which other packages' tests rely on.
func TestStates(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, agent := range devserver.DefaultSeed().Agents {
		if agent.WorkspaceID != "ws_larkspur01" {
			continue
		}
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

// TestSummariesAgree holds that the list and the definition have the same value where both have one.
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
			if slices.Contains([]string{"absent", "null"}, alone) {
				continue
			}
			if inList != alone {
				t.Errorf("%s: %s is %s in the list, but %s is %s", agent.ID, summary, inList, definition, alone)
			}
		}
	}
}

// TestNulls holds that the second workspace has null, and no value at all, for every field of an agent and a member.
func TestNulls(t *testing.T) {
	t.Parallel()
	definition := agentOf(t, "agt_tide_leaves").Definition
	for path := range strings.FieldsSeq(`
		ref.key ref.revision ref.publicKey
		profile.title profile.summary profile.icon profile.labels.0
		graph.links.0.id graph.links.0.from.blockId graph.links.0.from.itemId graph.links.0.to.groupId
		graph.links.0.to.blockId graph.links.1.from graph.links.1.to graph.links.2
		graph.nodes.0
		graph.memory.0.id graph.memory.0.name graph.memory.0.isSessionVariable graph.memory.0.value graph.memory.1
		graph.entrypoints.0.id graph.entrypoints.0.graphCoordinates.x graph.entrypoints.0.graphCoordinates.y
		graph.entrypoints.0.type graph.entrypoints.0.outgoingEdgeId graph.entrypoints.1.graphCoordinates
		graph.entrypoints.2
		canvas.appearance canvas.annotations.0.id canvas.annotations.0.zIndex canvas.annotations.1 canvas.presetId
		execution.rules execution.simulation
		exposure.state.published exposure.state.archived exposure.state.locked exposure.schedule.publishedAt
		exposure.access.url exposure.access.domain exposure.access.share.token exposure.access.share.rules
		tenancy.workspaceRef tenancy.domainRef tenancy.workspace.isSuspended tenancy.workspace.isPastDue
		tenancy.workspace.members.0.userId tenancy.workspace.members.1 tenancy.workspace.collaborators.0
		timestamps.created timestamps.updated
		taxonomy.tags.ids.0 taxonomy.tags.relations.0
		safeguards.security safeguards.riskScore
		telemetry.tables.order.0 telemetry.tables.visibility telemetry.tables.width
		integrations.messaging.credentialsRef`) {
		if got := lookup(t, definition, path); got != "null" {
			t.Errorf("agt_tide_leaves: %s is %s, want null", path, got)
		}
	}

	nulls, bare := agentOf(t, "agt_tide_nulls"), agentOf(t, "agt_tide_bare")
	for group := range strings.FieldsSeq("ref profile graph canvas execution exposure tenancy timestamps taxonomy " +
		"safeguards telemetry integrations") {
		if got := lookup(t, nulls.Definition, group); got != "null" {
			t.Errorf("agt_tide_nulls: %s is %s, want null", group, got)
		}
	}
	for field := range strings.FieldsSeq("name icon description url publicId isPublished publishedAt domainId tags " +
		"createdAt updatedAt") {
		if got := lookup(t, nulls.Summary, field); got != "null" {
			t.Errorf("agt_tide_nulls: %s is %s in the list, want null", field, got)
		}
	}
	if string(bare.Definition) != `{}` {
		t.Errorf("agt_tide_bare: the definition is %s, want {}", bare.Definition)
	}

	for path, want := range map[string]string{
		"1.user.name": "null", "1.user.email": "null", "1.user.image": "null",
		"2.user.name": "absent", "2.user.email": `"kai@tidepool-studio.example"`,
		"3.user": "null", "3.role": `"GUEST"`,
		"4.workspaceId": "null", "4.role": "null",
		"5.workspaceId": "absent", "5.user.email": "absent", "5.role": "absent",
	} {
		members, err := json.Marshal(devserver.DefaultSeed().Workspaces[1].Lists["members"])
		if err != nil {
			t.Fatal(err)
		}
		if got := lookup(t, members, path); got != want {
			t.Errorf("members.%s is %s, want %s", path, got, want)
		}
	}
}
