// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
	"github.com/convo/terraform-provider-convo/internal/report"
)

type (
	object = audittest.Object
	list   = audittest.List
)

func parse(t testing.TB, text string) *audit.Audit {
	t.Helper()
	a, err := audit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// write returns the report of an audit.
func write(t testing.TB, changes object, recorded *audit.Recorded, own ...*audit.OwnFinding) *report.Report {
	t.Helper()
	assessment, err := audit.Assess(parse(t, audittest.JSON(t, changes)), recorded, own)
	if err != nil {
		t.Fatal(err)
	}
	return report.New(assessment)
}

// writeChanges returns the report of an audit that found only the given changes.
func writeChanges(t testing.TB, changes ...audit.Change) *report.Report {
	t.Helper()
	return report.New(&audit.Assessment{Audit: parse(t, audittest.JSON(t, nil)), HasRecord: true, Changes: changes})
}

// writeFindings returns the report of an audit with only the given findings.
func writeFindings(t testing.TB, findings ...audit.Finding) *report.Report {
	t.Helper()
	return report.New(&audit.Assessment{Audit: parse(t, audittest.JSON(t, nil)), HasRecord: true, Findings: findings})
}

// planned returns what the resource plans for an audit.
func planned(t testing.TB, changes object, stored *audit.Recorded) *audit.Recorded {
	t.Helper()
	comparison, err := audit.Compare(parse(t, audittest.JSON(t, changes)), stored.Record)
	if err != nil {
		t.Fatal(err)
	}
	return &audit.Recorded{Record: comparison.Record, Changes: slices.Concat(stored.Changes, comparison.Changes), Accepted: stored.Accepted}
}

// stored is what the resource stored of an earlier audit.
func stored(t testing.TB, changes object) *audit.Recorded {
	t.Helper()
	earlier := object{"read_at": "2026-01-01T10:00:59Z"}
	maps.Copy(earlier, changes)
	return planned(t, earlier, &audit.Recorded{})
}

func change(what, id, name string, before, after *string) audit.Change {
	return audit.Change{What: what, ID: id, Name: name, Before: before, After: after, At: "2026-02-01T10:00:00.5Z"}
}

// checkContains checks that a report contains texts.
func checkContains(t *testing.T, markdown string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(markdown, want) {
			t.Errorf("the report lacks %q:\n%.10000s", want, markdown)
		}
	}
}

