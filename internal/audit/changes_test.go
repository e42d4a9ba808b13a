// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

func compare(t testing.TB, text string, earlier *string) *audit.Comparison {
	t.Helper()
	c, err := audit.Compare(parse(t, text), earlier)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pointer(s string) *string { return &s }

func agentChange(what, before, after string) audit.Change {
	return audit.Change{What: what, ID: "agt_1", Name: "Orders", Before: &before, After: &after}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	edited := func(changes object) object { return object{"agents": object{"agt_1": audittest.Agent(changes)}} }
	const summary = "published, locked, https://a.example/orders, revision 8, labels a, b"
	ann, desk, bob := audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("GUEST", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")
	tests := map[string]struct {
		audit object
		want  []audit.Change
	}{
		"nothing":                {audit: object{}},
		"counters":               {audit: edited(object{"stats": object{}})},
		"order of labels":        {audit: edited(object{"labels": list{"a", "b"}})},
		"time of an update":      {audit: edited(object{"updated_at": "2026-02-02"})},
		"empty instead of null":  {audit: edited(object{"domain": "", "share_rules_json": "null"})},
		"mode of another user":   {audit: edited(object{"current_user_mode": "guest"})},
		"name of a member":       {audit: object{"members": list{audittest.Member("ADMIN", "Anna", "ann@example.com"), desk, bob}}},
		"order of members":       {audit: object{"members": list{bob, ann, desk}}},
		"unknown plan":           {audit: object{"workspace": object{"id": "ws_1", "plan": nil}}},
		"unknown role":           {audit: object{"members": list{audittest.Member(nil, "Ann", "ann@example.com"), desk, bob}}},
		"incomplete members":     {audit: object{"members": list{ann}, "problems": list{object{"kind": "incomplete_list", "operation": "list members"}}}},
		"incomplete agents":      {audit: object{"agents": object{}, "problems": list{object{"kind": "incomplete_list", "operation": "list agents"}}}},
		"element without ID":     {audit: object{"agents": object{}, "problems": list{object{"kind": "not_read", "operation": "list agents"}}}},
		"agents not audited":     {audit: object{"agents": object{}, "agent_ids": list{}}},
		"definition not read":    {audit: object{"agents": object{"agt_1": audittest.UnreadAgent(true)}}},
		"list differs":           {audit: object{"agents": object{"agt_1": audittest.UnreadAgent(false)}}},
		"definitions not wanted": {audit: object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(true)}}},
		"no exposure": {audit: edited(object{
			"is_published": false, "is_archived": nil, "is_locked": nil, "is_shared": nil, "url": nil, "public_id": nil, "published_at": nil,
		})},
		"fields of the definition are missing": {audit: edited(object{"is_published": nil, "is_locked": nil, "revision": nil})},
		"name is missing":                      {audit: edited(object{"name": nil})},

		"plan": {
			audit: object{"workspace": object{"id": "ws_1", "name": "Bicycles", "plan": "FREE"}},
			want:  []audit.Change{{"workspace plan", "ws_1", "Bicycles", pointer("PRO"), pointer("FREE")}},
		},
		"roles": {
			audit: object{"members": list{audittest.Member("GUEST", "Ann", "ann@example.com"), ann, audittest.Member("ADMIN", "Desk", nil), audittest.Member("MEMBER", "Bob", "bob@example.com")}},
			want: []audit.Change{
				{"member", "", "Desk", pointer("GUEST"), pointer("ADMIN")},
				{"member", "ann@example.com", "Ann", pointer("ADMIN"), pointer("ADMIN, GUEST")},
				{"member", "bob@example.com", "Bob", pointer("GUEST"), pointer("MEMBER")},
			},
		},
		"new and gone members, and another address": {
			audit: object{"members": list{audittest.Member("ADMIN", "Ann", "ann@new.example"), audittest.Member("GUEST", "Lane", nil), audittest.Member(nil, "Eve", "eve@example.com"), bob}},
			want: []audit.Change{
				{"member", "", "Desk", pointer("GUEST"), nil},
				{"member", "", "Lane", nil, pointer("GUEST")},
				{"member", "ann@example.com", "Ann", pointer("ADMIN"), nil},
				{"member", "ann@new.example", "Ann", nil, pointer("ADMIN")},
				{"member", "eve@example.com", "Eve", nil, pointer("unknown")},
			},
		},
		"members with the same name": {
			audit: object{"members": list{ann, desk, desk, bob}},
			want:  []audit.Change{{"member", "", "Desk", pointer("GUEST"), pointer("GUEST, GUEST")}},
		},

		"custom domain": {
			audit: edited(object{"domain": "orders.example", "url": "https://orders.example/"}),
			want: []audit.Change{agentChange("agent address", "URL https://a.example/orders, no domain",
				"URL https://orders.example/, domain orders.example")},
		},
		"public ID": {audit: edited(object{"public_id": "o2"}), want: []audit.Change{agentChange("agent address", "public ID orders", "public ID o2")}},
		"no URL":    {audit: edited(object{"url": nil}), want: []audit.Change{agentChange("agent address", "URL https://a.example/orders", "no URL")}},
		"link sharing": {
			audit: edited(object{"is_shared": true, "share_rules_json": `{"a":1}`}),
			want:  []audit.Change{agentChange("agent sharing", "not shared, no rules", `shared, rules {"a":1}`)},
		},
		"security settings": {
			audit: edited(object{"security_json": `{"origins":["a.example","b.example"]}`}),
			want:  []audit.Change{agentChange("agent security settings", `{"origins":["a.example"]}`, `{"origins":["a.example","b.example"]}`)},
		},
		"removed security settings": {
			audit: edited(object{"security_json": nil}),
			want:  []audit.Change{agentChange("agent security settings", `{"origins":["a.example"]}`, "none")},
		},
		"collaborators": {
			audit: edited(object{"collaborators_json": `[{"userId":"u2"},{"userId":"u1"}]`}),
			want:  []audit.Change{agentChange("agent collaborators", `[{"userId":"u1"}]`, `[{"userId":"u1"},{"userId":"u2"}]`)},
		},
		"published again": {
			audit: edited(object{"published_at": "2026-02-02", "revision": "9"}),
			want:  []audit.Change{agentChange("agent publication", "2026-01-01", "2026-02-02")},
		},
		"unpublished": {
			audit: edited(object{"is_published": false, "published_at": nil, "public_id": nil}),
			want:  []audit.Change{agentChange("agent state", "published, locked, public ID orders", "locked, no public ID")},
		},
		"archived":  {audit: edited(object{"is_archived": true}), want: []audit.Change{agentChange("agent state", "published, locked", "published, archived, locked")}},
		"not known": {audit: edited(object{"is_locked": false, "is_published": false}), want: []audit.Change{agentChange("agent state", "published, locked", "not published")}},
		"edit": {
			audit: edited(object{"definition_hash": "fedcba9876543210", "revision": "9", "labels": list{"a, b"}}),
			want:  []audit.Change{agentChange("agent definition", "labels a, b, revision 8, hash 0123456789ab…", `labels "a, b", revision 9, hash fedcba987654…`)},
		},
		"edit of the name": {
			audit: edited(object{"definition_hash": "fedcba9876543210", "name": "Other"}),
			want: []audit.Change{{
				"agent definition", "agt_1", "Other", pointer("name Orders, hash 0123456789ab…"), pointer("name Other, hash fedcba987654…"),
			}},
		},
		"revision": {audit: edited(object{"revision": "9"}), want: []audit.Change{agentChange("agent revision", "revision 8", "revision 9")}},
		"space": {
			audit: edited(object{"definition_hash": "fedcba9876543210", "labels": list{"a", " b"}}),
			want:  []audit.Change{agentChange("agent definition", "labels a, b, hash 0123456789ab…", `labels " b", a, hash fedcba987654…`)},
		},
		"no labels": {
			audit: edited(object{"definition_hash": "fedcba9876543210", "labels": list{}}),
			want:  []audit.Change{agentChange("agent definition", "labels a, b, hash 0123456789ab…", "no labels, hash fedcba987654…")},
		},
		"name": {
			audit: edited(object{"name": "Other"}),
			want:  []audit.Change{{"agent name", "agt_1", "Other", pointer("name Orders"), pointer("name Other")}},
		},

		"other agent": {
			audit: object{"agents": object{"agt_2": audittest.Agent(object{"is_published": nil, "name": "New", "is_shared": true, "domain": "d.example"})}},
			want: []audit.Change{
				{"agent", "agt_1", "Orders", pointer(summary), nil},
				{"agent", "agt_2", "New", nil, pointer("locked, otherwise unknown, https://a.example/orders, d.example, shared, revision 8, labels a, b")},
			},
		},
		"no agents": {audit: object{"agents": object{}}, want: []audit.Change{{"agent", "agt_1", "Orders", pointer(summary), nil}}},
		"audited agent": {
			audit: object{"agents": object{"agt_1": audittest.Agent(object{"revision": "9"})}, "agent_ids": list{"agt_1"}},
			want:  []audit.Change{agentChange("agent revision", "revision 8", "revision 9")},
		},
		"publication in the list": {
			audit: object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(false)}},
			want:  []audit.Change{agentChange("agent state", "published, locked", "locked")},
		},
	}
	first := compare(t, audittest.JSON(t, nil), nil)
	if first.Changes != nil {
		t.Errorf("without a record, the changes are %v", first.Changes)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := compare(t, audittest.JSON(t, test.audit), &first.Record)
			if diff := cmp.Diff(append([]audit.Change{}, test.want...), second.Changes); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			if again := compare(t, audittest.JSON(t, test.audit), &second.Record); again.Changes == nil || len(again.Changes) > 0 {
				t.Errorf("the same audit again has the changes %v", again.Changes)
			}
			// The way back has the same changes, unless something became unknown.
			if back := compare(t, audittest.JSON(t, nil), &second.Record); len(back.Changes) != len(test.want) && name != "new and gone members, and another address" {
				t.Errorf("the way back has the changes %v", back.Changes)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	const want = `{"workspace_id":"ws_1","plan":"PRO",` +
		`"members":[{"name":"Desk","roles":["GUEST"]},{"email":"ann@example.com","name":"Ann","roles":["ADMIN"]},` +
		`{"email":"bob@example.com","name":"Bob","roles":["GUEST"]}],` +
		`"agents":{"agt_1":{"name":"Orders","is_published":true,"is_archived":false,"is_locked":true,"published_at":"2026-01-01",` +
		`"url":"https://a.example/orders","domain":"","public_id":"orders","is_shared":false,"share_rules_json":"",` +
		`"collaborators_json":"[{\"userId\":\"u1\"}]","security_json":"{\"origins\":[\"a.example\"]}","labels":["a","b"],` +
		`"revision":"8","definition_hash":"0123456789abcdef"}}}`
	if diff := cmp.Diff(want, compare(t, audittest.JSON(t, nil), nil).Record); diff != "" {
		t.Errorf("unexpected record (-want +got):\n%s", diff)
	}
}

// A role or a label can contain what separates two of them.
func TestSeparatorInNames(t *testing.T) {
	t.Parallel()
	ambiguous := [][]any{{"a", "b"}, {"a, b"}, {`"a", "b"`}, {`"a, b"`}, {`a", "b`}, {"a", "b", ""}, {"a, b", ""}, {"a,", "b"}, {"a", "b "}}
	for i, before := range ambiguous {
		for j, after := range ambiguous {
			audited := func(texts []any) string {
				var members list
				for _, text := range texts {
					if text != "" { // The role of a member is then unknown.
						members = append(members, audittest.Member(text, "Ann", "ann@example.com"))
					}
				}
				return audittest.JSON(t, object{"members": members, "agents": object{"agt_1": audittest.Agent(object{"labels": texts, "definition_hash": fmt.Sprintf("%q", texts)})}})
			}
			first := compare(t, audited(before), nil).Record
			changes := compare(t, audited(after), &first).Changes
			got := slices.ContainsFunc(changes, func(c audit.Change) bool { return c.Before != nil && strings.HasPrefix(*c.Before, "labels ") })
			if want := i != j; got != want {
				t.Errorf("%q to %q: changes %v", before, after, changes)
			}
		}
	}
}

// What becomes known later has not changed.
func TestUnknownAtFirst(t *testing.T) {
	t.Parallel()
	first := compare(t, audittest.JSON(t, object{
		"agents":  object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(nil)},
		"members": list{audittest.Member(nil, "Ann", "ann@example.com"), audittest.Member(nil, "Desk", nil), audittest.Member(nil, "Bob", "bob@example.com")},
	}), nil)
	read := audittest.JSON(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false})}})
	if second := compare(t, read, &first.Record); len(second.Changes) > 0 {
		t.Errorf("unexpected changes %v", second.Changes)
	}
}

