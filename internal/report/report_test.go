// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
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

func write(t testing.TB, text string, findings []report.Finding, changes []audit.Change) *report.Report {
	t.Helper()
	r, err := report.New(parse(t, text), findings, changes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, text string) *audit.Audit {
	t.Helper()
	a, err := audit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReport(t *testing.T) {
	t.Parallel()
	findings := []report.Finding{
		{"warning", "owners", "No owner."}, {"error", "admins", "ann@example.com is\nADMIN."}, {"error", "workspace_problems", "403"},
		{"warning", "workspace", "A payment is past due."},
	}
	changes := []audit.Change{
		change("workspace plan", "ws_1", "Bicycles", pointer("FREE"), pointer("PRO")),
		change("member", "", "Desk", nil, pointer("GUEST")),
		change("agent definition", "agt_1", "Orders", pointer("hash 0"), pointer("hash 1")),
		change("agent sharing", "agt_1", "Orders", pointer("not shared"), pointer("shared")),
	}
	audit := audittest.JSON(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.UnreadAgent(true)}, "problems": list{
		object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent", "status": 404, "code": "NOT_FOUND", "message": "Not found"},
		object{"kind": "missing_fields", "agent_id": nil, "operation": "read workspace", "status": nil, "code": nil, "message": "No slug."},
	}})
	got := write(t, audit, findings, changes)
	want := &report.Report{
		Errors:   []string{"403", "ann@example.com is ADMIN."},
		Warnings: []string{"A payment is past due.", "No owner."},
		Markdown: `# Audit of Bicycles

**2 errors, 2 warnings**

| Severity | Rule | Finding |
|---|---|---|
| ⚠️ Warning | workspace | A payment is past due. |
| ❌ Error | workspace\_problems | 403 |
| ❌ Error | admins | ann@example.com is ADMIN. |
| ⚠️ Warning | owners | No owner. |

## Missing data

| Unknown | Agents | IDs |
|---|--:|---|
| definition | 1 of 2 | agt\_2 |
| workspace | 1 of 2 | agt\_2 |
| state | 1 of 2 | agt\_2 |
| sharing | 1 of 2 | agt\_2 |
| statistics, last30Days | 1 of 2 | agt\_2 |

| Problem | Operation | Message | Agents | IDs |
|---|---|---|--:|---|
| read\_failed | read agent | 404, NOT\_FOUND, Not found | 1 | agt\_2 |
| missing\_fields | read workspace | No slug. | – | – |

## Changes since the last record

### Access

| What | Name | ID | Before | Now |
|---|---|---|---|---|
| member | Desk | no email address | – | GUEST |
| agent sharing | Orders | agt\_1 | not shared | shared |

### Other changes

| What | Name | ID | Before | Now |
|---|---|---|---|---|
| workspace plan | Bicycles | ws\_1 | FREE | PRO |
| agent definition | Orders | agt\_1 | hash 0 | hash 1 |

The function definition\_diff shows what changed between two definitions.

## Agents

Sessions in the period last30Days, with the share of started sessions that were completed:

| Agent | ID | State | Revision | Labels | Starts | Completed | Rate |
|---|---|---|--:|---|--:|--:|--:|
| Orders | agt\_1 | published, locked | 8 | b, a | 4 | 1 | 25% |
| Orders | agt\_2 | published, otherwise unknown | unknown | unknown | unknown | unknown | unknown |

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

## Members

| Role | Number | Email addresses |
|---|--:|---|
| ADMIN | 1 | ann@example.com |
| GUEST | 2 | no email address, bob@example.com |

## Totals

| Members | Agents | Published | Archived | Locked | Starts | Completed | Rate |
|--:|--:|--:|--:|--:|--:|--:|--:|
| 3 | 1 | 2 | 0 (1 of 2 known) | 1 (1 of 2 known) | 4 (1 of 2 known) | 1 (1 of 2 known) | 25% |
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

func pointer(s string) *string { return &s }

func change(what, id, name string, before, after *string) audit.Change {
	return audit.Change{What: what, ID: id, Name: name, Before: before, After: after}
}

// The State column and the totals do not state what was not read.
func TestDefinitionsNotRequested(t *testing.T) {
	t.Parallel()
	agents := object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(false), "agt_3": audittest.UnreadAgent(nil)}
	got := write(t, audittest.JSON(t, object{"definitions": false, "stats_periods": list{}, "agents": agents}), nil, nil).Markdown
	for _, want := range []string{
		"| Orders | agt\\_1 | published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_2 | not published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_3 | unknown | unknown | unknown |\n",
		"| definition | 3 of 3 | agt\\_1, agt\\_2, agt\\_3 |\n| workspace | 3 of 3 |",
		"| 3 | 1 | 1 (2 of 3 known) | unknown | unknown |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

// The agents that were not requested are not said to be known.
func TestAgentsNotRequested(t *testing.T) {
	t.Parallel()
	for want, agent := range map[string]object{
		"\n## Missing data\n\nOnly the agents in agent\\_ids were read.\n\nNo other data is missing.\n\n## ":                                               audittest.Agent(nil),
		"\n## Missing data\n\nOnly the agents in agent\\_ids were read.\n\n| Unknown | Agents | IDs |\n|---|--:|---|\n| definition | 1 of 1 | agt\\_1 |\n": audittest.UnreadAgent(true),
	} {
		got := write(t, audittest.JSON(t, object{"agent_ids": list{"agt_1"}, "agents": object{"agt_1": agent}}), nil, nil).Markdown
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

// A draft has no statistics, unless a read of statistics failed.
func TestStatisticsOfDrafts(t *testing.T) {
	t.Parallel()
	none := object{"last30Days": object{"total_starts": nil, "total_completed": nil, "completion_percent": nil}}
	agents := object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false, "stats": none})}
	got := write(t, audittest.JSON(t, object{"agents": agents}), nil, nil).Markdown
	failed := write(t, audittest.JSON(t, object{"agents": agents, "problems": list{
		object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent statistics (last30Days)", "status": 500},
	}}), nil, nil).Markdown
	if !strings.Contains(got, "\nNo data is missing.\n") || !strings.Contains(got, "| 4 | 1 | 25% |\n") ||
		!strings.Contains(failed, "| statistics, last30Days | 1 of 2 | agt\\_2 |\n") || !strings.Contains(failed, "| 4 (1 of 2 known) |") {
		t.Errorf("unexpected reports:\n%s\n%s", got, failed)
	}

	// A total without a number is not known, even if some agents are drafts.
	agents["agt_1"] = audittest.UnreadAgent(true)
	summary := object{"agents": 2, "members": 3, "stats": object{"last30Days": object{"total_starts": nil, "total_completed": nil, "completion_percent": nil}}}
	got = write(t, audittest.JSON(t, object{"agents": agents, "summary": summary}), nil, nil).Markdown
	if !strings.Contains(got, "| unknown | unknown | – |\n") {
		t.Errorf("unexpected totals:\n%s", got)
	}
}

// Each rule keeps rows, and its counts.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	var findings []report.Finding
	for i := range 130 {
		findings = append(findings, report.Finding{"error", "problems", fmt.Sprintf("p%d", i)}, report.Finding{"warning", "owners", fmt.Sprintf("o%d", i)})
	}
	findings = append(findings, report.Finding{"warning", "workspace_payments", "A payment is past due."}, report.Finding{"warning", "zero", "last"})
	got := write(t, audittest.JSON(t, nil), findings, nil).Markdown
	for _, want := range []string{
		"|---|---|---|\n| ⚠️\u00a0Warning | workspace\\_payments | A payment is past due. |\n| ❌\u00a0Error | problems | p0 |\n",
		"| problems | p48 |\n| ⚠️\u00a0Warning | owners | o0 |\n", "| owners | o48 |\n| ⚠️\u00a0Warning | zero | last |\n\n",
		"\nThe table shows 100 of 262 findings: owners 49 of 130, problems 49 of 130, workspace\\_payments 1 of 1, zero 1 of 1.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

// Each kind of change, and each kind of problem, keeps rows.
func TestManyChangesAndProblems(t *testing.T) {
	t.Parallel()
	var changes []audit.Change
	problems := list{}
	for i := range 120 {
		changes = append(changes, change("workspace plan", "w", "W", pointer("a"), pointer(fmt.Sprint(i))))
		problems = append(problems, object{"kind": "read_failed", "agent_id": nil, "operation": "read agent", "message": fmt.Sprint(i)})
	}
	changes = append(changes, change("agent name", "agt_1", "Orders", pointer("a"), pointer("last")))
	problems = append(problems, object{"kind": "contradiction", "agent_id": nil, "operation": "list agents", "message": "last"})
	got := write(t, audittest.JSON(t, object{"problems": problems}), nil, changes).Markdown
	for _, want := range []string{
		"\nThe table shows 100 of 121 changes: agent name 1 of 1, workspace plan 99 of 120.\n",
		"\nThe table shows 100 of 121 problems: contradiction 1 of 1, read\\_failed 99 of 120.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

// Failures that differ only in the agent are one row.
func TestEqualProblems(t *testing.T) {
	t.Parallel()
	problems := list{}
	for i := range 50 {
		problems = append(problems, object{"kind": "read_failed", "agent_id": fmt.Sprint("a", i), "operation": "read agent", "status": 404, "message": "Not Found"})
	}
	got := write(t, audittest.JSON(t, object{"problems": problems}), nil, nil).Markdown
	if want := "|---|---|---|--:|---|\n| read\\_failed | read agent | 404, Not Found | 50 | a0, a1, "; !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
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
		got := write(t, audittest.JSON(t, object{"agents": agents}), nil, nil).Markdown
		for _, want := range []string{
			"\nThe chart omits 2 agents, because the number of sessions is too large.\n", "0 --> 4\n    bar [4, 2]\n    bar [1, 0]\n", "| 1",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%.20s: the report lacks %q:\n%s", number, want, got)
			}
		}
	}
}

// Of long texts, the table shows where they differ.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)
	got := write(t, audittest.JSON(t, nil), nil, []audit.Change{change("agent security settings", "agt_1", "Orders", pointer(long+"old"), pointer(long+"new"))}).Markdown
	if want := " | …" + long[:20] + "old | …" + long[:20] + "new |\n"; !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
	}
}

func TestEmptyAudit(t *testing.T) {
	t.Parallel()
	got := write(t, audittest.JSON(t, object{
		"stats_periods": nil, "members": list{}, "emails_by_role": object{}, "agents": object{}, "workspace": object{}, "summary": object{},
	}), nil, []audit.Change{})
	const want = `# Audit of –

**0 errors, 0 warnings**

There are no findings.

## Missing data

No data is missing.

## Changes since the last record

There are no changes.

## Agents

There are no agents.

## Members

There are no members.

## Totals

| Members | Agents | Published | Archived | Locked |
|--:|--:|--:|--:|--:|
| – | – | 0 | 0 | 0 |
`
	if diff := cmp.Diff(want, got.Markdown); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

func TestFirstReport(t *testing.T) {
	t.Parallel()
	got := write(t, audittest.JSON(t, nil), nil, nil).Markdown
	if want := "\nThere is no earlier record of this workspace.\n"; !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
	}
}

// A role can have the name that members without a role have in the report.
func TestRoleNamedNoRole(t *testing.T) {
	t.Parallel()
	got := write(t, audittest.JSON(t, object{"emails_by_role": object{"": list{"ann@example.com"}, "no role": list{"bob@example.com"}}}), nil, nil)
	if want := "| no role | 2 | ann@example.com, bob@example.com |\n"; !strings.Contains(got.Markdown, want) {
		t.Errorf("the report lacks %q:\n%s", want, got.Markdown)
	}
}

func TestLargeAudit(t *testing.T) {
	t.Parallel()
	agents, emails := object{}, list{}
	var findings []report.Finding
	var changes []audit.Change
	for i := range 10_000 {
		agents[fmt.Sprintf("agt_%05d", i)] = audittest.Agent(object{"stats": object{"last30Days": object{"total_starts": i, "total_completed": 0.5}}})
		emails = append(emails, fmt.Sprintf("%05d@example.com", i))
		findings = append(findings, report.Finding{"warning", "all", "A message"})
		changes = append(changes, change("agent", fmt.Sprintf("agt_%05d", i), "Orders", nil, pointer(strings.Repeat("_", 200))))
	}
	agents["agt_00000"] = audittest.Agent(object{
		"name":  strings.Repeat("long ", 14_000),
		"stats": object{"last30Days": object{"total_starts": json.Number("200000000000000"), "total_completed": json.Number("200000000000000")}},
	})
	got := write(t, audittest.JSON(t, object{"agents": agents, "emails_by_role": object{"ADMIN": emails}}), findings, changes).Markdown
	for _, want := range []string{
		"\nThe table shows 100 of 10000 findings.\n", "\nThe table shows 18 of 10000 changes.\n", " of 10000 agents.\n",
		"00104@example.com, 00105… |", strings.Repeat("long ", 59) + "long… | agt\\_00000 | published, locked | 8 | b, a | 200000000000000 | 200000000000000 | – |\n",
		`x-axis ["1. long long long long long lo…", "2. Orders"`, "0 --> 200000000000000\n    bar [200000000000000, 9999,", "bar [200000000000000, 0.5,",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report does not contain %q", want)
		}
	}
	if len(got) > 60_000 {
		t.Errorf("the report has %d bytes, too many for a comment", len(got))
	}
}

// However long the texts are, the report fits into a comment.
func TestLongestReport(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("_", 300)
	agents, roles, problems := object{}, object{}, list{}
	var findings []report.Finding
	var changes []audit.Change
	for i := range 200 {
		id := fmt.Sprint(i, name)
		agents[id], roles[id] = audittest.UnreadAgent(nil), list{name, name}
		agents[id].(object)["name"] = name
		problems = append(problems, object{"kind": "read_failed", "agent_id": id, "operation": id, "message": name})
		findings = append(findings, report.Finding{"error", name, name})
		changes = append(changes, change("member", id, name, &name, nil), change("agent name", id, name, &name, nil))
	}
	got := write(t, audittest.JSON(t, object{"workspace": object{"name": name}, "agents": agents, "emails_by_role": roles, "problems": problems}), findings, changes).Markdown
	if len(got) > 64_000 {
		t.Errorf("the report has %d bytes, too many for a comment", len(got))
	}
}

func TestUnknownLevels(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"fatal", ""} {
		if _, err := report.New(parse(t, audittest.JSON(t, nil)), []report.Finding{{Level: level}}, nil); !errors.Is(err, report.ErrLevel) {
			t.Errorf("level %q: the error is %v", level, err)
		}
	}
}