func checkReport(t *testing.T, want, got *report.Report) {
	t.Helper()
	// The space after the symbols of the levels does not break.
	want.Markdown = strings.NewReplacer("❌ Error", "❌\u00a0Error", "⚠️ Warning", "⚠️\u00a0Warning").Replace(want.Markdown)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

// calmRest is the end of the report of an audit with one agent.
const calmRest = `
## Agents

Sessions in the period last30Days, with the share of started sessions that were completed:

| Agent | ID | State | Revision | Labels | Starts | Completed | Rate |
|---|---|---|--:|---|--:|--:|--:|
| Orders | agt\_1 | published, locked | 8 | b, a | 4 | 1 | 25% |
` + chart + `
## Members

| Role | Number | Email addresses |
|---|--:|---|
| ADMIN | 1 | ann@example.com |
| GUEST | 2 | no email address, bob@example.com |

## Totals

| Members | Agents | Published | Archived | Locked | Starts | Completed | Rate |
|--:|--:|--:|--:|--:|--:|--:|--:|
| 3 | 1 | 1 | 0 | 1 | 4 | 1 | 25% |
`

const chart = `
~~~mermaid
---
config:
  themeVariables:
    xyChart:
      plotColorPalette: "#a5c8ff, #1f6feb"
---
xychart-beta horizontal
    title "Started sessions (light) and completed sessions (dark)"
    x-axis ["1. Orders"]
    y-axis "Sessions" 0 --> 4
    bar [4]
    bar [1]
~~~
`

func TestRedReport(t *testing.T) {
	t.Parallel()
	agents := object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil), "agt_3": audittest.Agent(nil), "agt_4": audittest.Agent(nil)}
	before := stored(t, object{"agents": agents})
	plan := object{"read_at": "2026-01-15T09:30:00Z", "agents": agents, "workspace": audittest.Workspace(object{"plan": "FREE"})}
	record := planned(t, plan, before)
	record.Accepted = map[string]string{
		"owners/agt_1": "Ann is on\nleave.", "access_changed/agt_3/kxoezfmyhmmtc5xfuiq2yq54": "Unlocked for | an edit.", "access_changed/agt_1": "Too general.", "removed": "",
	}
	red := object{
		"workspace": audittest.Workspace(object{"plan": "FREE", "is_past_due": true}),
		"agents": object{
			"agt_1": audittest.Agent(object{"domain": "evil.example", "definition_hash": audittest.Hash(1), "definition_parts": "links=x nodes=y @n1=d:Greeting"}),
			"agt_2": audittest.UnreadAgent(true), "agt_3": audittest.Agent(object{"is_locked": false}), "agt_4": audittest.UnreadAgent(true),
		},
		"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("ADMIN", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")},
		"problems": list{
			object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent", "status": 404, "code": "NOT_FOUND", "message": "Not found"},
			object{"kind": "read_failed", "agent_id": "agt_4", "operation": "read agent", "status": 404, "code": "NOT_FOUND", "message": "Not found"},
			object{"kind": "missing_fields", "agent_id": nil, "operation": "read workspace", "message": "No image."},
		},
	}
	record = planned(t, red, record)
	own := []*audit.OwnFinding{
		{Level: new("warning"), Rule: new("owners"), ID: new("agt_1"), Message: new("No owner.")},
		{Level: new("error"), Rule: new("admins"), ID: new("ann@example.com"), Message: new("Not\nallowed.")},
	}
	checkReport(t, &report.Report{
		Errors: []string{
			"read_failed: Orders (agt_2), Orders (agt_4): read agent: 404, NOT_FOUND, Not found [accept as read_failed/ID]",
			"access_changed: Desk: member: GUEST → ADMIN [accept as access_changed/Desk/ednracu5pjdkuuhfkwmzb3gq]",
			"access_changed: Orders (agt_1): agent address: no domain → domain evil.example [accept as access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em]",
			"admins: Ann (ann@example.com): Not allowed. [accept as admins/ann@example.com]",
		},
		Warnings: []string{
			"workspace_past_due: A payment of the workspace is past due. [accept as workspace_past_due]",
			"missing_fields: read workspace: No image. [accept as missing_fields/read workspace]",
		},
		Markdown: `# Audit of Bicycles

**❌ Failed: 5 errors, 2 warnings, 2 accepted**

| Level | Concerns | Finding | Accept as |
|---|---|---|---|
| ❌ Error | 2: Orders (agt\_2), Orders (agt\_4) | read agent: 404, NOT\_FOUND, Not found | ` + "`read_failed/ID`" + ` |
| ❌ Error | Desk | member: GUEST → ADMIN | ` + "`access_changed/Desk/ednracu5pjdkuuhfkwmzb3gq`" + ` |
| ❌ Error | Orders (agt\_1) | agent address: no domain → domain evil.example | ` + "`access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em`" + ` |
| ❌ Error | Ann (ann@example.com) | Not allowed. | ` + "`admins/ann@example.com`" + ` |
| ⚠️ Warning | – | A payment of the workspace is past due. | ` + "`workspace_past_due`" + ` |
| ⚠️ Warning | – | read workspace: No image. | ` + "`missing_fields/read workspace`" + ` |

## Changes of access

| What | Name | ID | Before | Now |
|---|---|---|---|---|
| member | Desk | – | GUEST | ADMIN |
| agent address | Orders | agt\_1 | no domain | domain evil.example |
| agent state | Orders | agt\_3 | locked | not locked |

The audit was read at 2026-02-01 10:00 UTC. It was compared with the record, which last changed at 2026-01-15 09:30 UTC.

## Other changes

| What | Name | ID | Before | Now |
|---|---|---|---|---|
| agent definition | Orders | agt\_1 | hash 000000000000… | hash 000000010000…; changed: links, node Greeting (n1) |

The function definition\_diff shows what changed between two definitions.

## Accepted

| Rule | Concerns | Finding | Reason |
|---|---|---|---|
| ` + "`access_changed`" + ` | Orders (agt\_3) | agent state: locked → not locked | Unlocked for &#124; an edit. |
| ` + "`owners`" + ` | Orders (agt\_1) | No owner. | Ann is on leave. |

These keys in the argument accepted match no finding: ` + "`access_changed/agt_1`, `removed`" + `. Remove those that are not for later findings.

## Missing data

The findings say which reads failed or were not complete.

The definitions of 2 agents could not be compared with the record, because they were not read: agt\_2, agt\_4.

| Unknown | Agents | IDs |
|---|--:|---|
| definition | 2 of 4 | agt\_2, agt\_4 |
| statistics, last30Days | 2 of 4 | agt\_2, agt\_4 |

## Earlier changes

| Date | What | Name | ID | Before | Now |
|---|---|---|---|---|---|
| 2026-01-15 09:30 UTC | workspace plan | Bicycles | ws\_1 | PRO | FREE |
| 2026-01-01 10:00 UTC | record | Bicycles | ws\_1 | – | workspace ws\_1 with 4 agents and 3 members |

## Agents

Sessions in the period last30Days, with the share of started sessions that were completed:

| Agent | ID | State | Revision | Labels | Starts | Completed | Rate |
|---|---|---|--:|---|--:|--:|--:|
| Orders | agt\_1 | published, locked | 8 | b, a | 4 | 1 | 25% |
| Orders | agt\_3 | published | 8 | b, a | 4 | 1 | 25% |
| Orders | agt\_2 | published, otherwise unknown | unknown | unknown | unknown | unknown | unknown |
| Orders | agt\_4 | published, otherwise unknown | unknown | unknown | unknown | unknown | unknown |
` + strings.NewReplacer(`["1. Orders"]`, `["1. Orders", "2. Orders"]`, "bar [4]", "bar [4, 4]", "bar [1]", "bar [1, 1]").Replace(chart) + `
## Members

| Role | Number | Email addresses |
|---|--:|---|
| ADMIN | 1 | ann@example.com |
| GUEST | 2 | no email address, bob@example.com |

## Totals

| Members | Agents | Published | Archived | Locked | Starts | Completed | Rate |
|--:|--:|--:|--:|--:|--:|--:|--:|
| 3 | 1 | 4 | 0 (2 of 4 known) | 1 (2 of 4 known) | 4 (2 of 4 known) | 1 (2 of 4 known) | 25% |
`,
	}, write(t, red, record, own...))
}

