// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

const guidesRoot = "../../templates/guides"

// The table on the page of convo_agent names attributes that exist in it, in the list, and in
// the audit.
func TestTableOfAttributes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../templates/data-sources/agent.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	_, table, _ := strings.Cut(string(content), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		paths = append(paths, strings.Trim(cells[1], " `"))
		name := strings.Trim(cells[2], " `")
		if agentSummaryAttributes()[name] == nil || auditedAgentAttributes()[name] == nil {
			t.Errorf("the list or the audit has no attribute %s", name)
		}
	}
	agent := agentAttributes()
	for _, path := range paths {
		if path == "agent_id" {
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
