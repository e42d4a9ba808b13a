// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/unicode/norm"

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

func compare(t testing.TB, text, earlier string) *audit.Comparison {
	t.Helper()
	c, err := audit.Compare(parse(t, text), earlier)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recordOf returns the record that begins with an audit.
func recordOf(t testing.TB, changes object) string {
	t.Helper()
	return compare(t, audittest.JSON(t, changes), "").Record
}

// changesSince returns the changes of an audit since a record.
func changesSince(t testing.TB, record string, changes object) []audit.Change {
	t.Helper()
	return compare(t, audittest.JSON(t, changes), record).Changes
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
	const summary = "published, locked, https://a.example/orders, hosts api.example, revision 8, labels a, b"
	ann, desk, bob := audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("GUEST", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")
	tests := map[string]struct {
		audit object
		want  []audit.Change
		back  int // how many more changes the way back has
	}{
		"nothing":               {audit: object{}},
		"counters":              {audit: withAgent(object{"stats": object{}})},
		"order of labels":       {audit: withAgent(object{"labels": list{"a", "b"}})},
		"time of an update":     {audit: withAgent(object{"updated_at": "2026-02-02"})},
		"null instead of empty": {audit: withAgent(object{"domain": nil, "share_rules_json": "null"})},
		"mode of another user": {
			audit: withAgent(object{"current_user_mode": "guest"}),
			want: []audit.Change{{What: "access mode of the token", ID: "ws_1", Name: "Bicycles", Before: new("write"),
				After: new("guest, for 1 of 1 agents"), At: readAt}},
		},
		"name of a member":    {audit: object{"members": list{audittest.Member("ADMIN", "Anna", "ann@example.com"), desk, bob}}},
		"order of members":    {audit: object{"members": list{bob, ann, desk}}},
		"space around a role": {audit: object{"members": list{audittest.Member(" ADMIN\n", "Ann", "ann@example.com"), desk, bob}}},
		"unknown plan":        {audit: object{"workspace": audittest.Workspace(object{"plan": nil})}},
		"incomplete members":  {audit: object{"members": list{ann}, "problems": list{object{"kind": "incomplete_list", "operation": "list members"}}}},
		"incomplete agents":   {audit: object{"agents": object{}, "problems": list{object{"kind": "incomplete_list", "operation": "list agents"}}}},
		"element without ID":  {audit: object{"agents": object{}, "problems": list{object{"kind": "not_read", "operation": "list agents"}}}},
		"agents not audited":  {audit: object{"agents": object{}, "agent_ids": list{}}},
		"definition not read": {audit: object{"agents": object{"agt_1": audittest.UnreadAgent(true)}}},
		"list differs":        {audit: object{"agents": object{"agt_1": audittest.UnreadAgent(false)}}},
		"definitions not read on request": {
			audit: object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(true)}},
		},
		"name is missing": {audit: withAgent(object{"name": nil})},

		"plan": {
			audit: object{"workspace": audittest.Workspace(object{"plan": "FREE"})},
			want:  []audit.Change{{"workspace plan", "ws_1", "Bicycles", new("PRO"), new("FREE"), false, readAt}},
		},
		"unknown role": {
			audit: object{"members": list{audittest.Member(nil, "Ann", "ann@example.com"), desk, bob}},
			want:  []audit.Change{change("member", "ann@example.com", "Ann", new("ADMIN"), new("unknown"))},
		},
		"incomplete members with another role": {
			audit: object{"members": list{audittest.Member("GUEST", "Ann", "ann@example.com")}, "problems": list{object{"kind": "incomplete_list", "operation": "list members"}}},
			want:  []audit.Change{change("member", "ann@example.com", "Ann", new("ADMIN"), new("GUEST"))},
		},
		"incomplete agents do not hide members": {
			audit: object{"members": list{ann, bob}, "problems": list{object{"kind": "incomplete_list", "operation": "list agents"}, object{"kind": "contradiction", "operation": "list members"}}},
			want:  []audit.Change{change("member", "", "Desk", new("GUEST"), nil)},
		},
		"roles": {
			audit: object{"members": list{audittest.Member("GUEST", "Ann", "ann@example.com"), ann, audittest.Member("ADMIN", "Desk", nil), audittest.Member("MEMBER", "Bob", "bob@example.com")}},
			want: []audit.Change{
				change("member", "", "Desk", new("GUEST"), new("ADMIN")),
				change("member", "ann@example.com", "Ann", new("ADMIN"), new("ADMIN, GUEST")),
				change("member", "bob@example.com", "Bob", new("GUEST"), new("MEMBER")),
			},
		},
		"new and gone members, and another address": {
			audit: object{"members": list{audittest.Member("ADMIN", "Ann", "ann@new.example"), audittest.Member("GUEST", "Lane", nil), audittest.Member(nil, "Eve", "eve@example.com"), bob}},
			want: []audit.Change{
				change("member", "", "Desk", new("GUEST"), nil),
				change("member", "", "Lane", nil, new("GUEST")),
				change("member", "ann@example.com", "Ann", new("ADMIN"), nil),
				change("member", "ann@new.example", "Ann", nil, new("ADMIN")),
				change("member", "eve@example.com", "Eve", nil, new("unknown")),
			},
		},
		"members with the same name": {
			audit: object{"members": list{ann, desk, desk, bob}},
			want:  []audit.Change{change("member", "", "Desk", new("GUEST"), new("GUEST, GUEST"))},
		},

		"custom domain": {
			audit: withAgent(object{"domain": "orders.example", "url": "https://orders.example/"}),
			want: []audit.Change{accessChange("agent address", "URL https://a.example/orders, no domain",
				"URL https://orders.example/, domain orders.example")},
		},
		"public ID": {audit: withAgent(object{"public_id": "o2"}), want: []audit.Change{accessChange("agent address", "public ID orders", "public ID o2")}},
		"no URL":    {audit: withAgent(object{"url": nil}), want: []audit.Change{accessChange("agent address", "URL https://a.example/orders", "no URL")}},
		"link sharing": {
			audit: withAgent(object{"is_shared": true, "share_rules_json": `{"a":1}`}),
			want:  []audit.Change{accessChange("agent sharing", "not shared, no rules", `shared, rules {"a":1}`)},
		},
		"unknown sharing": {audit: withAgent(object{"is_shared": nil}), want: []audit.Change{accessChange("agent sharing", "not shared", "unknown")}},
		"security settings": {
			audit: withAgent(object{"security_json": `{"origins":["a.example","b.example"]}`}),
			want:  []audit.Change{accessChange("agent security settings", `{"origins":["a.example"]}`, `{"origins":["a.example","b.example"]}`)},
		},
		"removed security settings": {
			audit: withAgent(object{"security_json": nil}),
			want:  []audit.Change{accessChange("agent security settings", `{"origins":["a.example"]}`, "none")},
		},
		"collaborators": {
			audit: withAgent(object{"collaborators_json": `[{"userId":"u2"},{"userId":"u1"}]`}),
			want:  []audit.Change{accessChange("agent collaborators", `[{"userId":"u1"}]`, `[{"userId":"u1"},{"userId":"u2"}]`)},
		},
		"hosts": {
			audit: withAgent(object{"external_hosts": list{"api.example", "evil.example"}}),
			want:  []audit.Change{accessChange("agent external hosts", "api.example", "api.example, evil.example")},
		},
		"no hosts":    {audit: withAgent(object{"external_hosts": list{}}), want: []audit.Change{accessChange("agent external hosts", "api.example", "none")}},
		"credentials": {audit: withAgent(object{"credentials_ref": "cred_2"}), want: []audit.Change{accessChange("agent credentials", "cred_1", "cred_2")}},
		"published again": {
			audit: withAgent(object{"published_at": "2026-02-02", "revision": "9"}),
			want:  []audit.Change{otherChange("agent publication", "2026-01-01", "2026-02-02")},
		},
		"unpublished": {
			audit: withAgent(object{"is_published": false, "published_at": nil, "public_id": nil}),
			want:  []audit.Change{otherChange("agent state", "published, public ID orders", "not published, no public ID")},
		},
		"unpublished, with another domain": {
			audit: withAgent(object{"is_published": false, "published_at": nil, "domain": "evil.example"}),
			want:  []audit.Change{accessChange("agent state", "published, no domain", "not published, domain evil.example")},
		},
		"archived":               {audit: withAgent(object{"is_archived": true}), want: []audit.Change{otherChange("agent state", "not archived", "archived")}},
		"possibly archived":      {audit: withAgent(object{"is_archived": nil}), want: []audit.Change{otherChange("agent state", "not archived", "archived unknown")}},
		"unlocked":               {audit: withAgent(object{"is_locked": false}), want: []audit.Change{accessChange("agent state", "locked", "not locked")}},
		"possibly unlocked":      {audit: withAgent(object{"is_locked": nil}), want: []audit.Change{accessChange("agent state", "locked", "locked unknown")}},
		"publication is unknown": {audit: withAgent(object{"is_published": nil}), want: []audit.Change{otherChange("agent state", "published", "published unknown")}},
		"unlocked, unpublished": {
			audit: withAgent(object{"is_locked": false, "is_published": false}),
			want:  []audit.Change{accessChange("agent state", "published, locked", "not published, not locked")},
		},
		"no exposure": {
			audit: withAgent(object{
				"is_published": false, "is_archived": nil, "is_locked": nil, "is_shared": nil, "url": nil, "public_id": nil, "published_at": nil,
			}),
			want: []audit.Change{
				accessChange("agent state", "published, not archived, locked, URL https://a.example/orders, public ID orders",
					"not published, archived unknown, locked unknown, no URL, no public ID"),
				accessChange("agent sharing", "not shared", "unknown"),
			},
		},
		"edit": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "definition_parts": "links=x nodes=y @n1=z:Greeting", "revision": "9", "labels": list{"a, b"}}),
			want: []audit.Change{otherChange("agent definition", "labels a, b, revision 8, hash 000000000000…",
				`labels "a, b", revision 9, hash 000000010000…; changed: links, node Greeting (n1)`)},
		},
		"edit of the name": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "name": "Other"}),
			want: []audit.Change{{
				"agent definition", "agt_1", "Other", new("name Orders, hash 000000000000…"), new("name Other, hash 000000010000…"), false, readAt,
			}},
		},
		"moved node": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "definition_parts": "layout=x links=a nodes=b @n1=c:Greeting"}),
			want:  []audit.Change{otherChange("agent layout", "hash 000000000000…", "hash 000000010000…; changed: layout")},
		},
		"moved and edited": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "definition_parts": "layout=x links=b nodes=b @n1=c:Greeting"}),
			want:  []audit.Change{otherChange("agent definition", "hash 000000000000…", "hash 000000010000…; changed: layout, links")},
		},
		"revision": {audit: withAgent(object{"revision": "9"}), want: []audit.Change{otherChange("agent revision", "revision 8", "revision 9")}},
		"space": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "labels": list{"a", " b"}}),
			want:  []audit.Change{otherChange("agent definition", "labels a, b, hash 000000000000…", `labels " b", a, hash 000000010000…`)},
		},
		"no labels": {
			audit: withAgent(object{"definition_hash": audittest.Hash(1), "labels": list{}}),
			want:  []audit.Change{otherChange("agent definition", "labels a, b, hash 000000000000…", "no labels, hash 000000010000…")},
		},
		"name": {
			audit: withAgent(object{"name": "Other"}),
			want:  []audit.Change{{"agent name", "agt_1", "Other", new("name Orders"), new("name Other"), false, readAt}},
		},
		"hash of another method": {
			audit: withAgent(object{"definition_hash": "h2:" + audittest.Hash(1), "definition_parts": "links=x"}),
			want: []audit.Change{{
				"recorded definitions", "ws_1", "Bicycles", new("those of 1 agents are of another version of the provider"),
				new("recorded again, without a comparison"), false, readAt,
			}},
		},
		"name, with a hash of another method": {
			audit: withAgent(object{"definition_hash": "h2:" + audittest.Hash(1), "name": "Other"}),
			want: []audit.Change{
				{"agent name", "agt_1", "Other", new("name Orders"), new("name Other"), false, readAt},
				{
					"recorded definitions", "ws_1", "Bicycles", new("those of 1 agents are of another version of the provider"),
					new("recorded again, without a comparison"), false, readAt,
				},
			},
		},

		"other agent": {
			audit: object{"agents": object{"agt_2": audittest.Agent(object{"is_published": nil, "name": "New", "is_shared": true, "domain": "d.example"})}},
			want: []audit.Change{
				otherAgent("agt_1", new(summary), nil),
				change("agent", "agt_2", "New", nil, new("locked, otherwise unknown, https://a.example/orders, d.example, shared, hosts api.example, revision 8, labels a, b")),
			},
		},
		"new agent, closed": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false})}},
			want:  []audit.Change{otherAgent("agt_2", nil, new("locked, https://a.example/orders, hosts api.example, revision 8, labels a, b"))},
		},
		"new agent, published": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}},
			want:  []audit.Change{change("agent", "agt_2", "Orders", nil, new(summary))},
		},
		"new agent, shared": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false, "is_shared": true})}},
			want:  []audit.Change{change("agent", "agt_2", "Orders", nil, new("locked, https://a.example/orders, shared, hosts api.example, revision 8, labels a, b"))},
		},
		"new agent, not read": {
			audit: object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.UnreadAgent(nil), "agt_3": audittest.UnreadAgent(true), "agt_4": audittest.UnreadAgent(false)}},
			want: []audit.Change{
				change("agent", "agt_2", "Orders", nil, new("unknown, https://a.example/orders")),
				change("agent", "agt_3", "Orders", nil, new("published, otherwise unknown, https://a.example/orders")),
				change("agent", "agt_4", "Orders", nil, new("not published, otherwise unknown, https://a.example/orders")),
			},
		},
		"no agents": {audit: object{"agents": object{}}, want: []audit.Change{otherAgent("agt_1", new(summary), nil)}},
		"audited agent": {
			audit: object{"agents": object{"agt_1": audittest.Agent(object{"revision": "9"})}, "agent_ids": list{"agt_1"}},
			want:  []audit.Change{otherChange("agent revision", "revision 8", "revision 9")},
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
			second := compare(t, audittest.JSON(t, test.audit), first)
			if diff := cmp.Diff(test.want, second.Changes); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			if again := compare(t, audittest.JSON(t, test.audit), second.Record); len(again.Changes) > 0 || again.Record != second.Record {
				t.Errorf("the same audit again has the changes %v and the record\n%s", again.Changes, again.Record)
			}
			if back := compare(t, audittest.JSON(t, nil), second.Record); len(back.Changes) != len(test.want) {
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

// From unknown to known, only what was read in both definitions is a change.
func TestKnownAgain(t *testing.T) {
	t.Parallel()
	unknown := object{"is_published": nil, "is_archived": nil, "is_locked": nil, "is_shared": nil, "security_json": nil}
	want := []audit.Change{
		accessChange("agent state", "published unknown, archived unknown, locked unknown", "published, not archived, locked"),
		accessChange("agent sharing", "unknown", "shared"),
		accessChange("agent security settings", "none", `{"origins":["a.example"]}`),
	}
	if diff := cmp.Diff(want, changesSince(t, recordOf(t, withAgent(unknown)), withAgent(object{"is_shared": true}))); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// What becomes known by the first read of a definition has not changed.
func TestUnknownAtFirst(t *testing.T) {
	t.Parallel()
	first := recordOf(t, object{"agents": object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(nil)}})
	read := object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false})}}
	if changes := changesSince(t, first, read); len(changes) > 0 {
		t.Errorf("unexpected changes %v", changes)
	}
}

