// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

const guidesRoot = "../../templates/guides"

// The tables on the page of convo_agent name attributes that exist: those in the list and
// the audit, and those in the audit alone.
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

	for i, attributes := range []map[string]schema.Attribute{agentSummaryAttributes(), auditedAgentAttributes()} {
		for _, name := range names[i] {
			if attributes[name] == nil {
				t.Errorf("the data sources of table %d have no attribute %s", i+1, name)
			}
		}
	}
	agent := agentAttributes()
	for _, path := range paths {
		if slices.Contains([]string{"agent_id", "current_user_mode"}, path) {
			continue
		}
		attributes := agent
		for name := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ""), ".") {
			attribute, ok := attributes[name]
			if !ok {
				t.Errorf("convo_agent has no attribute %s", path)
				break
			}
			attributes = nil
			switch attribute := attribute.(type) {
			case schema.SingleNestedAttribute:
				attributes = attribute.Attributes
			case schema.ListNestedAttribute:
				attributes = attribute.NestedObject.Attributes
			}
		}
	}
}
