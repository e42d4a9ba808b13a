// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"maps"
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
func write(t testing.TB, changes object, recorded *audit.History, own ...*audit.OwnFinding) *report.Report {
	t.Helper()
	assessment, err := audit.Assess(parse(t, audittest.JSON(t, changes)), recorded, own)
	if err != nil {
		t.Fatal(err)
	}
	return report.New(assessment)
}

// planned returns what the resource plans for an audit.
func planned(t testing.TB, changes object, stored *audit.History) *audit.History {
	t.Helper()
	result, err := audit.AssessForRecord(parse(t, audittest.JSON(t, changes)), stored)
	if err != nil {
		t.Fatal(err)
	}
	return result.Next()
}

// stored is what the resource stored of an earlier audit.
func stored(t testing.TB, changes object) *audit.History {
	t.Helper()
	earlier := object{"read_at": "2026-01-01T10:00:59Z"}
	maps.Copy(earlier, changes)
	return planned(t, earlier, &audit.History{Accepted: map[string]string{"first_record/ws_1/" + calmKey: "Compared."}})
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

// checkReport compares reports but for their findings.
func checkReport(t *testing.T, want, got *report.Report) {
	t.Helper()
	want.Findings = got.Findings
	// The space after the symbols of the levels does not break.
	want.Markdown = strings.NewReplacer("❌ Error", "❌\u00a0Error", "⚠️ Warning", "⚠️\u00a0Warning").Replace(want.Markdown)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
}

// calmRest is the end of the report of an audit with one agent.
const calmRest = `
## Members

| Role | Number | Email addresses |
|---|---|---|
| ADMIN | 1 | ann@example.com |
| GUEST | 2 | no email address, bob@example.com |

## Agents

` + agentHeader + "| Orders | agt\\_1 | published, locked " + agentRest

const (
	agentHeader = `| Agent | ID | State | Address | Sharing | Collaborators | Hosts | Credentials | Labels |
|---|---|---|---|---|---|---|---|---|
`
	agentRest = "| `https://a.example/orders` | not shared | \\{\"userId\":\"u1\"\\} | api.example | cred\\_1 | a, b |\n"
)

const changeHeader = "| Found | What | Name | ID | Before | Now | Reason |\n|---|---|---|---|---|---|---|\n"

const (
	once    = "\n  The key accepts this once."
	lasting = "\n  The key accepts this as long as it is in accepted."
	advice  = "\n  What to do: https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/when-an-audit-fails.md"
)

func TestRedReport(t *testing.T) {
	t.Parallel()
	agents := object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil), "agt_3": audittest.Agent(nil), "agt_4": audittest.Agent(nil)}
	before := stored(t, object{"agents": agents})
	plan := object{"read_at": "2026-01-15T09:30:00Z", "agents": agents, "workspace": audittest.Workspace(object{"plan": "FREE"})}
	record := planned(t, plan, before)
	record.Accepted = map[string]string{
		"owners/agt_1": "Ann is on\nleave.", "access_changed/agt_1": "Too general.", "removed": "", "a key": "",
	}
	red := object{
		"workspace": audittest.Workspace(object{"plan": "FREE", "is_past_due": true}),
		"agents": object{
			"agt_1": audittest.Agent(object{"domain": "evil.example", "definition_hash": audittest.Hash(1), "definition_parts": `{"parts":{"links":"x","nodes":"y"},"nodes":{"n1":{"title":"Greeting","hash":"d"}}}`}),
			"agt_2": audittest.UnreadAgent(true), "agt_3": audittest.Agent(object{"is_locked": false}), "agt_4": audittest.UnreadAgent(true),
		},
		"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("ADMIN", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")},
		"problems": list{
			object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent", "status": 404, "code": "NOT_FOUND", "message": "Not found"},
			object{"kind": "read_failed", "agent_id": "agt_4", "operation": "read agent", "status": 404, "code": "NOT_FOUND", "message": "Not found"},
			object{"kind": "missing_fields", "agent_id": nil, "operation": "read workspace", "message": "No image."},
		},
	}
	keys := map[string]string{}
	for _, c := range planned(t, red, record).Changes {
		if c.Key != nil {
			keys[c.ID+c.Name] = *c.Key
		}
	}
	record.Accepted[keys["agt_3Orders"]] = "Unlocked for | an edit."
	record = planned(t, red, record)
	desk, domain := keys["Desk"], *record.Changes[len(record.Changes)-3].Key
	own := []*audit.OwnFinding{
		{Level: new("warning"), Rule: new("owners"), ID: new("agt_1"), Message: new("No owner.")},
		{Level: new("error"), Rule: new("admins"), ID: new("ann@example.com"), Message: new("Not\nallowed by https://a.example/b.")},
	}
	checkReport(t, &report.Report{
		Errors: []string{
			"read_failed/agt_2/read_agent\nread_failed/agt_4/read_agent\n  Orders (agt_2), Orders (agt_4): read agent: 404, NOT_FOUND, Not found" + lasting,
			desk + "\n  Desk: member: GUEST → ADMIN" + once,
			domain + "\n  Orders (agt_1): agent address: no domain → domain evil.example" + once,
			"admins/ann@example.com\n  Ann (ann@example.com): Not allowed by https://a.example/b." + lasting + "\n\n  These keys in accepted match no finding: a key, access_changed/agt_1, removed" + advice,
		},
		Warnings: []string{
			"workspace_past_due\n  A payment of the workspace is past due.",
			"missing_fields/read_workspace\n  read workspace: No image.",
		},
		Markdown: `# Audit of Bicycles

**❌ Failed: 5 errors, 2 warnings, 1 accepted**

[What to do when an audit fails](https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/when-an-audit-fails.md).

A key accepts its finding as long as it is in ` + "`accepted`" + `, or only once where the table says so.

| Level | Concerns | Finding | Accept as |
|---|---|---|---|
| ❌ Error | 2: Orders (agt\_2), Orders (agt\_4) | read agent: 404, NOT\_FOUND, Not found | ` + "`read_failed/agt_2/read_agent`, `read_failed/agt_4/read_agent`" + ` |
| ❌ Error | Desk | member: GUEST → ADMIN | ` + "`" + desk + "`" + `<br>once |
| ❌ Error | Orders (agt\_1) | agent address: no domain → domain evil.example | ` + "`" + domain + "`" + `<br>once |
| ❌ Error | Ann (ann@example.com) | Not allowed by ` + "`https://a.example/b`" + `. | ` + "`admins/ann@example.com`" + ` |
| ⚠️ Warning | – | A payment of the workspace is past due. | ` + "`workspace_past_due`" + ` |
| ⚠️ Warning | – | read workspace: No image. | ` + "`missing_fields/read_workspace`" + ` |

## Changes of access

` + changeHeader + `| 2026-02-01 10:00 UTC | member | Desk | – | GUEST | ADMIN | – |
| 2026-02-01 10:00 UTC | agent address | Orders | agt\_1 | no domain | domain evil.example | – |
| 2026-02-01 10:00 UTC | agent state | Orders | agt\_3 | locked | not locked | Unlocked for &#124; an edit. |
| 2026-01-01 10:00 UTC | record | Bicycles | ws\_1 | – | workspace ws\_1 with 4 agents and 3 members | – |

## Other changes

` + changeHeader + `| 2026-02-01 10:00 UTC | agent definition | Orders | agt\_1 | – | changed: links, node Greeting (n1) | – |
| 2026-01-15 09:30 UTC | workspace plan | Bicycles | ws\_1 | PRO | FREE | – |

The audit does not store definitions. If you [keep them in Git](https://github.com/convo/terraform-provider-convo/blob/main/docs/guides/recipes.md#keep-agent-definitions-in-git), the function definition\_diff shows what changed since then.

## Accepted

| Rule | Concerns | Finding | Reason |
|---|---|---|---|
| owners | Orders (agt\_1) | No owner. | Ann is on leave. |

These keys in the argument accepted match no finding: ` + "`a key`, `access_changed/agt_1`, `removed`" + `. Remove those that are not for later findings.
` + calmRest[:strings.Index(calmRest, "| Orders")] +
			"| Orders | agt\\_1 | published, locked " + strings.Replace(agentRest, "orders` |", "orders`, evil.example |", 1) +
			"| Orders | agt\\_2 | published, archived unknown, locked unknown | `https://a.example/orders` | unknown | unknown | unknown | unknown | unknown |\n" +
			"| Orders | agt\\_3 | published " + agentRest +
			"| Orders | agt\\_4 | published, archived unknown, locked unknown | `https://a.example/orders` | unknown | unknown | unknown | unknown | unknown |\n",
	}, write(t, red, record, own...))
}

