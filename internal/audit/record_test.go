// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// From unknown to known, only what was read in both definitions is a change.
func TestKnownAgain(t *testing.T) {
	t.Parallel()
	unknown := object{"is_published": nil, "is_archived": nil, "is_locked": nil, "is_shared": nil, "security_json": nil}
	want := []audit.Change{
		accessChange("agent state", "published unknown, archived unknown, locked unknown", "published, not archived, locked; URL https://a.example/orders, domain ID dom_1, "+
			`public ID orders, collaborators {"userId":"u1"}, hosts api.example, credentials cred_1`),
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
		"hosts api.example, credentials cred_1, labels a, b, revision 8"
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
	want := `{"version":5,"recorded_at":"2026-02-01T10:00:00.5Z","workspace_id":"ws_1","slug":"bicycles","plan":"PRO",` +
		`"members":[{"name":"Desk","roles":["GUEST"]},{"email":"ann@example.com","name":"Ann","roles":["ADMIN"]},` +
		`{"email":"bob@example.com","name":"Bob","roles":["GUEST"]}],` +
		`"agents":{"agt_1":{"collaborators_json":"[{\"userId\":\"u1\"}]","credentials_ref":"cred_1","definition_hash":"h1:` + strings.Repeat("0", 64) + `",` +
		`"definition_parts":"{\"parts\":{\"links\":\"a\",\"nodes\":\"b\"},\"nodes\":{\"n1\":{\"title\":\"Greeting\",\"hash\":\"c\"}}}","domain_id":"dom_1","external_hosts":"[\"api.example\"]","is_archived":"false","is_locked":"true",` +
		`"is_published":"true","is_shared":"false","labels":"[\"a\",\"b\"]","name":"Orders","public_id":"orders","published_at":"2026-01-01","revision":"8",` +
		`"security_json":"{\"origins\":[\"a.example\"]}","url":"https://a.example/orders"}}}`
	if diff := cmp.Diff(want, unpacked(t, first.Record)); diff != "" {
		t.Errorf("unexpected record (-want +got):\n%s", diff)
	}
}

// A record of another version of the provider is confirmed like a first one.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	other := edited(t, recordOf(t, nil), func(record object) {
		record["version"] = 4
		record["agents"] = list{"in another structure"}
	})
	result := assess(t, nil, planned(t, nil, &audit.Recorded{Record: other}))
	if len(result.Findings) != 1 || result.Findings[0].Rule != "first_record" || !strings.HasSuffix(result.Findings[0].Message, "another version of the provider wrote it.") {
		t.Errorf("unexpected findings %v", result.Findings)
	}
	if len(result.Changes) != 1 || result.Changes[0].Before == nil {
		t.Errorf("unexpected changes %v", result.Changes)
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

// An agent that comes back is a new one.
func TestGoneAndBack(t *testing.T) {
	t.Parallel()
	gone := compare(t, audittest.JSON(t, object{"agents": object{}}), recordOf(t, nil)).Record
	changes := changesSince(t, gone, nil)
	if len(changes) != 1 || changes[0].What != "agent" || changes[0].Before != nil || !changes[0].IsAccess {
		t.Errorf("unexpected changes %v", changes)
	}
}

// If a service no longer returns states, they stay recorded, and this is one finding.
func TestStatesNotReturned(t *testing.T) {
	t.Parallel()
	agents := func(count int, changes object) object {
		all := object{}
		for i := range count {
			values := object{"name": "A", "is_published": i%2 == 0}
			maps.Copy(values, changes)
			all[fmt.Sprintf("agt_%02d", i)] = audittest.Agent(values)
		}
		return object{"agents": all}
	}
	d := begin(t, agents(23, nil))
	unknown := agents(23, object{"is_published": nil, "is_shared": nil})
	d.passes(unknown)
	want := []string{"error state_unknown"}
	result := assess(t, unknown, d.stored)
	if len(result.Findings) != 1 || !strings.HasPrefix(result.Findings[0].Message, "The state or sharing of 23 agents is unknown now, ") || result.Findings[0].IsOnce() {
		t.Fatalf("the findings are %v, want %v", result.Findings, want)
	}
	d.stored.Accepted[result.Findings[0].Key] = "Known."
	if again := assess(t, unknown, d.stored); again.IsRed() {
		t.Errorf("the findings are %v", again.Findings)
	}
	if more := assess(t, agents(23, object{"is_published": nil, "is_shared": nil, "is_locked": nil}), d.stored); !more.IsRed() {
		t.Error("the key accepts that another state is unknown")
	}
	d.passes(agents(23, nil)) // They are as they were.
	if len(d.stored.Changes) != 1 {
		t.Errorf("the changes are %v", d.stored.Changes)
	}
	if keys := d.audit(agents(23, object{"is_published": true})); len(keys) != 11 {
		t.Errorf("the keys are %v", keys)
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
