// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
	"github.com/convo/terraform-provider-convo/internal/report"
)

// What weighs most is shown.
func TestLargeAudit(t *testing.T) {
	t.Parallel()
	agents, emails, problems := object{}, list{}, list{}
	for i := range 2_000 {
		id := fmt.Sprintf("agt_%05d", i)
		agents[id] = audittest.Agent(nil)
		emails = append(emails, fmt.Sprintf("%05d@example.com", i))
		problems = append(problems, object{"kind": "read_failed", "agent_id": id, "operation": "read agent", "message": fmt.Sprint("Fault ", min(i, 1998))})
	}
	got := write(t, object{"agents": agents, "emails_by_role": object{"ADMIN": emails}, "problems": problems}, stored(t, nil))
	checkContains(t, got.Markdown, "**❌ Failed: 4000 errors, 1 warning, ", "|---|---|---|---|\n| ❌\u00a0Error | Orders (agt\\_00000) | read agent: Fault 0 |",
		"\nThe table shows 92 of 4001 findings.\n", "\nThe table shows 15 of 2001 changes.\n", "\nThe table shows 87 of 2000 agents.\n", "00104@example.com, 00105… |")
	if len(got.Markdown) > 65_000 || len(got.Errors) != 51 {
		t.Errorf("the report has %d bytes, and %d errors", len(got.Markdown), len(got.Errors))
	}
}

// However long the texts are, the report and the errors fit into a comment, and what matters most stays.
func TestLongestReport(t *testing.T) {
	t.Parallel()
	for _, character := range []string{"_", ":", "💥"} {
		name := strings.Repeat(character, 300)
		agents, roles, problems := object{}, object{}, list{}
		var findings []audit.Finding
		var changes, earlier []audit.Change
		var ids []string
		for i := range 100 {
			id := fmt.Sprint(i, name)
			agents[id], roles[id] = audittest.UnreadAgent(nil), list{name, name}
			agents[id].(object)["name"] = name
			findings = append(findings, audit.Finding{Level: "error", Rule: id, ID: id, Name: name, Message: name, Key: id},
				audit.Finding{Level: "accepted", Rule: id, ID: id, Name: name, Message: name, Key: id, Reason: name})
			access := change("member", id, name, &name, nil)
			access.IsAccess = true
			changes = append(changes, access, change("agent name", id, name, &name, &id))
			earlier = append(earlier, change(name, id, name, &name, &id))
			ids = append(ids, id)
		}
		text := audittest.JSON(t, object{"workspace": object{"name": name}, "agents": agents, "emails_by_role": roles, "problems": problems, "agent_ids": list{}})
		written := report.New(&audit.Assessment{
			Audit: parse(t, text), HasRecord: true, Findings: findings, Unneeded: ids, History: audit.History{Changes: slices.Concat(earlier, changes)}, NotListed: ids,
		})
		got, errors := written.Markdown, strings.Join(written.Errors, "\n\n")
		if len(got) > 45_000 || len(errors) > 15_000 {
			t.Errorf("%s: the report has %d bytes, and the errors have %d, too many for a comment", character, len(got), len(errors))
		}
		if !strings.Contains(got, "\n## Changes of access\n") {
			t.Errorf("%s: the report lacks the changes of access", character)
		}
		_, omitted, _ := strings.Cut(got, "\nThese sections are omitted, because the report would be too long: ")
		for _, title := range []string{"Other changes", "Accepted", "Missing data", "Members", "Agents"} {
			if strings.Contains(got, "\n## "+title+"\n") == strings.Contains(omitted, title) {
				t.Errorf("%s: the section %s is not in the report, and not named as omitted", character, title)
			}
		}
	}
}
