// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// From unknown to known, only what was read in both definitions is a change.
func TestKnownAgain(t *testing.T) {
	t.Parallel()
	unknown := object{"is_published": nil, "is_archived": nil, "is_locked": nil, "is_shared": nil, "security_json": nil}
	want := []audit.Change{
		accessChange("agent state", "published unknown, archived unknown, locked unknown", "published, not archived, locked; URL https://a.example/orders, domain ID dom_1, "+
			`public ID orders, collaborators {"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1, shared`),
		accessChange("agent sharing", "shared unknown", "shared"),
		accessChange("agent security settings", "", "+ origins: a.example"),
	}
	if diff := cmp.Diff(want, changesSince(t, recordOf(t, withAgent(unknown)), withAgent(object{"is_shared": true}))); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// What becomes known by the first read of a definition is one change of access of each
// agent.
func TestUnknownAtFirst(t *testing.T) {
	t.Parallel()
	const values = `URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators {"userId":"u1"}, security settings origins: a.example, ` +
		"hosts api.example, credentials cred_1, revision 8, labels a, b"
	first := recordOf(t, object{"agents": object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(nil)}})
	read := object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(object{"is_published": false})}}
	want := []audit.Change{
		change("agent read for the first time", "agt_1", "Orders", new("not read"), new("published, locked, "+values)),
		change("agent read for the first time", "agt_2", "Orders", new("not read"), new("not published, locked, "+values)),
	}
	if diff := cmp.Diff(want, changesSince(t, first, read)); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
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
	if diff := cmp.Diff([]audit.Change{accessChange("agent security settings", "− origins: a.example", "")}, got.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	if got.NotCompared != nil {
		t.Errorf("not compared are %v", got.NotCompared)
	}

	unreadAtFirst := recordOf(t, agents(audittest.UnreadAgent(nil)))
	notRequested := agents(audittest.UnreadAgent(nil))
	notRequested["definitions"] = false
	for name, c := range map[string]comparison{
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
		{"agent name", "agt_1", "Other", new("name Orders"), new("name Other"), false, readAt, nil, nil},
	}
	if diff := cmp.Diff(want, changesSince(t, recordOf(t, nil), object{"agents": object{"agt_1": agent}})); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

func TestFirstRecord(t *testing.T) {
	t.Parallel()
	first := compare(t, audittest.JSON(t, nil), "")
	begins := audit.Change{What: "record", ID: "ws_1", Name: "Bicycles", After: new("workspace ws_1 with 1 agents and 3 members"), IsAccess: true, At: readAt}
	if diff := cmp.Diff([]audit.Change{begins}, first.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	want := `{"version":4,"recorded_at":"2026-02-01T10:00:00.5Z","workspace_id":"ws_1","slug":"bicycles","plan":"PRO",` +
		`"members":[{"name":"Desk","roles":["GUEST"]},{"email":"ann@example.com","name":"Ann","roles":["ADMIN"]},` +
		`{"email":"bob@example.com","name":"Bob","roles":["GUEST"]}],` +
		`"agents":{"agt_1":{"name":"Orders","is_published":true,"is_archived":false,"is_locked":true,"published_at":"2026-01-01",` +
		`"url":"https://a.example/orders","domain_id":"dom_1","public_id":"orders","is_shared":false,` +
		`"collaborators_json":"[{\"userId\":\"u1\"}]","security_json":"{\"origins\":[\"a.example\"]}","credentials_ref":"cred_1","external_hosts":["api.example"],` +
		`"labels":["a","b"],"revision":"8","definition_hash":"h1:` + strings.Repeat("0", 64) + `","definition_parts":"links=a nodes=b @n1=c:Greeting"}}}`
	if diff := cmp.Diff(want, unpacked(t, first.Record)); diff != "" {
		t.Errorf("unexpected record (-want +got):\n%s", diff)
	}

	// Earlier versions of a record are upgraded without a change, and compared.
	for _, replaced := range []*strings.Replacer{
		strings.NewReplacer(`"version":4,"recorded_at":"2026-02-01T10:00:00.5Z"`, `"version":1`, `"slug":"bicycles",`, ``, "ann@", "Ann@"),
		strings.NewReplacer(`"version":4`, `"version":2`, "a.example", "A.example:443"),
		strings.NewReplacer(`"version":4`, `"version":3`),
	} {
		older := audittest.Record(replaced.Replace(want))
		audited := withAgent(object{"security_json": `{"origins":["a.example"]}`})
		if upgraded := compare(t, audittest.JSON(t, audited), older); len(upgraded.Changes) > 0 || strings.NewReplacer("02-02T", "02-01T").Replace(unpacked(t, upgraded.Record)) != want {
			t.Errorf("unexpected changes %v and record\n%s", upgraded.Changes, unpacked(t, upgraded.Record))
		}
		if changes := changesSince(t, older, withAgent(object{"domain": "evil.example"})); len(changes) != 1 {
			t.Errorf("unexpected changes %v", changes)
		}
	}
}

// Version 3 recorded hosts in Unicode. They are the same hosts in Punycode, also in an edited
// definition.
func TestUnicodeHostsInEarlierRecord(t *testing.T) {
	t.Parallel()
	older := edited(t, recordOf(t, nil), func(record object) {
		record["version"] = 3
		agent := record["agents"].(object)["agt_1"].(object)
		agent["url"], agent["external_hosts"] = "https://bücher.example/x", list{"api.example:443", "bücher.example", "bücher.example:8443"}
	})
	for url, hosts := range map[string]list{
		"https://bücher.example/x":        {"api.example:443", "xn--bcher-kva.example", "xn--bcher-kva.example:8443"},
		"https://XN--bcher-kva.example/x": {"api.example:443", "xn--bcher-kva.example:8443", "xn--bcher-kva.example"},
	} {
		now := withAgent(object{"url": url, "external_hosts": hosts, "definition_hash": audittest.Hash(1)})
		changes := changesSince(t, older, now)
		if len(changes) != 1 || changes[0].What != audit.ChangedDefinition {
			t.Errorf("unexpected changes %v", changes)
		}
	}
}

// An agent that an audit does not read, or no longer lists, is upgraded when it is read again.
func TestUpgradeOfUnreadAgent(t *testing.T) {
	t.Parallel()
	agents := func(changes object) object {
		return object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(changes)}}
	}
	unread := object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.UnreadAgent(true)}, "definitions": false}
	for version := 1; version < 4; version++ {
		older := edited(t, recordOf(t, agents(object{"definition_hash": audittest.Hash(version / 3)})), func(record object) { record["version"] = version })
		for name, first := range map[string]object{"not selected": {"agent_ids": list{"agt_1"}}, "gone": nil, "not read": unread} {
			upgraded := compare(t, audittest.JSON(t, first), older).Record
			hosts := list{"api.example", "new.example"}
			for number, want := range []bool{false, true} {
				var found []string
				for _, c := range changesSince(t, upgraded, agents(object{"external_hosts": hosts, "definition_hash": audittest.Hash(version/3 + number)})) {
					if c.What != "agent" {
						found = append(found, c.What)
					}
				}
				if slices.Contains(found, "agent external hosts") != want {
					t.Errorf("version %d, %s, edited %v: %v", version, name, want, found)
				}
			}
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

// An agent that was not listed for a time is compared with what was recorded of it.
func TestGoneAndBack(t *testing.T) {
	t.Parallel()
	const values = `URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators {"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1`
	first := recordOf(t, nil)
	gone := compare(t, audittest.JSON(t, object{"agents": object{}}), first).Record
	gone = compare(t, audittest.JSON(t, object{"agents": object{"agt_2": audittest.Agent(object{"is_published": false})}}), gone).Record
	back := compare(t, audittest.JSON(t, object{"agents": object{
		"agt_1": audittest.Agent(object{"security_json": nil, "definition_hash": audittest.Hash(1), "definition_parts": "links=x"}),
		"agt_2": audittest.Agent(object{"is_published": false}),
	}}), gone)
	want := []audit.Change{
		change("agent", "agt_1", "Orders", nil, new("published, locked, "+strings.Replace(values, "security settings origins: a.example, ", "", 1)+", revision 8, labels a, b")),
		accessChange("agent security settings", "− origins: a.example", ""),
		otherChange("agent definition", "", "changed"),
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
		change("agent", "agt_1", "Orders", nil, new("published, locked, "+values+", revision 8, labels a, b")),
		otherAgent("agt_2", new("not published, locked, "+values+", revision 8, labels a, b"), nil),
	}
	if diff := cmp.Diff(want, unread.Changes); diff != "" || !slices.Equal(unread.NotCompared, []string{"agt_1"}) {
		t.Errorf("unexpected changes (-want +got):\n%s\nnot compared are %v", diff, unread.NotCompared)
	}
	if changes := changesSince(t, unread.Record, withAgent(object{"security_json": nil})); len(changes) != 1 || changes[0].What != "agent security settings" {
		t.Errorf("unexpected changes %v", changes)
	}
}

// Another workspace is one change, and the record begins anew.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	other := object{"workspace": audittest.Workspace(object{"id": "ws_2", "name": "Cars"}), "members": list{}, "agents": object{"agt_2": audittest.Agent(nil)}}
	second := compare(t, audittest.JSON(t, other), recordOf(t, nil))
	want := []audit.Change{change("recorded workspace", "ws_2", "Cars",
		new("workspace ws_1 with 1 agents and 3 members"), new("workspace ws_2 with 1 agents and 0 members"))}
	if diff := cmp.Diff(want, second.Changes); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
	withoutTime := func(record string) string {
		return regexp.MustCompile(`"recorded_at":"[^"]*"`).ReplaceAllString(unpacked(t, record), "")
	}
	if diff := cmp.Diff(withoutTime(recordOf(t, other)), withoutTime(second.Record)); diff != "" {
		t.Errorf("unexpected record (-want +got):\n%s", diff)
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

// A role is compared without the white space around it, and a list of roles counts as each
// of them, in any order.
func TestRoles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ADMIN": {"ADMIN"}, " ADMIN\n": {"ADMIN"}, `["ADMIN","OWNER "]`: {"ADMIN", "OWNER"}, "[]": {"[]"}, "": {""}, `[1]`: {"[1]"}, "E\u0301": {"\u00c9"},
	} {
		if got := (audit.Member{Role: &text}).Roles(); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	with := func(role string) object {
		return object{"members": list{audittest.Member(role, "Ann", "ann@x.example")}}
	}
	if changes := changesSince(t, recordOf(t, with(`["ADMIN","EDITOR"]`)), with(`["EDITOR", "ADMIN"]`)); len(changes) > 0 {
		t.Errorf("unexpected changes %v", changes)
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
