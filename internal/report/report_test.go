// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
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
| 3 | 1 | 1 | 0 (2 of 4 known) | 1 (2 of 4 known) | 4 (2 of 4 known) | 1 (2 of 4 known) | 25% |
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

// The State column and the totals do not state what was not read.
func TestDefinitionsNotRequested(t *testing.T) {
	t.Parallel()
	agents := object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(false), "agt_3": audittest.UnreadAgent(nil)}
	got := write(t, object{
		"definitions": false, "stats_periods": list{}, "agents": agents, "summary": object{"members": 3, "agents": 3, "published": 1},
	}, nil).Markdown
	checkContains(t, got,
		"| Orders | agt\\_1 | published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_2 | not published, otherwise unknown | unknown | unknown |\n",
		"| Orders | agt\\_3 | unknown | unknown | unknown |\n",
		"|---|--:|---|\n| definition | all 3 | – |\n\n## ",
		"| 3 | 3 | 1 (2 of 3 known) | unknown | unknown |\n",
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
| 0 | 0 | unknown | unknown | unknown |
`}, report.New(&audit.Assessment{Audit: empty, HasRecord: true}))
}

// A role can have the name that members without a role have in the report.
func TestRoleNamedNoRole(t *testing.T) {
	t.Parallel()
	got := write(t, object{"emails_by_role": object{"": list{"ann@example.com"}, "no role": list{"bob@example.com"}}}, nil)
	checkContains(t, got.Markdown, "| no role | 2 | ann@example.com, bob@example.com |\n")
}