func TestCalmReport(t *testing.T) {
	t.Parallel()
	checkReport(t, &report.Report{Errors: []string{}, Warnings: []string{}, Markdown: `# Audit of Bicycles

**✅ Passed: 0 errors, 0 warnings, 0 accepted**

There are no errors and no warnings.

## Changes of access

There are no changes.

The audit was read at 2026-02-01 10:00 UTC. It was compared with the record, which last changed at 2026-01-01 10:00 UTC.

## Other changes

There are no changes.

## Missing data

No data is missing.

## Earlier changes

| Date | What | Name | ID | Before | Now |
|---|---|---|---|---|---|
| 2026-01-01 10:00 UTC | record | Bicycles | ws\_1 | – | workspace ws\_1 with 1 agents and 3 members |
` + calmRest}, write(t, nil, planned(t, nil, stored(t, nil))))
}

func TestFirstReport(t *testing.T) {
	t.Parallel()
	const message = "The record begins with this audit: workspace ws_1 with 1 agents and 3 members. Compare the numbers with the service's user interface."
	checkReport(t, &report.Report{Errors: []string{}, Warnings: []string{"first_record: " + message + " [accept as first_record]"}, Markdown: `# Audit of Bicycles

**✅ Passed: 0 errors, 1 warning, 0 accepted**

| Level | Concerns | Finding | Accept as |
|---|---|---|---|
| ⚠️ Warning | – | ` + strings.ReplaceAll(message, "_", `\_`) + " | `first_record` |" + `

## Changes of access

The record begins with this audit, so there is nothing to compare with.

The audit was read at 2026-02-01 10:00 UTC.

## Other changes

| What | Name | ID | Before | Now |
|---|---|---|---|---|
| record | Bicycles | ws\_1 | – | workspace ws\_1 with 1 agents and 3 members |

## Missing data

No data is missing.
` + calmRest}, write(t, nil, planned(t, nil, &audit.Recorded{})))
}

func TestReportWithoutRecord(t *testing.T) {
	t.Parallel()
	checkReport(t, &report.Report{Errors: []string{}, Warnings: []string{}, Markdown: `# Audit of Bicycles

**✅ Passed: 0 errors, 0 warnings, 0 accepted**

There are no errors and no warnings.

## Changes of access

There is no record to compare with.

The audit was read at 2026-02-01 10:00 UTC.

## Missing data

No data is missing.
` + calmRest}, write(t, nil, nil))
}