func TestCalmReport(t *testing.T) {
	t.Parallel()
	checkReport(t, &report.Report{Errors: []string{}, Warnings: []string{}, Markdown: `# Audit of Bicycles

**✅ Passed: 0 errors, 0 warnings, 0 accepted**

There are no errors and no warnings.

## Changes of access

` + changeHeader + `| 2026-01-01 10:00 UTC | record | Bicycles | ws\_1 | – | workspace ws\_1 with 1 agent and 3 members | Compared. |

## Other changes

There are no changes.
` + calmRest}, write(t, nil, planned(t, nil, stored(t, nil))))
}

// calmKey is the beginning of the SHA-256 hash of the first record's access, in base32.
const calmKey = "4iwpdzbg2baxfwhqqd3racks"

// The report of the day after a confirmation is the same, so that a plan has no difference.
func TestReportDoesNotChangeByItself(t *testing.T) {
	t.Parallel()
	first := object{"read_at": "2026-01-01T10:00:59Z"}
	record := stored(t, nil)
	checkReport(t, write(t, first, record), write(t, nil, planned(t, nil, record)))

	// So is that of the day after a change that was accepted, and after a warning about a change.
	changed := object{"agents": object{"agt_1": audittest.Agent(object{"domain": "d.example"})}}
	record.Accepted["access_changed"] = "Moved."
	agents := changed["agents"].(object)
	agents["agt_1"].(object)["is_published"] = false
	record = planned(t, changed, record)
	want := write(t, changed, record)
	checkContains(t, want.Markdown, "**✅ Passed: 0 errors, 1 warning, 0 accepted**", "⚠️\u00a0Warning | Orders (agt\\_1) | The agent was published, and was then unpublished or deleted. | `no_longer_published/agt_1` |\n", " | agent state | Orders | agt\\_1 | published, no domain | not published, domain d.example | access\\_changed: Moved. |\n")
	changed["read_at"] = "2026-03-01T10:00:00Z"
	if diff := cmp.Diff(want.Markdown, write(t, changed, planned(t, changed, record)).Markdown); diff != "" {
		t.Errorf("the report of the next day differs (-first +next):\n%s", diff)
	}
	agents["agt_1"].(object)["is_published"] = true
	checkContains(t, write(t, changed, planned(t, changed, record)).Markdown, "**✅ Passed: 0 errors, 0 warnings, 0 accepted**")
}