func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	first := compare(t, audittest.JSON(t, nil), nil)
	second := compare(t, audittest.JSON(t, object{"workspace": object{"id": "ws_2"}}), &first.Record)
	if second.Changes != nil {
		t.Errorf("unexpected changes %v", second.Changes)
	}
}

// If the service omits the workspace's ID once, no change is lost.
func TestUnknownWorkspace(t *testing.T) {
	t.Parallel()
	first := compare(t, audittest.JSON(t, nil), nil)
	for _, id := range []any{nil, ""} {
		second := compare(t, audittest.JSON(t, object{"workspace": object{"id": id}, "members": list{audittest.Member("ADMIN", "Eve", "eve@example.com")}}), &first.Record)
		if len(second.Changes) != 4 || !strings.Contains(second.Record, `"workspace_id":"ws_1"`) {
			t.Errorf("unexpected changes %v, and record %s", second.Changes, second.Record)
		}
	}
}

// Of 100 agents and 20 members, random ones are edited: each edit is one change,
// and nothing else is.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	type edit struct {
		what  string
		apply func(agent object, n int)
	}
	hash := func(agent object, n int) { agent["definition_hash"] = fmt.Sprintf("%016d", n) }
	edits := []edit{
		{"agent definition", func(a object, n int) { hash(a, n); a["revision"] = fmt.Sprint("r", n) }},
		{"agent definition", func(a object, n int) { hash(a, n); a["labels"] = list{fmt.Sprint("l", n), "x, y"} }},
		{"agent definition", func(a object, n int) { hash(a, n); a["name"] = fmt.Sprint("name ", n) }},
		{"agent state", func(a object, _ int) { a["is_locked"] = !a["is_locked"].(bool) }},
		{"agent state", func(a object, _ int) { a["is_archived"] = !a["is_archived"].(bool) }},
		{"agent state", func(a object, n int) {
			a["is_published"], a["published_at"] = !a["is_published"].(bool), fmt.Sprint(n)
			a["public_id"] = fmt.Sprint("p", n)
		}},
		{"agent publication", func(a object, n int) { a["published_at"] = fmt.Sprint(n) }},
		{"agent address", func(a object, n int) { a["domain"], a["url"] = fmt.Sprint(n, ".example"), fmt.Sprint("https://", n) }},
		{"agent address", func(a object, n int) { a["public_id"] = fmt.Sprint("p", n) }},
		{"agent sharing", func(a object, n int) { a["is_shared"], a["share_rules_json"] = true, fmt.Sprintf(`{"n":%d}`, n) }},
		{"agent security settings", func(a object, n int) { a["security_json"] = fmt.Sprintf(`{"n":%d}`, n) }},
		{"agent collaborators", func(a object, n int) { a["collaborators_json"] = fmt.Sprintf(`[{"userId":"u1"},{"userId":"u%d"}]`, n) }},
		{"agent revision", func(a object, n int) { a["revision"] = fmt.Sprint("r", n) }},
		{"agent", nil}, // Another agent is in its place.
		{"member", nil},
	}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // It selects test data.
		agents, members := object{}, list{}
		for i := range 100 {
			agents[fmt.Sprintf("agt_%d", i)] = audittest.Agent(object{"name": fmt.Sprintf("Agent | %d", i)})
		}
		for i := range 20 {
			members = append(members, audittest.Member("GUEST", fmt.Sprint("m", i), fmt.Sprintf("m%d@example.com", i)))
		}
		first := compare(t, audittest.JSON(t, object{"agents": agents, "members": members}), nil)
		type edited struct{ What, ID string }
		var want []edited
		agentIDs, memberIDs := random.Perm(100), random.Perm(20)
		unreadable := agentIDs[len(agentIDs)-10:]
		for n := range 40 {
			e := edits[random.IntN(len(edits))]
			id := fmt.Sprintf("agt_%d", agentIDs[n])
			switch {
			case e.what == "member" && len(memberIDs) == 0:
			case e.what == "member":
				i := memberIDs[0]
				memberIDs = memberIDs[1:]
				members[i].(object)["role"] = "ADMIN"
				want = append(want, edited{e.what, fmt.Sprintf("m%d@example.com", i)})
			case e.what == "agent":
				delete(agents, id)
				agents["new_"+id] = audittest.Agent(nil)
				want = append(want, edited{e.what, id}, edited{e.what, "new_" + id})
			default:
				e.apply(agents[id].(object), n)
				want = append(want, edited{e.what, id})
			}
		}
		for _, i := range unreadable { // What this run does not see has not changed.
			agents[fmt.Sprintf("agt_%d", i)] = audittest.UnreadAgent(random.IntN(2) == 0)
			agents[fmt.Sprintf("agt_%d", i)].(object)["name"] = fmt.Sprintf("Agent | %d", i)
		}
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		text := audittest.JSON(t, object{"agents": agents, "members": members})
		second := compare(t, text, &first.Record)
		var got []edited
		for _, c := range second.Changes {
			got = append(got, edited{c.What, c.ID})
			if c.Name == "" {
				t.Errorf("seed %d: %v has no name", seed, c)
			}
		}
		less := func(x, y edited) bool { return x.What+x.ID < y.What+y.ID }
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("seed %d: unexpected changes (-want +got):\n%s", seed, diff)
		}
		// Each of them is a row of the report, which shows them all.
		written, err := report.New(parse(t, text), nil, second.Changes)
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(written.Markdown, "\n## Changes")
		table, _, _ = strings.Cut(table, "\n## Agents")
		if rows := strings.Count(table, "\n| ") - strings.Count(table, "\n| What"); rows != len(want) {
			t.Errorf("seed %d: the report has %d changes, want %d:\n%s", seed, rows, len(want), table)
		}
		if again := compare(t, text, &second.Record); len(again.Changes) > 0 {
			t.Errorf("seed %d: the same audit has the changes %v", seed, again.Changes)
		}
		if !json.Valid([]byte(second.Record)) {
			t.Errorf("seed %d: the record is no JSON", seed)
		}
	}
}

func TestInvalidTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"secret", `{"workspace": {}}`, audittest.JSON(t, object{"agents": "secret"}),
		audittest.JSON(t, object{"agents": object{"a": object{"stats": object{"last30Days": object{"total_starts": "secret"}}}}})} {
		if _, err := audit.Parse(text); !errors.Is(err, audit.ErrAudit) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
	for _, earlier := range []string{"", `{"agents": {}}`, `{"agents": {"a": "secret"}, "members": []}`} {
		if _, err := audit.Compare(parse(t, audittest.JSON(t, nil)), &earlier); !errors.Is(err, audit.ErrRecord) || strings.Contains(err.Error(), "secret") {
			t.Errorf("record %q: the error is %v", earlier, err)
		}
	}
}