// If many changes at once leave no earlier ones in the state, the record does not begin.
func TestNoEarlierChanges(t *testing.T) {
	t.Parallel()
	record := stored(t, nil)
	record.Changes = nil
	got := write(t, nil, record).Markdown
	checkContains(t, got, "\nThere are no changes.\n\nThe audit was read at 2026-02-01 10:00 UTC.\n\n")
	if strings.Contains(got, "begins") {
		t.Errorf("unexpected report:\n%s", got)
	}
}

// A record of another version cannot be compared, so the report does not say that it was.
func TestRecordOfOtherVersion(t *testing.T) {
	t.Parallel()
	record := stored(t, nil)
	record.Record = audittest.Record(`{"version":2}`)
	got := write(t, nil, planned(t, nil, record)).Markdown
	checkContains(t, got, "so there is nothing to compare with.\n\nThe audit was read at 2026-02-01 10:00 UTC.\n\n## Other changes\n",
		"| record | Bicycles | ws\\_1 | a record of another version of the provider, which cannot be compared | workspace ws\\_1 with ")
}

// Findings with keys of their own are not merged, because each key must be shown.
func TestEqualChanges(t *testing.T) {
	t.Parallel()
	agents := func(locked bool) object {
		return object{"agents": object{"agt_1": audittest.Agent(object{"is_locked": locked}), "agt_2": audittest.Agent(object{"is_locked": locked})}}
	}
	got := write(t, agents(false), stored(t, agents(true)))
	want := []string{
		"access_changed: Orders (agt_1): agent state: locked → not locked [accept as access_changed/agt_1/cjhqbb5hl4rmbg7jljzxgbyr]",
		"access_changed: Orders (agt_2): agent state: locked → not locked [accept as access_changed/agt_2/s4eznwnfwiyl5hu7soyet73k]",
	}
	if diff := cmp.Diff(want, got.Errors); diff != "" {
		t.Errorf("unexpected errors (-want +got):\n%s", diff)
	}
}

// Findings that differ only in the agent are one row and one line. Without a record, neither
// has a key, because nothing can be accepted.
func TestEqualFindings(t *testing.T) {
	t.Parallel()
	problems := list{}
	for i := range 50 {
		problems = append(problems, object{"kind": "read_failed", "agent_id": fmt.Sprint("a", i), "operation": "read agent", "status": 404, "message": "Not Found"})
	}
	got := write(t, object{"problems": problems}, nil)
	checkContains(t, got.Markdown, "**❌ Failed: 50 errors, ", "| 50: a0, a1, ", ", a49 | read agent: 404, Not Found | `read_failed` |\n\n")
	if want := []string{"read_failed: a0, a1, a2, a3, a4, and 45 more: read agent: 404, Not Found"}; !slices.Equal(got.Errors, want) {
		t.Errorf("the errors are %q, want %q", got.Errors, want)
	}
}

// However long names are, an error line has the message and the key.
func TestLongErrorLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)
	got := writeFindings(t, audit.Finding{Level: "error", Rule: "r", ID: "a", Name: long, Message: "The message.", Key: "r/a/12345678"})
	if want := []string{"r: " + long[:60] + "… (a): The message. [accept as r/a/12345678]"}; !slices.Equal(got.Errors, want) {
		t.Errorf("the errors are %q, want %q", got.Errors, want)
	}
}

func TestManyErrors(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]string{50: "r49: m [accept as r49]", 51: "and 1 more", 10_000: "and 9950 more"} {
		var findings []audit.Finding
		for i := range count {
			findings = append(findings, audit.Finding{Level: "warning", Rule: fmt.Sprint("r", i), Message: "m", Key: fmt.Sprint("r", i)})
		}
		if got := writeFindings(t, findings...).Warnings; got[len(got)-1] != want || len(got) > 51 {
			t.Errorf("%d warnings: the %dth is %q, want %q", count, len(got), got[len(got)-1], want)
		}
	}
}

