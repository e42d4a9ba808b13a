// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// The order of members is no change, also of one who is listed twice, with two roles and names.
func TestOrderOfMembers(t *testing.T) {
	t.Parallel()
	members := list{
		audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("GUEST", "Anne", "Ann@example.com"),
		audittest.Member("GUEST", "Desk", nil), audittest.Member("ADMIN", "Desk", nil),
	}
	first := recordOf(t, object{"members": members})
	for range members {
		members = append(members[1:], members[0])
		got := compare(t, object{"members": members}, first)
		if len(got.Changes) > 0 || got.Record != first {
			t.Errorf("another order has the changes %v", got.Changes)
		}
	}
}

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
	want = []audit.Change{otherChange("agent sharing", "shared unknown", "not shared")}
	if diff := cmp.Diff(want, changesSince(t, recordOf(t, withAgent(object{"is_shared": nil})), nil)); diff != "" {
		t.Errorf("unexpected changes to no (-want +got):\n%s", diff)
	}
}

// What becomes known by the first read of a definition is one change of access of each
// agent.
func TestUnknownAtFirst(t *testing.T) {
	t.Parallel()
	const values = `URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators {"userId":"u1"}, security settings origins: a.example, ` +
		"hosts api.example, credentials cred_1, labels a, b, revision 8"
	first := recordOf(t, object{"agents": object{"agt_1": audittest.UnreadAgent(nil)}})
	want := []audit.Change{change("agent read for the first time", "agt_1", "Orders", new("not read"), new("not published, locked, "+values))}
	if diff := cmp.Diff(want, changesSince(t, first, withAgent(object{"is_published": false}))); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// A record of another version of the provider is confirmed like a first one.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	other := packed(`{"version":4,"agents":["in another structure"]}`)
	result := assess(t, nil, planned(t, nil, &audit.History{Record: &other}))
	if len(result.Findings) != 1 || result.Findings[0].Rule != "first_record" || !strings.HasSuffix(result.Findings[0].Message, "another version of the provider wrote it.") {
		t.Errorf("unexpected findings %v", result.Findings)
	}
	if len(result.Changes) != 1 || result.Changes[0].Before == nil {
		t.Errorf("unexpected changes %v", result.Changes)
	}

	// The key is that of the first record, whose reason stays.
	key := *planned(t, nil, &audit.History{}).Changes[0].Key
	first := planned(t, nil, &audit.History{Accepted: map[string]string{key: "Compared."}})
	first.Record = &other
	first.Accepted[key] = "Compared again."
	changes := planned(t, object{"read_at": "2026-03-01T10:00:00Z"}, first).Changes
	if len(changes) != 2 || *changes[0].Reason != "Compared." || *changes[1].Reason != "Compared again." {
		t.Errorf("unexpected changes %v", changes)
	}
}

// packed returns the text of a record with this JSON.
func packed(document string) string {
	var text bytes.Buffer
	compressor := gzip.NewWriter(&text)
	_, _ = compressor.Write([]byte(document)) // A buffer returns no errors.
	_ = compressor.Close()
	return base64.StdEncoding.EncodeToString(text.Bytes())
}

// unpacked returns the JSON of a record.
func unpacked(t testing.TB, record string) string {
	t.Helper()
	decompressor, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(record)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := io.ReadAll(decompressor)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
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
	result := assess(t, unknown, d.stored)
	found := textsOf(result.Findings)
	if len(found) != 1 || !strings.HasPrefix(found[0], "error state_unknown/FP : The service no longer returns the state or sharing of 23 agents: A (agt_00), ") || result.Findings[0].IsOnce {
		t.Fatalf("the findings are %v", found)
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

// If the service omits the workspace's ID once, no change is lost.
func TestUnknownWorkspace(t *testing.T) {
	t.Parallel()
	second := compare(t, object{"workspace": audittest.Workspace(object{"id": nil}), "members": list{audittest.Member("ADMIN", "Eve", "eve@example.com")}}, recordOf(t, nil))
	if len(second.Changes) != 4 || !strings.Contains(unpacked(t, second.Record), `"workspace_id":"ws_1"`) {
		t.Errorf("unexpected changes %v, and record %s", second.Changes, unpacked(t, second.Record))
	}
}