func TestReportWithoutRecord(t *testing.T) {
	t.Parallel()
	got := write(t, nil, nil).Markdown
	checkContains(t, got, "**✅ Passed: ", "\n## Changes of access\n\nThere is no record to compare with.\n\n## Members\n")
	if strings.Contains(got, "when-an-audit-fails") {
		t.Error("a passed audit has the advice")
	}
}

// What a definition lacks stands where the others have it, and nowhere else.
func TestUnknownValues(t *testing.T) {
	t.Parallel()
	got := write(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": nil, "is_locked": nil, "is_shared": nil})}}, nil).Markdown
	checkContains(t, got, "| Orders | agt\\_2 | published unknown, locked unknown | `https://a.example/orders` | shared unknown | ")
	if strings.Count(got, "unknown") != 3 || strings.Contains(got, "Missing data") {
		t.Errorf("the report says more than once what is unknown:\n%s", got)
	}
}

func TestMissingData(t *testing.T) {
	t.Parallel()
	for want, audited := range map[string]object{
		"No agent has a value for domain, share\\_rules\\_json. If the service never returns these values, nobody can see their changes.\n\n## ": {
			"agents": object{"agt_1": audittest.Agent(object{"domain": nil, "share_rules_json": nil})},
		},
		"Only the agents in agent\\_ids were read.\n\n## ": {"agent_ids": list{"agt_1"}},
	} {
		checkContains(t, write(t, audited, nil).Markdown, "\n## Missing data\n\n"+want)
	}
	earlier := stored(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}})
	fewer := object{"problems": list{object{"kind": audit.IncompleteList, "operation": audit.ListAgents}}}
	checkContains(t, write(t, fewer, planned(t, fewer, earlier)).Markdown, "\n## Missing data\n\nThese recorded agents and members (1) were not listed. "+
		"They stay in the record, because the list may be incomplete: agt\\_2.\n")
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
		"read_at": nil, "stats_periods": nil, "members": list{}, "emails_by_role": object{}, "agents": object{},
		"workspace": object{},
	}))
	got := report.New(&audit.Assessment{Audit: empty, HasRecord: true})
	checkContains(t, got.Markdown, "# Audit of –\n", "There are no errors and no warnings.\n", "There are no changes.\n",
		"There are no members.\n", "There are no agents.\n")
}