// The State column and the totals do not state what was not read.
func TestDefinitionsNotRequested(t *testing.T) {
	t.Parallel()
	agents := object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(false), "agt_3": audittest.UnreadAgent(nil)}
	got := write(t, object{"definitions": false, "stats_periods": list{}, "agents": agents}, nil).Markdown
	checkContains(t, got,
		"| Orders | agt\\_1 | published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_2 | not published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_3 | unknown | unknown | unknown |\n",
		"|---|--:|---|\n| definition | all 3 | – |\n\n## ",
		"| 3 | 1 | 1 (2 of 3 known) | unknown | unknown |\n",
	)
}

func TestMissingData(t *testing.T) {
	t.Parallel()
	partly := audittest.Agent(object{"workspace_ref": nil, "is_locked": nil, "is_shared": nil})
	problem := func(kind string) object {
		return object{"problems": list{object{"kind": kind, "operation": "list members"}}}
	}
	const findings = "The findings say which reads failed or were not complete.\n"
	for want, audited := range map[string]object{
		"No data is missing.\n":                   problem("contradiction"),
		findings:                                  problem("incomplete_list"),
		findings + "\n## ":                        problem("missing_fields"),
		findings + "\n## Agents\n":                problem("read_failed"),
		"No data is missing.\n\n## Agents\n\nThe": {"agents": object{}},
		"No agent has a value for domain, share\\_rules\\_json. If the service never returns these values, nobody can see their changes.\n\n## ": {
			"agents": object{"agt_1": audittest.Agent(object{"domain": nil, "share_rules_json": nil})},
		},
		"| Unknown | Agents | IDs |\n|---|--:|---|\n| definition | 1 of 3 | c |\n| workspace | 1 of 3 | b |\n| state | 1 of 3 | b |\n" +
			"| sharing | 1 of 3 | b |\n| statistics, last30Days | 1 of 3 | c |\n\n## ": {
			"agents": object{"a": audittest.Agent(nil), "b": partly, "c": audittest.UnreadAgent(true)},
		},
		"Only the agents in agent\\_ids were read.\n\nNo other data is missing.\n\n## ": {"agent_ids": list{"agt_1"}},
		"Only the agents in agent\\_ids were read.\n\n| Unknown | Agents | IDs |\n|---|--:|---|\n| definition | 1 of 1 | agt\\_1 |\n": {
			"agent_ids": list{"agt_1"}, "agents": object{"agt_1": audittest.UnreadAgent(true)},
		},
	} {
		checkContains(t, write(t, audited, nil).Markdown, "\n## Missing data\n\n"+want)
	}
}

// A draft has no statistics, unless a read of statistics failed.
func TestStatisticsOfDrafts(t *testing.T) {
	t.Parallel()
	none := object{"last30Days": object{"total_starts": nil, "total_completed": nil, "completion_percent": nil}}
	agents := object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false, "stats": none})}
	checkContains(t, write(t, object{"agents": agents}, nil).Markdown, "\nNo data is missing.\n", "| 4 | 1 | 25% |\n")
	checkContains(t, write(t, object{"agents": agents, "problems": list{
		object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent statistics (last30Days)", "status": 500},
	}}, nil).Markdown, "| statistics, last30Days | 1 of 2 | agt\\_2 |\n", "| 4 (1 of 2 known) |")

	// A total without a number is not known, even if some agents are drafts.
	agents["agt_1"] = audittest.UnreadAgent(true)
	summary := object{"agents": 2, "members": 3, "stats": object{"last30Days": object{"total_starts": nil, "total_completed": nil, "completion_percent": nil}}}
	checkContains(t, write(t, object{"agents": agents, "summary": summary}, nil).Markdown, "| unknown | unknown | – |\n")
}

// Each rule keeps rows, and its counts.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	finding := func(level, rule, message string) audit.Finding {
		return audit.Finding{Level: level, Rule: rule, Message: message, Key: rule}
	}
	var findings []audit.Finding
	for i := range 130 {
		findings = append(findings, finding("error", "problems", fmt.Sprintf("p%d", i)))
	}
	for i := range 130 {
		findings = append(findings, finding("warning", "owners", fmt.Sprintf("o%d", i)))
	}
	findings = append(findings, finding("warning", "zero", "last"))
	checkContains(t, writeFindings(t, findings...).Markdown,
		"**❌ Failed: 130 errors, 131 warnings, 0 accepted**", "|---|---|---|---|\n| ❌\u00a0Error | – | p0 | `problems` |\n",
		"| p49 | `problems` |\n| ⚠️\u00a0Warning | – | o0 | `owners` |\n", "| o48 | `owners` |\n| ⚠️\u00a0Warning | – | last | `zero` |\n\n",
		"\nThe table shows 100 of 261 findings: owners 49 of 130, problems 50 of 130, zero 1 of 1.\n",
	)
}

