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

	"github.com/convo/terraform-provider-convo/internal/report"
)

// object and list are JSON.
type (
	object = map[string]any
	list   = []any
)

// encode returns the JSON text of an audit with one workspace.
func encode(t testing.TB, changes object) string {
	t.Helper()
	audit := object{
		"agent_ids": nil, "definitions": nil, "stats_periods": list{"last30Days"},
		"workspace":      object{"id": "ws_1", "name": "Bicycles", "plan": "PRO"},
		"emails_by_role": object{"ADMIN": list{"ann@example.com"}, "GUEST": list{"", "bob@example.com"}},
		"agents":         object{"agt_1": readAgent(object{})},
		"problems":       list{},
		"summary": object{"members": 3, "agents": 1, "published": 1, "archived": nil, "locked": 0,
			"stats": object{"last30Days": object{"total_starts": 4, "total_completed": 1, "completion_percent": 25}}},
	}
	for key, value := range changes {
		audit[key] = value
	}
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readAgent(changes object) object {
	agent := object{
		"name": "Orders", "is_published": true, "is_archived": false, "is_locked": true, "revision": "8", "labels": list{"b", "a"},
		"definition_hash": "0123456789abcdef",
		"stats":           object{"last30Days": object{"total_starts": 4, "total_completed": 1, "completion_percent": 25}},
	}
	for key, value := range changes {
		agent[key] = value
	}
	return agent
}

// unreadAgent is an agent of which only the list was read.
func unreadAgent(published any) object {
	return object{
		"name": "Orders", "is_published": published, "is_archived": nil, "is_locked": nil, "revision": nil, "labels": list{},
		"definition_hash": nil,
		"stats":           object{"last30Days": object{"total_starts": nil, "total_completed": nil, "completion_percent": nil}},
	}
}

func write(t testing.TB, audit string, findings []report.Finding, previous *string) *report.Report {
	t.Helper()
	r, err := report.New(audit, findings, previous)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReport(t *testing.T) {
	t.Parallel()
	findings := []report.Finding{{"warning", "owners", "No owner."}, {"error", "admins", "ann@example.com is\nADMIN."}}
	got := write(t, encode(t, nil), findings, nil)
	want := &report.Report{
		Changes:  []report.Change{},
		Errors:   []string{"ann@example.com is ADMIN."},
		Warnings: []string{"No owner."},
		Record: `{"workspace_id":"ws_1","plan":"PRO",` +
			`"members":{"":"GUEST","ann@example.com":"ADMIN","bob@example.com":"GUEST"},` +
			`"agents":{"agt_1":{"is_published":true,"is_archived":false,"is_locked":true,"revision":"8","definition_hash":"0123456789abcdef","labels":["a","b"]}}}`,
		Markdown: `# Audit of Bicycles

**1 error, 1 warning**

| Severity | Rule | Finding |
|---|---|---|
| ❌ Error | admins | ann@example.com is ADMIN. |
| ⚠️ Warning | owners | No owner. |

## Changes since the last record

There is no earlier record.

## Agents

Sessions in the period last30Days, with the share of started sessions that were completed:

| Agent | ID | State | Revision | Labels | Starts | Completed | Rate |
|---|---|---|--:|---|--:|--:|--:|
| Orders | agt\_1 | published, locked | 8 | b, a | 4 | 1 | 25% |

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
| 3 | 1 | 1 | – | 0 | 4 | 1 | 25% |
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

func pointer(s string) *string { return &s }

func TestChanges(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		audit object
		want  []report.Change
	}{
		"nothing":               {audit: object{}},
		"counters and the name": {audit: object{"agents": object{"agt_1": readAgent(object{"name": "Other", "stats": object{}})}}},
		"order of labels":       {audit: object{"agents": object{"agt_1": readAgent(object{"labels": list{"a", "b"}})}}},
		"plan": {
			audit: object{"workspace": object{"id": "ws_1", "plan": "FREE"}},
			want:  []report.Change{{"workspace plan", "ws_1", pointer("PRO"), pointer("FREE")}},
		},
		"unknown plan": {audit: object{"workspace": object{"id": "ws_1", "plan": nil}}},
		"members": {
			audit: object{"emails_by_role": object{"ADMIN": list{"bob@example.com", "new@example.com"}, "GUEST": list{"", "bob@example.com"}}},
			want: []report.Change{
				{"member", "ann@example.com", pointer("ADMIN"), nil},
				{"member", "bob@example.com", pointer("GUEST"), pointer("ADMIN, GUEST")},
				{"member", "new@example.com", nil, pointer("ADMIN")},
			},
		},
		"definition": {
			audit: object{"agents": object{"agt_1": readAgent(object{"definition_hash": "fedcba9876543210"})}},
			want:  []report.Change{{"agent definition", "agt_1", pointer("0123456789abcdef"), pointer("fedcba9876543210")}},
		},
		"agent": {
			audit: object{"agents": object{"agt_1": readAgent(object{"is_published": false, "is_archived": true, "revision": "9", "labels": list{}})}},
			want: []report.Change{
				{"agent state", "agt_1", pointer("published, locked"), pointer("archived, locked")},
				{"agent revision", "agt_1", pointer("8"), pointer("9")},
				{"agent labels", "agt_1", pointer("a, b"), pointer("")},
			},
		},
		"unpublished agent": {
			audit: object{"agents": object{"agt_1": readAgent(object{"is_published": false, "is_locked": false})}},
			want:  []report.Change{{"agent state", "agt_1", pointer("published, locked"), pointer("not published")}},
		},
		"other agent": {
			audit: object{"agents": object{"agt_2": readAgent(object{"is_published": nil})}},
			want: []report.Change{
				{"agent", "agt_1", pointer("published, locked, revision 8, labels a, b"), nil},
				{"agent", "agt_2", nil, pointer("unknown, locked, revision 8, labels a, b")},
			},
		},
		"no agents": {
			audit: object{"agents": object{}},
			want:  []report.Change{{"agent", "agt_1", pointer("published, locked, revision 8, labels a, b"), nil}},
		},
		"incomplete list of agents": {
			audit: object{"agents": object{}, "problems": list{object{"kind": "incomplete_list", "operation": "list agents"}}},
			want:  []report.Change{{"agent", "agt_1", pointer("published, locked, revision 8, labels a, b"), nil}},
		},
		"audited agent": {
			audit: object{"agents": object{"agt_1": readAgent(object{"revision": "9"})}, "agent_ids": list{"agt_1"}},
			want:  []report.Change{{"agent revision", "agt_1", pointer("8"), pointer("9")}},
		},
		"other agents are not audited":              {audit: object{"agents": object{}, "agent_ids": list{}}},
		"definition not read":                       {audit: object{"agents": object{"agt_1": unreadAgent(true)}}},
		"definition not read, and the list differs": {audit: object{"agents": object{"agt_1": unreadAgent(false)}}},
		"past-due workspace": {audit: object{
			"workspace": object{"id": "ws_1", "plan": "PRO", "is_past_due": true},
			"agents":    object{"agt_1": unreadAgent(nil)},
		}},
		"fields of the definition are missing": {audit: object{
			"agents": object{"agt_1": readAgent(object{"is_published": nil, "is_locked": nil, "revision": nil})},
		}},
		"no definitions requested": {
			audit: object{"definitions": false, "agents": object{"agt_1": unreadAgent(false)}},
			want:  []report.Change{{"agent state", "agt_1", pointer("published, locked"), pointer("locked")}},
		},
	}
	first := write(t, encode(t, nil), nil, nil).Record
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := write(t, encode(t, test.audit), nil, &first)
			if diff := cmp.Diff(append([]report.Change{}, test.want...), second.Changes); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			if test.want == nil && second.Record != first {
				t.Errorf("the record changes from\n%s\nto\n%s", first, second.Record)
			}
			if test.want == nil != strings.Contains(second.Markdown, "\nThere are no changes.\n") {
				t.Errorf("unexpected statement about changes in:\n%s", second.Markdown)
			}
			if again := write(t, encode(t, test.audit), nil, &second.Record); len(again.Changes) > 0 {
				t.Errorf("the same audit again has the changes %v", again.Changes)
			}
		})
	}
}

// What becomes known later has not changed.
func TestUnreadAgent(t *testing.T) {
	t.Parallel()
	first := write(t, encode(t, object{"agents": object{"agt_1": unreadAgent(true), "agt_2": unreadAgent(nil)}}), nil, nil)
	const want = "\n| Orders | agt\\_1 | published, otherwise unknown | – | – | – | – | – |\n| Orders | agt\\_2 | unknown | – | – | – | – | – |\n\n## Members\n"
	if !strings.Contains(first.Markdown, want) {
		t.Errorf("the report does not contain %q:\n%s", want, first.Markdown)
	}
	read := encode(t, object{"agents": object{"agt_1": readAgent(nil), "agt_2": readAgent(object{"is_published": false})}})
	if second := write(t, read, nil, &first.Record); len(second.Changes) > 0 {
		t.Errorf("unexpected changes %v", second.Changes)
	}
}

// The table of changes shows the beginning of each hash.
func TestChangedDefinition(t *testing.T) {
	t.Parallel()
	first := write(t, encode(t, nil), nil, nil).Record
	second := write(t, encode(t, object{"agents": object{"agt_1": readAgent(object{"definition_hash": "fedcba9876543210"})}}), nil, &first)
	if want := "\n| agent definition | agt\\_1 | 01234567… | fedcba98… |\n"; !strings.Contains(second.Markdown, want) {
		t.Errorf("the report does not contain %q:\n%s", want, second.Markdown)
	}
}

func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	first := write(t, encode(t, nil), nil, nil).Record
	second := write(t, encode(t, object{"workspace": object{"id": "ws_2"}}), nil, &first)
	if len(second.Changes) > 0 || !strings.Contains(second.Markdown, "\nThe earlier record is of another workspace.\n") {
		t.Errorf("unexpected changes %v in:\n%s", second.Changes, second.Markdown)
	}
}

// If the service omits the workspace's ID once, no change is lost.
func TestUnknownWorkspace(t *testing.T) {
	t.Parallel()
	first := write(t, encode(t, nil), nil, nil).Record
	for _, id := range []any{nil, ""} {
		second := write(t, encode(t, object{"workspace": object{"id": id}, "emails_by_role": object{"ADMIN": list{"eve@example.com"}}}), nil, &first)
		if len(second.Changes) != 4 || !strings.Contains(second.Record, `"workspace_id":"ws_1"`) {
			t.Errorf("unexpected changes %v, and record %s", second.Changes, second.Record)
		}
	}
}

// A role can have the name that members without a role have in the report.
func TestRoleNamedNoRole(t *testing.T) {
	t.Parallel()
	got := write(t, encode(t, object{"emails_by_role": object{"": list{"ann@example.com"}, "no role": list{"bob@example.com"}}}), nil, nil)
	if want := "| no role | 2 | ann@example.com, bob@example.com |\n"; !strings.Contains(got.Markdown, want) {
		t.Errorf("the report lacks %q:\n%s", want, got.Markdown)
	}
}

// A report shows that the audit has problems, with and without findings.
func TestProblems(t *testing.T) {
	t.Parallel()
	one := encode(t, object{"problems": list{object{"kind": "read_failed"}}})
	two := encode(t, object{"problems": list{object{"kind": "read_failed"}, object{"kind": "not_read"}}})
	finding := []report.Finding{{"warning", "owners", "No owner."}}
	for _, test := range []struct {
		audit    string
		findings []report.Finding
		want     string
	}{
		{encode(t, nil), nil, "\n\nThere are no findings.\n\n## Changes"},
		{one, nil, "\n\nThere are no findings.\n\nThe audit has 1 problem.\n\n## Changes"},
		{two, finding, "| owners | No owner. |\n\nThe audit has 2 problems.\n\n## Changes"},
	} {
		if got := write(t, test.audit, test.findings, nil).Markdown; !strings.Contains(got, test.want) {
			t.Errorf("the report does not contain %q:\n%s", test.want, got)
		}
	}
}

func TestEmptyAudit(t *testing.T) {
	t.Parallel()
	got := write(t, encode(t, object{"stats_periods": nil, "emails_by_role": object{}, "agents": object{}, "workspace": object{}, "summary": object{}}), nil, nil)
	const want = `# Audit of –

**0 errors, 0 warnings**

There are no findings.

## Changes since the last record

There is no earlier record.

## Agents

There are no agents.

## Members

There are no members.

## Totals

| Members | Agents | Published | Archived | Locked |
|--:|--:|--:|--:|--:|
| – | – | – | – | – |
`
	if diff := cmp.Diff(want, got.Markdown); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

// A role that the response lacks is not shown like a member who left.
func TestMembersWithoutRole(t *testing.T) {
	t.Parallel()
	previous := write(t, encode(t, object{"emails_by_role": object{"ADMIN": list{"ann@example.com", "bob@example.com"}}}), nil, nil).Record
	got := write(t, encode(t, object{"emails_by_role": object{"": list{"ann@example.com"}}}), nil, &previous)
	want := []report.Change{
		{"member", "ann@example.com", pointer("ADMIN"), pointer("no role")},
		{"member", "bob@example.com", pointer("ADMIN"), nil},
	}
	if diff := cmp.Diff(want, got.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	for _, row := range []string{
		"| member | ann@example.com | ADMIN | no role |\n",
		"| member | bob@example.com | ADMIN | – |\n",
		"| no role | 1 | ann@example.com |\n",
	} {
		if !strings.Contains(got.Markdown, row) {
			t.Errorf("the report lacks %q:\n%s", row, got.Markdown)
		}
	}
}

func TestLargeAudit(t *testing.T) {
	t.Parallel()
	agents, emails := object{}, list{}
	var findings []report.Finding
	for i := range 10_000 {
		agents[fmt.Sprintf("agt_%05d", i)] = readAgent(object{"stats": object{"last30Days": object{"total_starts": i, "total_completed": 0.5}}})
		emails = append(emails, fmt.Sprintf("%05d@example.com", i))
		findings = append(findings, report.Finding{"warning", "all", "A message"})
	}
	agents["agt_00000"] = readAgent(object{
		"name":  strings.Repeat("long ", 14_000),
		"stats": object{"last30Days": object{"total_starts": json.Number("200000000000000"), "total_completed": json.Number("200000000000000")}},
	})
	got := write(t, encode(t, object{"agents": agents, "emails_by_role": object{"ADMIN": emails}}), findings, pointer(`{"members":{},"agents":{}}`)).Markdown
	for _, want := range []string{
		"\nThe table shows 100 of 10000 findings.\n", "\nThe table shows 100 of 20000 changes.\n", "\nThe table shows 100 of 10000 agents.\n",
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

func TestErrors(t *testing.T) {
	t.Parallel()
	audit := encode(t, nil)
	for _, test := range []struct {
		audit, level string
		previous     *string
		want         error
	}{
		{"secret", "error", nil, report.ErrAudit},
		{`{"workspace": {}}`, "error", nil, report.ErrAudit},
		{encode(t, object{"agents": "secret"}), "error", nil, report.ErrAudit},
		{audit, "fatal", nil, report.ErrLevel},
		{audit, "", nil, report.ErrLevel},
		{audit, "warning", pointer(""), report.ErrRecord},
		{audit, "warning", pointer(`{"agents": {}}`), report.ErrRecord},
		{audit, "warning", pointer(`{"agents": {"a": "secret"}, "members": {}}`), report.ErrRecord},
	} {
		_, err := report.New(test.audit, []report.Finding{{Level: test.level}}, test.previous)
		if !errors.Is(err, test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got the error %v, want %v", err, test.want)
		}
	}
}
