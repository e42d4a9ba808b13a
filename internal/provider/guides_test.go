// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

const guidesRoot = "../../templates/guides"

// The tables on the page of convo_agent name attributes that exist, first those of
// the list and the audit, then those of the audit alone, and leave out none.
func TestTablesOfAttributes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../templates/data-sources/agent.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	var names [2][]string
	tables := strings.Split(string(content), "|---|---|\n")[1:]
	if len(tables) != len(names) {
		t.Fatalf("got %d tables, want %d", len(tables), len(names))
	}
	for i, table := range tables {
		table, _, _ = strings.Cut(table, "\n\n")
		for row := range strings.Lines(table) {
			cells := strings.Split(row, "|")
			paths = append(paths, strings.Trim(cells[1], " `"))
			names[i] = append(names[i], strings.Trim(cells[2], " `"))
		}
	}

	listed := slices.Sorted(maps.Keys(agentSummaryAttributes()))
	audited := slices.Sorted(maps.Keys(auditedAgentAttributes()))
	notInDefinitions := []string{"definition_hash", "definition_parts", "external_hosts", "graph_findings", "is_shared", "stats", "variables"}
	if diff := cmp.Diff(listed, slices.Sorted(slices.Values(names[0]))); diff != "" {
		t.Errorf("attributes of the list (-schema +table):\n%s", diff)
	}
	if diff := cmp.Diff(audited, slices.Sorted(slices.Values(slices.Concat(names[0], names[1], notInDefinitions)))); diff != "" {
		t.Errorf("attributes of the audit (-schema +table):\n%s", diff)
	}
	agent := agentAttributes()
	for _, path := range paths {
		if slices.Contains([]string{"agent_id", "current_user_mode"}, path) {
			continue
		}
		attributes := agent
		for name := range strings.SplitSeq(path, ".") {
			attribute, ok := attributes[name]
			if !ok {
				t.Errorf("convo_agent has no attribute %s", path)
				break
			}
			attributes = nil
			if object, ok := attribute.(schema.SingleNestedAttribute); ok {
				attributes = object.Attributes
			}
		}
	}
}

// checkAllAgents runs the guide's block for all agents, which needs no function.
func (e *example) checkAllAgents() {
	e.t.Helper()
	e.write("all/main.tf", requiredProvider+e.guideBlock("review-a-conversation", 1))
	const plan = "cd all; terraform plan"
	output := e.succeeds("cd all; terraform init; terraform plan", "Warning: Check block assertion failed",
		`agt_jobs: The variable "contactPerson" is not used. Sessions do not need it. `+
			`agt_kiosk: The link from the node "Fahrradtyp" leads to "grp_cargo", which is not in the graph. A session ends there. `+
			`agt_orders: No links or jumps lead from an entry point to the node "Holiday notice", so no session reaches it. agt_orders: No variable has exactly the name in "{{number}}", which the node "Look up" uses. A session has no value for it. agt_returns: `, "agt_trade: ")
	for _, sound := range []string{"agt_workshop", "agt_winter_sale"} {
		if strings.Contains(output, sound) {
			e.t.Errorf("the check names %s, which has no findings or is not published:\n%s", sound, output)
		}
	}
	for _, id := range []string{"agt_jobs", "agt_kiosk", "agt_orders", "agt_returns", "agt_trade"} {
		e.edit("agents/"+id+".json", `"published": true`, `"published": false`)
		e.edit(larkspurFile, `("id": "`+id+`".*?"isPublished": )true`, "${1}false")
	}
	if output := e.succeeds(plan); strings.Contains(output, "Check block assertion failed") {
		e.t.Errorf("the check fails without findings:\n%s", output)
	}
}