// Each kind of change keeps rows.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	var changes []audit.Change
	for i := range 120 {
		changes = append(changes, change("workspace plan", "w", "W", new("a"), new(fmt.Sprint(i))))
	}
	changes = append(changes, change("agent name", "agt_1", "Orders", new("a"), new("last")))
	checkContains(t, writeChanges(t, changes...).Markdown, "\nThe table shows 100 of 121 changes: agent name 1 of 1, workspace plan 99 of 120.\n")
}

// A table that is cut keeps the agents that people can reach, or that may be gone.
func TestOpenAgentsFirst(t *testing.T) {
	t.Parallel()
	agents, now := object{}, object{}
	for i := range 300 {
		id := fmt.Sprintf("agt_%03d", i)
		agents[id] = audittest.Agent(object{"is_published": false, "revision": "1"})
		now[id] = audittest.Agent(object{"is_published": false, "revision": "2", "domain": "d.example"})
	}
	for id, opening := range map[string]object{"agt_297": {"is_published": true}, "agt_298": {"is_shared": true}, "agt_299": {"is_published": nil}} {
		maps.Copy(agents[id].(object), opening)
		maps.Copy(now[id].(object), opening)
	}
	got := write(t, object{"agents": now}, stored(t, object{"agents": agents}))
	findings, rest, _ := strings.Cut(got.Markdown, "\n## Changes of access\n")
	for what, text := range map[string]string{"findings": findings, "changes": rest, "errors": strings.Join(got.Errors, "\n")} {
		for _, id := range []string{"297", "298", "299"} {
			if !strings.Contains(text[:1500], id) {
				t.Errorf("the %s do not begin with agent %s:\n%.1500s", what, id, text)
			}
		}
	}
}

// A number that no chart can show leaves only its own agent out. One that is not known
// leaves none out.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	for _, number := range []json.Number{"1e999", json.Number("1" + strings.Repeat("0", 999)), "2e15"} {
		agents := object{"agt_1": audittest.Agent(nil)}
		for i, key := range []string{"total_starts", "total_completed"} {
			agents[fmt.Sprint("agt_", i+2)] = audittest.Agent(object{"stats": object{"last30Days": object{"total_starts": 3, "total_completed": 2, key: number}}})
		}
		agents["agt_4"] = audittest.Agent(object{"stats": object{"last30Days": object{"total_starts": 2, "total_completed": nil}}})
		checkContains(t, write(t, object{"agents": agents}, nil).Markdown,
			"\nThe chart omits 2 agents, because the number of sessions is too large.\n", "0 --> 4\n    bar [4, 2]\n    bar [1, 0]\n", "| 1")
	}
}

// Of long texts, the table shows where they differ.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)
	got := writeChanges(t, change("agent security settings", "agt_1", "Orders", new(long+"old"), new(long+"new"))).Markdown
	checkContains(t, got, " | …"+long[:20]+"old | …"+long[:20]+"new |\n")
}

func TestEmptyAudit(t *testing.T) {
	t.Parallel()
	empty := parse(t, audittest.JSON(t, object{
		"read_at": nil, "stats_periods": nil, "members": list{}, "emails_by_role": object{}, "agents": object{}, "workspace": object{}, "summary": object{},
	}))
	checkReport(t, &report.Report{Errors: []string{}, Warnings: []string{}, Markdown: `# Audit of –

**✅ Passed: 0 errors, 0 warnings, 0 accepted**

There are no errors and no warnings.

## Changes of access

There are no changes.

The audit was read at –.

## Other changes

There are no changes.

## Missing data

No data is missing.

## Agents

There are no agents.

## Members

There are no members.

## Totals

| Members | Agents | Published | Archived | Locked |
|--:|--:|--:|--:|--:|
| – | – | 0 | 0 | 0 |
`}, report.New(&audit.Assessment{Audit: empty, HasRecord: true}))
}

