// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

type (
	object = audittest.Object
	list   = audittest.List
)

const readAt = "2026-02-01T10:00:00.5Z"

func parse(t testing.TB, text string) *audit.Audit {
	t.Helper()
	a, err := audit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// comparison is an audit beside an earlier record. The changes have no keys, and the same
// time. The one that many objects are gone is left out.
type comparison struct {
	Record  string
	Changes []audit.Change
}

var audits atomic.Int64

func compare(t testing.TB, changes object, earlier string) comparison {
	t.Helper()
	audited := object{"read_at": fmt.Sprint("audit ", audits.Add(1))} // Each audit has a time of its own.
	maps.Copy(audited, changes)
	updated := planned(t, audited, &audit.History{Record: &earlier})
	updated.Changes = slices.DeleteFunc(updated.Changes, func(c audit.Change) bool { return c.What == "removed" })
	for i := range updated.Changes {
		updated.Changes[i].Key, updated.Changes[i].At = nil, readAt
	}
	return comparison{*updated.Record, updated.Changes}
}

// recordOf returns the record that begins with an audit.
func recordOf(t testing.TB, changes object) string {
	t.Helper()
	return compare(t, changes, "").Record
}

// changesSince returns the changes of a later audit since a record.
func changesSince(t testing.TB, record string, changes object) []audit.Change {
	t.Helper()
	return compare(t, changes, record).Changes
}

func withAgent(changes object) object {
	return object{"agents": object{"agt_1": audittest.Agent(changes)}}
}

// change is a change of access.
func change(what, id, name string, before, after *string) audit.Change {
	return audit.Change{What: what, ID: id, Name: name, Before: before, After: after, IsAccess: true, At: readAt}
}

func accessChange(what, before, after string) audit.Change {
	return change(what, "agt_1", "Orders", &before, &after)
}

func otherChange(what, before, after string) audit.Change {
	c := accessChange(what, before, after)
	c.IsAccess = false
	return c
}

func TestCompare(t *testing.T) {
	t.Parallel()
	const (
		values  = `URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators {"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1`
		summary = "published, locked, " + values + ", labels a, b, revision 8"
	)
	ann := audittest.Member("ADMIN", "Ann", "ann@example.com")
	tests := map[string]struct {
		audit object
		want  []audit.Change
	}{
		"nothing":               {audit: object{}},
		"null instead of empty": {audit: withAgent(object{"domain": nil, "share_rules_json": "null"})},
		"unknown plan":          {audit: object{"workspace": audittest.Workspace(object{"plan": nil, "slug": nil, "payments_id": nil})}},
		"incomplete members":    {audit: object{"members": list{ann}, "problems": list{object{"kind": "incomplete_list", "operation": "list members"}}}},
		"list differs":          {audit: object{"agents": object{"agt_1": audittest.UnreadAgent(false)}}},
		"name is missing":       {audit: withAgent(object{"name": nil})},

		"plan": {
			audit: object{"workspace": audittest.Workspace(object{"plan": "FREE"})},
			want:  []audit.Change{{"workspace plan", "ws_1", "Bicycles", new("PRO"), new("FREE"), false, readAt, nil, nil}},
		},
		"payments": {
			audit: object{"workspace": audittest.Workspace(object{"payments_id": "cus_2", "payments_connect_id": "acct_2"})},
			want: []audit.Change{{"workspace payments", "ws_1", "Bicycles", new("payments ID cus_1, connected account acct_1"),
				new("payments ID cus_2, connected account acct_2"), false, readAt, nil, nil}},
		},
		"slug": {
			audit: object{"workspace": audittest.Workspace(object{"slug": "bikes"})},
			want:  []audit.Change{change("workspace slug", "ws_1", "Bicycles", new("bicycles"), new("bikes"))},
		},
		"roles, and a name": {
			audit: object{"members": list{audittest.Member("GUEST", "Ann", "ann@example.com"), ann, audittest.Member("ADMIN", "Desk", nil), audittest.Member("MEMBER", "Rob", "bob@example.com")}},
			want: []audit.Change{
				change("member", "", "Desk", new("GUEST"), new("ADMIN")),
				change("member", "ann@example.com", "Ann", new(""), new("+ GUEST")),
				change("member", "bob@example.com", "Rob", new("GUEST"), new("MEMBER")),
				{"member", "bob@example.com", "Rob", new("name Bob"), new("name Rob"), false, readAt, nil, nil},
			},
		},
		"name of a member": {
			audit: object{"members": list{ann, audittest.Member("GUEST", "Desk", nil), audittest.Member("GUEST", "Rob", "bob@example.com")}},
			want:  []audit.Change{{"member", "bob@example.com", "Rob", new("name Bob"), new("name Rob"), false, readAt, nil, nil}},
		},

		"custom domain": {
			audit: withAgent(object{"domain": "orders.example", "url": "https://orders.example/"}),
			want: []audit.Change{accessChange("agent address", "URL https://a.example/orders, no domain",
				"URL https://orders.example/, domain orders.example")},
		},
		"URL":       {audit: withAgent(object{"url": "https://b.example"}), want: []audit.Change{accessChange("agent address", "URL https://a.example/orders", "URL https://b.example")}},
		"domain ID": {audit: withAgent(object{"domain_id": "dom_2"}), want: []audit.Change{accessChange("agent address", "domain ID dom_1", "domain ID dom_2")}},
		"public ID": {audit: withAgent(object{"public_id": "sales"}), want: []audit.Change{accessChange("agent address", "public ID orders", "public ID sales")}},
		"unpublished": {
			audit: withAgent(object{"is_published": false, "published_at": nil, "public_id": nil}),
			want:  []audit.Change{otherChange("agent state", "published, public ID orders", "not published, no public ID")},
		},
		"unpublished, with another domain": {
			audit: withAgent(object{"is_published": false, "published_at": nil, "domain": "evil.example"}),
			want:  []audit.Change{accessChange("agent state", "published, no domain", "not published, domain evil.example")},
		},
		"states not returned": {audit: withAgent(object{"is_published": nil, "is_archived": nil, "is_locked": nil, "is_shared": nil})},
		"edit": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "definition_parts": `{"parts":{"links":"x","nodes":"y"},"nodes":{"n1":{"title":"Greeting","hash":"z"}}}`, "revision": "9", "labels": list{"a, b"}}),
			want: []audit.Change{otherChange("agent definition", "− labels: a, − labels: b, revision 8",
				"+ labels: a, b, revision 9, changed: links, node Greeting (n1)")},
		},
		"renamed in an edit": {
			audit: withAgent(object{"name": "Sales", "definition_hash": audittest.Hash(1), "definition_parts": `{"parts":{"links":"x","nodes":"b"},"nodes":{"n1":{"title":"Greeting","hash":"c"}}}`}),
			want:  []audit.Change{{"agent definition", "agt_1", "Sales", new("name Orders"), new("name Sales, changed: links"), false, readAt, nil, nil}},
		},

		"unlocked":            {audit: withAgent(object{"is_locked": false}), want: []audit.Change{accessChange("agent state", "locked", "not locked")}},
		"archived":            {audit: withAgent(object{"is_archived": true}), want: []audit.Change{otherChange("agent state", "not archived", "archived")}},
		"revision":            {audit: withAgent(object{"revision": "9"}), want: []audit.Change{otherChange("agent revision", "revision 8", "revision 9")}},
		"state of a revision": {audit: withAgent(object{"is_locked": false, "revision": "9"}), want: []audit.Change{accessChange("agent state", "locked", "not locked")}},
		"published again":     {audit: withAgent(object{"published_at": "2026-01-09"}), want: []audit.Change{otherChange("agent publication", "2026-01-01", "2026-01-09")}},
		"sharing, collaborators, and hosts": {
			audit: withAgent(object{"is_shared": true, "share_rules_json": `{"n":1}`, "collaborators_json": `[{"userId":"u1"},{"userId":"u2"}]`, "external_hosts": list{"b.example"}}),
			want: []audit.Change{
				accessChange("agent sharing", "not shared", "shared, + rules.n: 1"), accessChange("agent collaborators", "", `+ {"userId":"u2"}`),
				accessChange("agent external hosts", "api.example", "b.example"),
			},
		},
		"moved boxes": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1),
				"definition_parts": `{"parts":{"layout":"z","links":"a","nodes":"b"},"nodes":{"n1":{"title":"Greeting","hash":"c"}}}`}),
			want: []audit.Change{otherChange("agent layout", "", "changed: layout")},
		},

		"other agent": {
			audit: object{"agents": object{"agt_2": audittest.Agent(object{"is_published": nil, "name": "New", "is_shared": true, "domain": "d.example"})}},
			want: []audit.Change{
				otherAgent("agt_1", new(summary), nil),
				change("agent", "agt_2", "New", nil, new("published unknown, locked, "+strings.NewReplacer("domain ID", "domain d.example, domain ID", "collab", "shared, collab").Replace(values)+", labels a, b, revision 8")),
			},
		},
		"new agent, closed, with collaborators": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false})}},
			want:  []audit.Change{change("agent", "agt_2", "Orders", nil, new("not published, locked, "+values+", labels a, b, revision 8"))},
		},
		"new agent, not read": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.UnreadAgent(false)}},
			want:  []audit.Change{change("agent", "agt_2", "Orders", nil, new("published unknown, archived unknown, locked unknown, URL https://a.example/orders"))},
		},
		"publication in the list": {
			audit: object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(false)}},
			want:  []audit.Change{otherChange("agent state", "published", "not published")},
		},
	}
	first := recordOf(t, nil)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := compare(t, test.audit, first)
			if diff := cmp.Diff(test.want, second.Changes); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			if again := compare(t, test.audit, second.Record); len(again.Changes) > 0 || again.Record != second.Record {
				t.Errorf("the same audit again has the changes %v and the record\n%s", again.Changes, again.Record)
			}
			if back := compare(t, nil, second.Record); len(back.Changes) != len(test.want) {
				t.Errorf("the way back has the changes %v", back.Changes)
			}
		})
	}
}