// What a failed read hides remains recorded, also over several audits.
func TestNotCompared(t *testing.T) {
	t.Parallel()
	agents := func(read any) object {
		return object{"agents": object{"agt_1": read, "agt_2": audittest.Agent(nil)}}
	}
	first := recordOf(t, agents(audittest.Agent(nil)))
	record := first
	for range 2 {
		unread := compare(t, audittest.JSON(t, agents(audittest.UnreadAgent(nil))), record)
		if len(unread.Changes) > 0 || unread.Record != first || !slices.Equal(unread.NotCompared, []string{"agt_1"}) {
			t.Errorf("the changes are %v, not compared are %v, and the record is\n%s", unread.Changes, unread.NotCompared, unread.Record)
		}
		record = unread.Record
	}
	got := compare(t, audittest.JSON(t, agents(audittest.Agent(object{"security_json": nil}))), record)
	if diff := cmp.Diff([]audit.Change{accessChange("agent security settings", `{"origins":["a.example"]}`, "none")}, got.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	if got.NotCompared != nil {
		t.Errorf("not compared are %v", got.NotCompared)
	}

	unreadAtFirst := recordOf(t, agents(audittest.UnreadAgent(nil)))
	notRequested := agents(audittest.UnreadAgent(nil))
	notRequested["definitions"] = false
	for name, c := range map[string]*audit.Comparison{
		"never read":    compare(t, audittest.JSON(t, agents(audittest.UnreadAgent(nil))), unreadAtFirst),
		"not requested": compare(t, audittest.JSON(t, notRequested), first),
		"not audited":   compare(t, audittest.JSON(t, object{"agent_ids": list{"agt_2"}, "agents": object{"agt_2": audittest.Agent(nil)}}), first),
	} {
		if c.NotCompared != nil {
			t.Errorf("%s: not compared are %v", name, c.NotCompared)
		}
	}
}

// What the list of agents says is compared, even if the definition was not read.
func TestListOfUnreadAgent(t *testing.T) {
	t.Parallel()
	agent := audittest.UnreadAgent(true)
	agent["url"], agent["name"] = "https://evil.example/", "Other"
	want := []audit.Change{
		change("agent address", "agt_1", "Other", new("URL https://a.example/orders"), new("URL https://evil.example/")),
		{"agent name", "agt_1", "Other", new("name Orders"), new("name Other"), false, readAt},
	}
	if diff := cmp.Diff(want, changesSince(t, recordOf(t, nil), object{"agents": object{"agt_1": agent}})); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

func TestFirstRecord(t *testing.T) {
	t.Parallel()
	first := compare(t, audittest.JSON(t, nil), "")
	begins := audit.Change{What: "record", ID: "ws_1", Name: "Bicycles", After: new("workspace ws_1 with 1 agents and 3 members"), At: readAt}
	if diff := cmp.Diff([]audit.Change{begins}, first.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	want := `{"version":1,"workspace_id":"ws_1","plan":"PRO",` +
		`"members":[{"name":"Desk","roles":["GUEST"]},{"email":"ann@example.com","name":"Ann","roles":["ADMIN"]},` +
		`{"email":"bob@example.com","name":"Bob","roles":["GUEST"]}],` +
		`"values":["name","is_published","is_archived","is_locked","published_at","url","domain","domain_id","public_id","is_shared","share_rules_json",` +
		`"collaborators_json","security_json","credentials_ref","external_hosts","current_user_mode","labels","revision","definition_hash","definition_parts"],` +
		`"agents":{"agt_1":{"name":"Orders","is_published":true,"is_archived":false,"is_locked":true,"published_at":"2026-01-01",` +
		`"url":"https://a.example/orders","domain_id":"dom_1","public_id":"orders","is_shared":false,` +
		`"collaborators_json":"[{\"userId\":\"u1\"}]","security_json":"{\"origins\":[\"a.example\"]}","credentials_ref":"cred_1","external_hosts":["api.example"],` +
		`"current_user_mode":"write","labels":["a","b"],"revision":"8","definition_hash":"h1:` + strings.Repeat("0", 64) + `","definition_parts":"links=a nodes=b @n1=c:Greeting"}}}`
	if diff := cmp.Diff(want, unpacked(t, first.Record)); diff != "" {
		t.Errorf("unexpected record (-want +got):\n%s", diff)
	}

	// A record of another version, of which nothing else needs to be understood, begins anew.
	begins.Before = new("a record of another version of the provider, which cannot be compared")
	for _, other := range []string{`{"version":2}`, `{"version":2,"agents":["a"],"members":"b","values":{}}`} {
		got := compare(t, audittest.JSON(t, nil), audittest.Record(other))
		if diff := cmp.Diff([]audit.Change{begins}, got.Changes); diff != "" || got.Record != first.Record {
			t.Errorf("%s: unexpected changes (-want +got):\n%s\nand record\n%s", other, diff, unpacked(t, got.Record))
		}
	}
}

// A record of a provider that compresses otherwise stays as it is if nothing has changed.
func TestOtherCompression(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	uncompressed, err := gzip.NewWriterLevel(&text, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(uncompressed, unpacked(t, recordOf(t, nil))); err != nil {
		t.Fatal(err)
	}
	if err := uncompressed.Close(); err != nil {
		t.Fatal(err)
	}
	record := base64.StdEncoding.EncodeToString(text.Bytes())
	if again := compare(t, audittest.JSON(t, nil), record); again.Record != record || len(again.Changes) > 0 {
		t.Errorf("unexpected record %q and changes %v", again.Record, again.Changes)
	}
}

// edited returns a record with changes to its JSON.
func edited(t testing.TB, record string, edit func(object)) string {
	t.Helper()
	var decoded object
	if err := json.Unmarshal([]byte(unpacked(t, record)), &decoded); err != nil {
		t.Fatal(err)
	}
	edit(decoded)
	text, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return audittest.Record(string(text))
}

// unpacked returns the JSON of a record.
func unpacked(t testing.TB, record string) string {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(record)
	if err != nil {
		t.Fatal(err)
	}
	decompressor, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	document, err := io.ReadAll(decompressor)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

// What a newer version of the provider records for the first time has not changed. Everything
// else is still compared.
func TestNewValues(t *testing.T) {
	t.Parallel()
	older := edited(t, recordOf(t, nil), func(record object) {
		agent := record["agents"].(object)["agt_1"].(object)
		for _, name := range []string{"credentials_ref", "external_hosts", "definition_parts"} {
			delete(agent, name)
		}
		record["values"] = slices.DeleteFunc(record["values"].(list), func(name any) bool {
			return slices.Contains([]any{"credentials_ref", "external_hosts", "definition_parts"}, name)
		})
	})
	if changes := changesSince(t, older, nil); len(changes) > 0 {
		t.Errorf("unexpected changes %v", changes)
	}
	want := []audit.Change{accessChange("agent address", "no domain", "domain d.example")}
	updated := compare(t, audittest.JSON(t, withAgent(object{"domain": "d.example", "credentials_ref": "cred_2"})), older)
	if diff := cmp.Diff(want, updated.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	want = []audit.Change{accessChange("agent credentials", "cred_2", "cred_3")}
	if diff := cmp.Diff(want, changesSince(t, updated.Record, withAgent(object{"domain": "d.example", "credentials_ref": "cred_3"}))); diff != "" {
		t.Errorf("unexpected changes of the new value (-want +got):\n%s", diff)
	}
}

// All hashes of another method are one change, and are compared from then on.
func TestOtherMethod(t *testing.T) {
	t.Parallel()
	agents := func(method string, hash int) object {
		agents := object{}
		for i := range 100 {
			agents[fmt.Sprint("agt_", i)] = audittest.Agent(object{"definition_hash": method + audittest.Hash(hash)})
		}
		agents["agt_0"] = audittest.Agent(nil)
		return object{"agents": agents}
	}
	second := compare(t, audittest.JSON(t, agents("h2:", 0)), recordOf(t, agents("", 0)))
	if len(second.Changes) != 1 || *second.Changes[0].Before != "those of 99 agents are of another version of the provider" {
		t.Errorf("unexpected changes %v", second.Changes)
	}
	third := changesSince(t, second.Record, agents("h2:", 1))
	if len(third) != 99 || slices.ContainsFunc(third, func(c audit.Change) bool { return c.What != "agent definition" }) {
		t.Errorf("there are %d changes, want 99 of definitions: %v", len(third), third)
	}
}

// An agent that was not listed for a time is compared with what was recorded of it.
func TestGoneAndBack(t *testing.T) {
	t.Parallel()
	first := recordOf(t, nil)
	gone := compare(t, audittest.JSON(t, object{"agents": object{}}), first).Record
	gone = compare(t, audittest.JSON(t, object{"agents": object{"agt_2": audittest.Agent(object{"is_published": false})}}), gone).Record
	back := compare(t, audittest.JSON(t, object{"agents": object{
		"agt_1": audittest.Agent(object{"security_json": nil, "definition_hash": audittest.Hash(1), "definition_parts": "links=x"}),
		"agt_2": audittest.Agent(object{"is_published": false}),
	}}), gone)
	want := []audit.Change{
		change("agent", "agt_1", "Orders", nil, new("published, locked, https://a.example/orders, hosts api.example, revision 8, labels a, b")),
		accessChange("agent security settings", `{"origins":["a.example"]}`, "none"),
		otherChange("agent definition", "hash 000000000000…", "hash 000000010000…"),
	}
	if diff := cmp.Diff(want, back.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	if record := unpacked(t, back.Record); strings.Contains(record, `"gone"`) {
		t.Errorf("the agent is still gone: %s", record)
	}

	// If it cannot be read when it comes back, it is compared later.
	unread := compare(t, audittest.JSON(t, object{"agents": object{"agt_1": audittest.UnreadAgent(true)}}), gone)
	want = []audit.Change{
		change("agent", "agt_1", "Orders", nil, new("published, locked, https://a.example/orders, hosts api.example, revision 8, labels a, b")),
		otherAgent("agt_2", new("locked, https://a.example/orders, hosts api.example, revision 8, labels a, b"), nil),
	}
	if diff := cmp.Diff(want, unread.Changes); diff != "" || !slices.Equal(unread.NotCompared, []string{"agt_1"}) {
		t.Errorf("unexpected changes (-want +got):\n%s\nnot compared are %v", diff, unread.NotCompared)
	}
	if changes := changesSince(t, unread.Record, withAgent(object{"security_json": nil})); len(changes) != 1 || changes[0].What != "agent security settings" {
		t.Errorf("unexpected changes %v", changes)
	}
}

// At most 1,000 agents that are gone remain recorded, always the same ones.
func TestManyGone(t *testing.T) {
	t.Parallel()
	agents := object{}
	for i := range 1100 {
		agents[fmt.Sprintf("agt_%04d", i)] = audittest.Agent(nil)
	}
	first := recordOf(t, object{"agents": agents})
	second := compare(t, audittest.JSON(t, object{"agents": object{}}), first)
	var record struct{ Agents, Gone object }
	if err := json.Unmarshal([]byte(unpacked(t, second.Record)), &record); err != nil {
		t.Fatal(err)
	}
	if len(second.Changes) != 1100 || len(record.Agents) != 0 || len(record.Gone) != 1000 || record.Gone["agt_0999"] == nil {
		t.Errorf("there are %d changes, %d agents, and %d gone", len(second.Changes), len(record.Agents), len(record.Gone))
	}
	if strings.Contains(unpacked(t, second.Record), "Greeting") {
		t.Error("the record has the parts of definitions of agents that are gone")
	}
	for range 3 {
		if again := compare(t, audittest.JSON(t, object{"agents": object{}}), first); again.Record != second.Record {
			t.Fatal("the record of the same audit differs")
		}
	}
}

// A role or a label can contain what separates two of them.
func TestSeparatorInNames(t *testing.T) {
	t.Parallel()
	ambiguous := []list{{"a", "b"}, {"a, b"}, {`"a", "b"`}, {`"a, b"`}, {`a", "b`}, {"a", "b", ""}, {"a, b", ""}, {"a,", "b"}, {"a", "b "}}
	for i, before := range ambiguous {
		for j, after := range ambiguous {
			labeled := func(texts list, hash int) object {
				return withAgent(object{"labels": texts, "external_hosts": texts, "definition_hash": audittest.Hash(hash)})
			}
			changes := changesSince(t, recordOf(t, labeled(before, i)), labeled(after, j))
			for _, what := range []string{"agent definition", "agent external hosts"} {
				got := slices.ContainsFunc(changes, func(c audit.Change) bool {
					return c.What == what && (strings.HasPrefix(*c.Before, "labels ") || what != "agent definition")
				})
				if want := i != j; got != want {
					t.Errorf("%q to %q: changes %v", before, after, changes)
				}
			}
		}
	}
}

// Another workspace is one change, and the record begins anew.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	other := object{"workspace": audittest.Workspace(object{"id": "ws_2", "name": "Cars"}), "members": list{}, "agents": object{"agt_2": audittest.Agent(nil)}}
	second := compare(t, audittest.JSON(t, other), recordOf(t, nil))
	want := []audit.Change{change("recorded workspace", "ws_2", "Cars",
		new("workspace ws_1 with 1 agents and 3 members"), new("workspace ws_2 with 1 agents and 0 members, with the hash 1070aaff26d8cdcf17248d040a8cdfc4"))}
	if diff := cmp.Diff(want, second.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	if second.Record != recordOf(t, other) {
		t.Errorf("unexpected record %s", second.Record)
	}
}

// If the service omits the workspace's ID once, no change is lost.
func TestUnknownWorkspace(t *testing.T) {
	t.Parallel()
	for _, id := range []any{nil, ""} {
		second := compare(t, audittest.JSON(t, object{"workspace": audittest.Workspace(object{"id": id}), "members": list{audittest.Member("ADMIN", "Eve", "eve@example.com")}}), recordOf(t, nil))
		if len(second.Changes) != 4 || !strings.Contains(unpacked(t, second.Record), `"workspace_id":"ws_1"`) {
			t.Errorf("unexpected changes %v, and record %s", second.Changes, unpacked(t, second.Record))
		}
	}
}

// A workspace's ID that becomes known is no other workspace.
func TestKnownWorkspace(t *testing.T) {
	t.Parallel()
	second := compare(t, audittest.JSON(t, nil), recordOf(t, object{"workspace": audittest.Workspace(object{"id": nil})}))
	if len(second.Changes) > 0 || !strings.Contains(unpacked(t, second.Record), `"workspace_id":"ws_1"`) {
		t.Errorf("unexpected changes %v, and record %s", second.Changes, unpacked(t, second.Record))
	}
}

// If many nodes change, the change names some of them.
func TestManyNodes(t *testing.T) {
	t.Parallel()
	parts := func(hash string) string {
		text := "nodes=" + hash
		for i := range 30 {
			text += fmt.Sprintf(" @n%02d=%s:", i, hash)
		}
		return text
	}
	first := recordOf(t, withAgent(object{"definition_parts": parts("a")}))
	changes := changesSince(t, first, withAgent(object{"definition_parts": parts("b"), "definition_hash": audittest.Hash(1)}))
	if len(changes) != 1 || !strings.HasSuffix(*changes[0].After, ", node n18, node n19, and 10 more") {
		t.Errorf("unexpected changes %v", changes)
	}
}

// Of 100 agents and 20 members, random ones are edited: each edit is one change,
// and nothing else is.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	type edit struct {
		what     string
		isAccess func(agent object) bool // of the agent before the edit
		apply    func(agent object, n int)
	}
	never, always := func(object) bool { return false }, func(object) bool { return true }
	has := func(name string, value bool) func(object) bool {
		return func(a object) bool { return a[name] == value }
	}
	hash := func(agent object, n int) { agent["definition_hash"] = audittest.Hash(n + 1) }
	toggle := func(name string) func(object, int) { return func(a object, _ int) { a[name] = !a[name].(bool) } }
	edits := []edit{
		{"agent definition", never, func(a object, n int) { hash(a, n); a["revision"] = fmt.Sprint("r", n) }},
		{"agent definition", never, func(a object, n int) { hash(a, n); a["labels"] = list{fmt.Sprint("l", n), "x, y"} }},
		{"agent definition", never, func(a object, n int) { hash(a, n); a["name"] = fmt.Sprint("name ", n) }},
		{"agent definition", never, func(a object, n int) {
			hash(a, n)
			a["definition_parts"] = fmt.Sprintf("links=a nodes=%d @n1=%d:Greeting", n, n)
		}},
		{"agent layout", never, func(a object, n int) {
			hash(a, n)
			a["definition_parts"] = fmt.Sprintf("layout=%d links=a nodes=b @n1=c:Greeting", n)
		}},
		{"agent state", has("is_locked", true), toggle("is_locked")},
		{"agent state", has("is_archived", true), toggle("is_archived")},
		{"agent state", has("is_published", false), func(a object, n int) {
			toggle("is_published")(a, n)
			a["published_at"], a["public_id"] = fmt.Sprint(n), nil
			if a["is_published"] == true {
				a["public_id"] = fmt.Sprint("p", n)
			}
		}},
		{"agent publication", never, func(a object, n int) { a["published_at"] = fmt.Sprint(n) }},
		{"agent address", always, func(a object, n int) {
			a["domain"], a["url"] = fmt.Sprint(n, ".example"), fmt.Sprint("https://", n)
		}},
		{"agent address", always, func(a object, n int) { a["public_id"] = fmt.Sprint("p", n) }},
		{"agent sharing", always, func(a object, n int) { a["is_shared"], a["share_rules_json"] = true, fmt.Sprintf(`{"n":%d}`, n) }},
		{"agent security settings", always, func(a object, n int) { a["security_json"] = fmt.Sprintf(`{"n":%d}`, n) }},
		{"agent collaborators", always, func(a object, n int) {
			a["collaborators_json"] = fmt.Sprintf(`[{"userId":"u1"},{"userId":"u%d"}]`, n)
		}},
		{"agent external hosts", always, func(a object, n int) { a["external_hosts"] = list{fmt.Sprintf("%d.example", n)} }},
		{"agent credentials", always, func(a object, n int) { a["credentials_ref"] = fmt.Sprint("c", n) }},
		{"agent revision", never, func(a object, n int) { a["revision"] = fmt.Sprint("r", n) }},
		{"agent", nil, nil}, // Another agent is in its place.
		{"member", nil, nil},
	}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // It selects test data.
		agents, members := object{}, list{}
		for i := range 100 {
			agents[fmt.Sprintf("agt_%d", i)] = audittest.Agent(object{
				"name": fmt.Sprintf("Agent | %d", i), "is_published": random.IntN(2) == 0, "is_archived": random.IntN(2) == 0, "is_locked": random.IntN(2) == 0,
			})
		}
		for i := range 20 {
			members = append(members, audittest.Member("GUEST", fmt.Sprint("m", i), fmt.Sprintf("m%d@example.com", i)))
		}
		before := audittest.JSON(t, object{"agents": agents, "members": members})
		first := compare(t, before, "")
		type edited struct {
			What, ID string
			IsAccess bool
		}
		var want []edited
		var unread []string
		agentIDs, memberIDs := random.Perm(100), random.Perm(20)
		for n := range 40 {
			e := edits[random.IntN(len(edits))]
			id := fmt.Sprintf("agt_%d", agentIDs[n])
			agent := agents[id].(object)
			switch {
			case e.what == "member" && len(memberIDs) == 0:
			case e.what == "member":
				i := memberIDs[0]
				memberIDs = memberIDs[1:]
				members[i].(object)["role"] = "ADMIN"
				want = append(want, edited{e.what, fmt.Sprintf("m%d@example.com", i), true})
			case e.what == "agent":
				delete(agents, id)
				agents["new_"+id] = audittest.Agent(object{"is_published": n%2 == 0})
				want = append(want, edited{e.what, id, false}, edited{e.what, "new_" + id, n%2 == 0})
			default:
				want = append(want, edited{e.what, id, e.isAccess(agent)})
				e.apply(agent, n)
			}
		}
		for _, i := range agentIDs[90:] { // What this run does not see has not changed.
			id := fmt.Sprintf("agt_%d", i)
			agent := agents[id].(object)
			agents[id] = audittest.UnreadAgent(list{nil, false, agent["is_published"]}[random.IntN(3)])
			agents[id].(object)["name"] = agent["name"]
			unread = append(unread, id)
		}
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		text := audittest.JSON(t, object{"agents": agents, "members": members})
		second := compare(t, text, first.Record)
		var got []edited
		for _, c := range second.Changes {
			got = append(got, edited{c.What, c.ID, c.IsAccess})
			if c.Name == "" || c.At != readAt {
				t.Errorf("seed %d: %v has no name, or not the time", seed, c)
			}
		}
		less := func(x, y edited) bool { return x.What+x.ID < y.What+y.ID }
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("seed %d: unexpected changes (-want +got):\n%s", seed, diff)
		}
		if slices.Sort(unread); !slices.Equal(second.NotCompared, unread) {
			t.Errorf("seed %d: not compared are %v, want %v", seed, second.NotCompared, unread)
		}
		if again := compare(t, text, second.Record); len(again.Changes) > 0 || again.Record != second.Record {
			t.Errorf("seed %d: the same audit has the changes %v", seed, again.Changes)
		}
		if back := compare(t, before, second.Record); len(back.Changes) != len(want) {
			t.Errorf("seed %d: the way back has %d changes, want %d: %v", seed, len(back.Changes), len(want), back.Changes)
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
	first := recordOf(t, nil)
	invalid := []string{"secret", first[:len(first)/2], first[:len(first)-1], audittest.Record(unpacked(t, first)[1:])}
	for _, document := range []string{"", "secret", "null", "[]", `""`, `{}`, `{"version":1}`} {
		invalid = append(invalid, audittest.Record(document))
	}
	for _, name := range []string{"version", "members", "values", "agents"} {
		invalid = append(invalid, edited(t, first, func(record object) { delete(record, name) }), edited(t, first, func(record object) { record[name] = "secret" }))
	}
	for _, earlier := range invalid {
		if _, err := audit.Compare(parse(t, audittest.JSON(t, nil)), earlier); !errors.Is(err, audit.ErrRecord) || strings.Contains(err.Error(), "secret") {
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
		"no agents":       {object{}, nil},
		"not read":        {object{"a": audittest.UnreadAgent(true)}, nil},
		"all sent":        {object{"a": audittest.Agent(nil)}, nil},
		"sent of one":     {object{"a": unset, "b": audittest.Agent(nil)}, nil},
		"sent of none":    {object{"a": unset, "b": unset, "c": audittest.UnreadAgent(true)}, []string{"domain", "is_shared", "security_json"}},
		"false and empty": {object{"a": with(object{"is_shared": false}), "b": with(object{"domain": ""})}, []string{"security_json"}},
	} {
		if got := parse(t, audittest.JSON(t, object{"agents": test.agents})).NeverSent(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// An agent that could not be read at first may be open. When it is read, what becomes
// known is compared with unknown.
func TestReadAfterAFailure(t *testing.T) {
	t.Parallel()
	record := recordOf(t, object{"agents": object{"agt_1": audittest.UnreadAgent(nil), "agt_2": audittest.Agent(nil)}})
	changes := changesSince(t, record, object{"agents": object{"agt_1": audittest.Agent(object{"is_shared": true}), "agt_2": audittest.Agent(nil)}})
	var got []string
	for _, c := range changes {
		if c.ID != "agt_1" && c.What != "access mode of the token" {
			t.Errorf("unexpected change %v", c)
		}
		if c.IsAccess {
			got = append(got, c.What+": "+*c.Before+" -> "+*c.After)
		}
	}
	for _, want := range []string{"agent state: published unknown", "agent sharing: unknown -> shared"} {
		if !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, want) }) {
			t.Errorf("%q is not a change of access in %q", want, got)
		}
	}
}

// Texts of strangers are one line, and long ones differ by their hash.
func TestTextsOfChanges(t *testing.T) {
	t.Parallel()
	record := recordOf(t, withAgent(nil))
	long := strings.Repeat("x", 2000)
	after := func(domain string) string {
		changes := changesSince(t, record, withAgent(object{"domain": domain, "name": "a\x1b\nb"}))
		if changes[0].Name != "a b" {
			t.Errorf("got the name %q", changes[0].Name)
		}
		return *changes[0].After
	}
	if got, want := after("a\x1b[31m\nb"), "domain a[31m b (SHA-256 e0b7e12704d9fbcdf86096d483aac288)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if a, b := after(long+"a"), after(long+"b"); a == b || len(a) > 1100 {
		t.Errorf("got %q and %q", a, b)
	}
}

// If the list says that an agent is published, the agent may be open, whatever the record
// says.
func TestPublishedButNotRead(t *testing.T) {
	t.Parallel()
	record := recordOf(t, withAgent(object{"is_published": false}))
	got := changesSince(t, record, object{"agents": object{"agt_1": audittest.UnreadAgent(true)}})
	if len(got) != 1 || got[0].What != "agent state" || !got[0].IsAccess {
		t.Errorf("unexpected changes %v", got)
	}
}

// Two hashes that begin alike are still different.
func TestHashesWithTheSameBeginning(t *testing.T) {
	t.Parallel()
	hash := func(last string) object {
		return withAgent(object{"definition_hash": "h1:" + strings.Repeat("a", 20) + last, "definition_parts": "nodes=" + last})
	}
	got := changesSince(t, recordOf(t, hash("b")), hash("c"))
	want := []audit.Change{change("agent definition", "agt_1", "Orders", new("hash aaaaaaaaaaaaaaaaaaaab"), new("hash aaaaaaaaaaaaaaaaaaaac; changed: nodes"))}
	for i := range want {
		want[i].IsAccess = false
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// An agent that comes back may be one that was no longer recorded.
func TestTooManyGoneAgents(t *testing.T) {
	t.Parallel()
	agents := object{}
	for i := range 1001 {
		agents[fmt.Sprint("a", i)] = audittest.Agent(object{"is_published": false})
	}
	gone := compare(t, audittest.JSON(t, object{"agents": object{}}), recordOf(t, object{"agents": agents})).Record
	got := changesSince(t, gone, withAgent(object{"is_published": false}))
	if len(got) != 1 || got[0].What != "agent" || !got[0].IsAccess {
		t.Errorf("unexpected changes %v", got)
	}
}

// Terraform normalizes texts to the Unicode form NFC, which can compose the last letter of an
// escape in JSON with the character after it.
func TestNormalizedText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{">\u0301 x", "a\n\u0303", "\x1b\u0307", "\t\u030c", `\ñ`, "\u00f1>\u0301\u0323"} {
		text := norm.NFC.String(audittest.JSON(t, withAgent(object{"name": name})))
		first := compare(t, text, "")
		second := compare(t, text, first.Record)
		if len(second.Changes) != 0 || second.Record != first.Record {
			t.Errorf("%q: unexpected changes %v", name, second.Changes)
		}
		renamed := changesSince(t, first.Record, withAgent(object{"name": "Other"}))
		if len(renamed) != 1 || renamed[0].What != "agent name" {
			t.Errorf("%q: unexpected changes %v", name, renamed)
		}
	}
}