// A role can have the name that members without a role have in the report.
func TestRoleNamedNoRole(t *testing.T) {
	t.Parallel()
	got := write(t, object{"emails_by_role": object{"": list{"ann@example.com"}, "no role": list{"bob@example.com"}}}, nil)
	checkContains(t, got.Markdown, "| no role | 2 | ann@example.com, bob@example.com |\n")
}

func TestLargeAudit(t *testing.T) {
	t.Parallel()
	agents, emails, problems := object{}, list{}, list{}
	var own []*audit.OwnFinding
	var changes []audit.Change
	for i := range 10_000 {
		id := fmt.Sprintf("agt_%05d", i)
		agents[id] = audittest.Agent(object{"domain": nil, "stats": object{"last30Days": object{"total_starts": i, "total_completed": 0.5}}})
		emails = append(emails, fmt.Sprintf("%05d@example.com", i))
		problems = append(problems, object{"kind": "read_failed", "agent_id": id, "operation": "read agent", "message": "Not found"})
		own = append(own, &audit.OwnFinding{Level: new("warning"), Rule: new("all"), ID: &id, Message: new("A message")},
			&audit.OwnFinding{Level: new("warning"), Rule: new("each"), Message: new(fmt.Sprint("A message of ", i, strings.Repeat(" long", 30)))})
	}
	agents["agt_00000"] = audittest.Agent(object{
		"name":  strings.Repeat("long ", 14_000),
		"stats": object{"last30Days": object{"total_starts": json.Number("200000000000000"), "total_completed": json.Number("200000000000000")}},
	})
	for i := range 200 {
		changes = append(changes, audit.Change{What: "agent", ID: fmt.Sprintf("agt_%05d", i), Name: "Orders", After: new(strings.Repeat("_", 200)), At: "2026-01-01T10:00:00Z"})
	}
	audited := object{"agents": agents, "emails_by_role": object{"ADMIN": emails}, "problems": problems}
	record := stored(t, nil)
	record.Changes = changes
	record.Accepted = map[string]string{}
	for i := range 5000 {
		record.Accepted[fmt.Sprintf("each/%d", i)] = "No longer."
	}
	got := write(t, audited, record, own...)
	checkContains(t, got.Markdown,
		"**❌ Failed: 20000 errors, 20000 warnings, 0 accepted**", " of 20002 findings: access\\_changed ", " of 10000 changes.\n", " of 200 changes.\n", " of 10000 agents.\n",
		"… (agt\\_00000), Orders (agt\\_00001), Orders (agt\\_00002), ", "00104@example.com, 00105… |", "\n## Totals\n",
		strings.Repeat("long ", 59)+"long… | agt\\_00000 | published, locked | 8 | b, a | 200000000000000 | 200000000000000 | – |\n",
		`x-axis ["1. long long long long long lo…", "2. Orders"`, "0 --> 200000000000000\n    bar [200000000000000, 9999,", "bar [200000000000000, 0.5,",
	)
	if len(got.Markdown) > 63_000 {
		t.Errorf("the report has %d bytes, too many for a comment", len(got.Markdown))
	}
	if len(got.Errors) != 51 || len(got.Warnings) != 51 {
		t.Errorf("there are %d errors and %d warnings", len(got.Errors), len(got.Warnings))
	}
}

// However long the texts are, the report fits into a comment, and what matters most stays.
func TestLongestReport(t *testing.T) {
	t.Parallel()
	for _, character := range []string{"_", "|", ":", "💥", "@"} {
		name := strings.Repeat(character, 300)
		agents, roles, problems := object{}, object{}, list{}
		var findings []audit.Finding
		var changes, earlier []audit.Change
		var ids []string
		for i := range 200 {
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
		got := report.New(&audit.Assessment{
			Audit: parse(t, text), HasRecord: true, Findings: findings, Unneeded: ids, Changes: changes, Earlier: earlier, NotCompared: ids, NotListed: ids,
		}).Markdown
		if len(got) > 64_000 {
			t.Errorf("%s: the report has %d bytes, too many for a comment", character, len(got))
		}
		if !strings.Contains(got, "\n## Changes of access\n") {
			t.Errorf("%s: the report lacks the changes of access", character)
		}
		omitted := "\nThese sections are omitted, because the report would be too long: "
		if sections := strings.Count(got, "\n## "); sections != 8 && !strings.Contains(got, omitted) {
			t.Errorf("%s: the report has %d sections", character, sections)
		}
	}
}