func otherAgent(id string, before, after *string) audit.Change {
	c := change("agent", id, "Orders", before, after)
	c.IsAccess = false
	return c
}

// Each of these alone makes a new agent a change of access.
func TestNewAgents(t *testing.T) {
	t.Parallel()
	first := recordOf(t, object{"agents": object{}})
	for name, test := range map[string]struct {
		value    any
		isAccess bool
	}{
		"name":               {"Orders", false},
		"is_published":       {nil, true},
		"is_shared":          {true, true},
		"share_rules_json":   {`{"maxUses":1}`, true},
		"collaborators_json": {`["ann@example.com"]`, true},
		"credentials_ref":    {"cred_1", true},
	} {
		closed := object{"is_published": false, "collaborators_json": nil, "credentials_ref": nil}
		closed[name] = test.value
		if changes := changesSince(t, first, withAgent(closed)); len(changes) != 1 || changes[0].IsAccess != test.isAccess {
			t.Errorf("%s: got %v", name, changes)
		}
	}
}

func TestInvalidTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"secret", audittest.JSON(t, object{"agents": "secret"}),
		audittest.JSON(t, object{"agents": object{"a": object{"stats": object{"last30Days": object{"total_starts": "secret"}}}}})} {
		if _, err := audit.Parse(text); !errors.Is(err, audit.ErrAudit) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
	first := recordOf(t, nil)
	invalid := []string{"secret", first[:len(first)/2]}
	for _, document := range []string{"secret", "{}", `{"version":7}`} {
		invalid = append(invalid, packed(document))
	}
	for _, earlier := range invalid {
		_, err := audit.AssessForRecord(parse(t, audittest.JSON(t, nil)), &audit.History{Record: &earlier})
		if !errors.Is(err, audit.ErrRecord) || strings.Contains(err.Error(), "secret") {
			t.Errorf("record %q: the error is %v", earlier, err)
		}
	}
}

