// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// days is a record over several days. Each key that was ever printed stays accepted.
type days struct {
	t      *testing.T
	day    int
	stored *audit.History
}

// audit audits a day, and returns the keys of the errors. It stores the record if nothing
// is refused.
func (d *days) audit(changes object) []string {
	d.t.Helper()
	d.day++
	audited := object{"read_at": fmt.Sprintf("2026-03-%02dT10:00:00Z", d.day)}
	maps.Copy(audited, changes)
	result := recorded(d.t, audited, d.stored)
	var keys []string
	for _, message := range result.Refused() {
		key, _, _ := strings.Cut(message, "\n")
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		d.stored = result.Next()
	}
	return keys
}

// accept audits a day, requires one key, and accepts it for ever.
func (d *days) accept(changes object) {
	d.t.Helper()
	keys := d.audit(changes)
	if len(keys) != 1 || d.stored.Accepted[keys[0]] != "" {
		d.t.Fatalf("day %d: the keys are %v", d.day, keys)
	}
	if again := d.audit(changes); len(again) != 1 || again[0] != keys[0] {
		d.t.Fatalf("day %d: the keys are %v, and on the day before they were %v", d.day, again, keys)
	}
	d.stored.Accepted[keys[0]] = "Approved."
	d.passes(changes)
	if last := d.stored.Changes[len(d.stored.Changes)-1]; last.Reason == nil || *last.Reason != "Approved." || *last.Key != keys[0] {
		d.t.Fatalf("day %d: the last change is %v", d.day, last)
	}
	record := *d.stored.Record
	d.passes(changes)
	if *d.stored.Record != record {
		d.t.Fatalf("day %d: the record changed without a change", d.day)
	}
}

func (d *days) passes(changes object) {
	d.t.Helper()
	if keys := d.audit(changes); len(keys) > 0 {
		d.t.Fatalf("day %d: the keys are %v", d.day, keys)
	}
}

func begin(t *testing.T, changes object) *days {
	t.Helper()
	d := &days{t: t, stored: &audit.History{Accepted: map[string]string{}}}
	d.accept(changes)
	return d
}

// A key is used once: the same change later has another key.
func TestKeysAreUsedOnce(t *testing.T) {
	t.Parallel()
	domain := func(name string) object { return withAgent(object{"domain": name}) }
	a, b := domain("a.example"), domain("b.example")
	d := begin(t, a)
	for range 2 {
		d.accept(b)
		d.accept(a)
	}

	state := func(isPublished bool, edit int) object {
		return withAgent(object{"is_published": isPublished, "definition_hash": audittest.Hash(edit)})
	}
	d = begin(t, state(false, 0))
	for edit := range 2 {
		d.accept(state(true, edit))
		d.passes(state(false, edit))
		d.passes(state(false, edit+1))
	}

	ann, eve := audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("ADMIN", "Eve", "eve@example.com")
	d = begin(t, object{"members": list{ann}})
	for range 2 {
		d.accept(object{"members": list{ann, eve}})
		d.accept(object{"members": list{ann}})
	}

	// An acceptance that waits for another change is used for neither of two repetitions.
	d = begin(t, a)
	both := object{"agents": b["agents"], "members": list{}}
	for _, key := range d.audit(both) {
		if strings.HasPrefix(key, "access_changed/agt_1/") {
			d.stored.Accepted[key] = "Approved."
		}
	}
	d.passes(withAgent(object{"domain": "a.example", "revision": "9"}))
	d.accept(b)
}