func TestNeverSent(t *testing.T) {
	t.Parallel()
	unset := audittest.Agent(object{"domain": nil, "is_shared": nil, "security_json": nil, "labels": list{}, "external_hosts": list{}})
	with := func(changes object) object {
		agent := maps.Clone(unset)
		maps.Copy(agent, changes)
		return agent
	}
	for name, test := range map[string]struct {
		agents object
		want   []string
	}{
		"not read":        {object{"a": audittest.UnreadAgent(true)}, nil},
		"sent of one":     {object{"a": unset, "b": audittest.Agent(nil)}, nil},
		"sent of none":    {object{"a": unset, "b": unset, "c": audittest.UnreadAgent(true)}, []string{"domain", "is_shared", "security_json"}},
		"false and empty": {object{"a": with(object{"is_shared": false}), "b": with(object{"domain": ""})}, []string{"security_json"}},
	} {
		if got := parse(t, audittest.JSON(t, object{"agents": test.agents})).NeverSent(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// Texts of strangers are one line, and not long.
func TestTextsOfChanges(t *testing.T) {
	t.Parallel()
	record := recordOf(t, withAgent(nil))
	after := func(domain string) string {
		changes := changesSince(t, record, withAgent(object{"domain": domain, "name": "a\x1b\nb"}))
		if changes[0].Name != "a b" {
			t.Errorf("got the name %q", changes[0].Name)
		}
		return *changes[0].After
	}
	if got, want := after("a\x1b[31m\nb"), "domain a[31m b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := after(strings.Repeat("x", 3000)), "domain "+strings.Repeat("x", 1993)+"…"; got != want {
		t.Errorf("got %q", got)
	}
}