// What was accepted in a plan is not what an apply records if the agent has changed since.
func TestKeysCoverAllAccess(t *testing.T) {
	t.Parallel()
	second := func(changes object) object {
		return object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(changes)}}
	}
	for name, value := range map[string]any{
		"collaborators_json": `[{"userId":"u2"}]`, "security_json": `{}`, "share_rules_json": `{"a":1}`, "credentials_ref": "c", "external_hosts": list{}, "domain_id": "d",
		"is_shared": true, "is_locked": false, "is_archived": true, "url": "https://b.example", "public_id": "b",
	} {
		d := begin(t, nil)
		key := d.audit(second(nil))[0]
		d.stored.Accepted[key] = "Approved."
		if keys := d.audit(second(object{name: value})); len(keys) != 1 || keys[0] == key {
			t.Errorf("%s: the keys are %v", name, keys)
		}
		d.passes(second(object{"revision": "9", "name": "Other", "definition_hash": audittest.Hash(1)}))
	}
}

// An accepted incomplete list does not hide that most of what is recorded is not seen.
func TestNotSeenIsRemoved(t *testing.T) {
	t.Parallel()
	var members list
	for i := range 10 {
		members = append(members, audittest.Member("GUEST", "m", fmt.Sprintf("m%d@example.com", i)))
	}
	incomplete := func(count int) object {
		return object{"members": members[:count], "problems": list{object{"kind": "incomplete_list", "operation": "list members"}}}
	}
	d := begin(t, object{"members": members})
	d.stored.Accepted["incomplete_list/list_members"] = "The service has no pages."
	d.passes(incomplete(8))
	keys := d.audit(incomplete(2))
	if len(keys) != 1 || !strings.HasPrefix(keys[0], "removed/") {
		t.Fatalf("the keys are %v", keys)
	}
	d.stored.Accepted[keys[0]] = "Known."
	d.passes(incomplete(2))
	d.passes(object{"agents": object{"agt_1": audittest.Agent(object{"revision": "9"})}, "members": members[:2], "problems": incomplete(2)["problems"]})
	if keys := d.audit(incomplete(1)); len(keys) != 1 {
		t.Errorf("the keys are %v", keys)
	}
}

// The finding about what is gone has a key of each time that it is gone.
func TestRemovedAgain(t *testing.T) {
	t.Parallel()
	agents := func(count int) object {
		listed := object{"agt_0": audittest.Agent(nil)}
		for i := range count {
			listed[fmt.Sprintf("agt_%d", i+1)] = audittest.Agent(object{"is_published": false, "collaborators_json": nil, "credentials_ref": nil})
		}
		return object{"agents": listed}
	}
	for _, count := range []int{5, 150} { // Of many changes, only the newest stay in the state.
		d := begin(t, agents(count))
		for range 2 {
			d.acceptAll(agents(0), "removed/")
			d.acceptAll(agents(count), "")
		}
	}
}

// acceptAll audits a day, and accepts what must be, of which nothing was accepted before, and
// the last key has a prefix.
func (d *days) acceptAll(changes object, prefix string) {
	d.t.Helper()
	keys := d.audit(changes)
	if last := append([]string{""}, keys...)[len(keys)]; !strings.HasPrefix(last, prefix) {
		d.t.Fatalf("day %d: the keys are %v", d.day, keys)
	}
	for _, key := range keys {
		if d.stored.Accepted[key] != "" {
			d.t.Fatalf("day %d: %s was accepted before", d.day, key)
		}
		d.stored.Accepted[key] = "Approved."
	}
	d.passes(changes)
}

// A long change does not hide the others of an agent, or what is new in them.
func TestLongChanges(t *testing.T) {
	t.Parallel()
	long := func(name string) string { return `{"` + name + strings.Repeat("x", 2500) + `":1}` }
	changes := withAgent(object{"share_rules_json": long("rule"), "collaborators_json": "[" + long("editor") + "]",
		"security_json": long("setting"), "credentials_ref": "cred_evil", "external_hosts": list{"evil.example"}})
	changes["read_at"] = "2027-01-01T00:00:00Z"
	text := strings.Join(assess(t, changes, begin(t, withAgent(nil)).stored).Lines(audit.LevelError), "\n")
	for _, want := range []string{"rule", "editor", "setting", "cred_evil", "evil.example"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
