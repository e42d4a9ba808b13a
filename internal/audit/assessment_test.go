// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

func keysOf(findings []audit.Finding) []string {
	var keys []string
	for _, f := range findings {
		keys = append(keys, f.Level+" "+f.Key)
	}
	return keys
}

// Each value that differs gives another fingerprint. The expected ones in the tests of this
// package are the first 15 bytes of sha256sum, in base32, of JSON text such as
// ["agent address","agt_1","","no domain","domain evil.example"].
func TestFingerprints(t *testing.T) {
	t.Parallel()
	seen := map[string]audit.Change{}
	texts := []*string{nil, new(""), new("a"), new("b")}
	for _, what := range []string{"agent address", "agent sharing"} {
		for _, object := range [][2]string{{"agt_1", "Orders"}, {"agt_2", "Orders"}, {"", "Orders"}, {"", "agt_1"}, {"", ""}} {
			for _, before := range texts {
				for _, after := range texts {
					c := audit.Change{What: what, ID: object[0], Name: object[1], Before: before, After: after, IsAccess: true, At: readAt}
					key := audit.Unaccepted(parse(t, audittest.JSON(t, nil)), []audit.Change{c}, nil)[0].Key
					fingerprint := key[strings.LastIndex(key, "/")+1:]
					if other, found := seen[fingerprint]; found || len(fingerprint) != 24 {
						t.Errorf("%v and %v have the fingerprint %q", c, other, fingerprint)
					}
					seen[fingerprint] = c
				}
			}
		}
	}
	// The name of an agent and the time of the audit do not count.
	c := audit.Change{What: "agent address", ID: "agt_1", Name: "Other", Before: new("no domain"), After: new("domain evil.example"), IsAccess: true, At: "later"}
	got := audit.Unaccepted(parse(t, audittest.JSON(t, object{"read_at": "later"})), []audit.Change{c}, nil)
	if want := []string{"error access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em"}; !slices.Equal(keysOf(got), want) {
		t.Errorf("the keys are %v, want %v", keysOf(got), want)
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	earlier := stored(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}})
	red := object{
		"workspace": audittest.Workspace(object{"is_suspended": nil}),
		"agents":    object{"agt_1": audittest.Agent(object{"domain": "evil.example", "external_hosts": list{"evil.example"}}), "agt_2": audittest.UnreadAgent(true)},
		"problems": list{
			object{"kind": "read_failed", "agent_id": "agt_1", "operation": "read agent statistics (last30Days)", "status": 500},
			object{"kind": "read_failed", "agent_id": "agt_2", "operation": "read agent", "status": 404},
			object{"kind": "read_failed", "agent_id": nil, "operation": "list members", "status": 404},
		},
	}
	const (
		suspended = "workspace_suspended/unknown"
		domain    = "access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em"
		hosts     = "access_changed/agt_1/iwlbua3hv75kopz4kpraq52k"
		stats     = "read_failed/agt_1"
		definable = "read_failed/agt_2"
		members   = "read_failed/list members"
	)
	all := []string{suspended, stats, definable, members, domain, hosts}
	for name, test := range map[string]struct {
		keys     []string // in accepted
		accepted []string // keys of the findings
		unneeded []string
	}{
		"nothing":                    {},
		"key of a change":            {[]string{domain}, []string{domain}, nil},
		"rule":                       {[]string{"access_changed"}, []string{domain, hosts}, nil},
		"no change by rule and ID":   {[]string{"access_changed/agt_1"}, nil, []string{"access_changed/agt_1"}},
		"another fingerprint":        {[]string{"access_changed/agt_1/vdh6vzfk3wzw2jzix3nhn5em"}, nil, []string{"access_changed/agt_1/vdh6vzfk3wzw2jzix3nhn5em"}},
		"another agent":              {[]string{"access_changed/agt_2/vdh6vy5k3wzw2jzix3nhn5em"}, nil, []string{"access_changed/agt_2/vdh6vy5k3wzw2jzix3nhn5em"}},
		"failed read of one agent":   {[]string{"read_failed/agt_2"}, []string{definable}, nil},
		"failed read of the members": {[]string{members}, []string{members}, nil},
		"all failed reads":           {[]string{"read_failed"}, []string{stats, definable, members}, nil},
		"rule and key":               {[]string{"read_failed", stats}, []string{stats, definable, members}, nil},
		"unknown state":              {[]string{suspended}, []string{suspended}, nil},
		"copied from a report":       {[]string{"read_failed/\u200bagt_1 "}, []string{stats}, nil},
		"no longer needed":           {[]string{"z", "removed", domain, "", "read_failed/"}, []string{domain}, []string{"", "read_failed/", "removed", "z"}},
		"all":                        {all, all, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accepted := map[string]string{}
			for _, key := range test.keys {
				accepted[key] = "because of " + key
			}
			record := planned(t, red, &audit.Recorded{Record: earlier.Record, Changes: earlier.Changes, Accepted: accepted})
			got := assess(t, red, record)
			var want []string
			for _, key := range all {
				if !slices.Contains(test.accepted, key) {
					want = append(want, "error "+key)
				}
			}
			for _, key := range all {
				if slices.Contains(test.accepted, key) {
					want = append(want, "accepted "+key)
				}
			}
			if diff := cmp.Diff(want, keysOf(got.Findings)); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
			for _, f := range got.Findings {
				reason := ""
				switch {
				case f.Level != "accepted":
				case accepted[f.Key] != "":
					reason = accepted[f.Key]
				case accepted[f.Rule] != "":
					reason = accepted[f.Rule]
				default:
					reason = accepted[test.keys[0]]
				}
				if f.Reason != reason {
					t.Errorf("%s has the reason %q, want %q", f.Key, f.Reason, reason)
				}
			}
			if !slices.Equal(got.Unneeded, test.unneeded) {
				t.Errorf("not needed are %q, want %q", got.Unneeded, test.unneeded)
			}
			// Of these, only changes of access keep an audit from being recorded.
			var unaccepted []string
			for _, key := range []string{domain, hosts} {
				if !slices.Contains(test.accepted, key) {
					unaccepted = append(unaccepted, "error "+key)
				}
			}
			if got := keysOf(audit.Unaccepted(parse(t, audittest.JSON(t, red)), record.Changes, accepted)); !slices.Equal(got, unaccepted) {
				t.Errorf("not accepted are %v, want %v", got, unaccepted)
			}
		})
	}
}

// A key must be usable whatever the ID is: a report shows it on one line, and not all of it.
func TestKeysOfOddIDs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Front  Desk", " a\nb", "a/b", "\u202ea", strings.Repeat("long ", 100)} {
		members := object{"members": list{audittest.Member("ADMIN", name, nil)}}
		record := planned(t, members, stored(t, object{"members": list{}}))
		key := assess(t, members, record).Findings[0].Key
		if strings.ContainsAny(key, "\n\u202e") || strings.Contains(key, "  ") || len(key) > 300 {
			t.Errorf("%q: unexpected key %q", name, key)
		}
		record.Accepted = map[string]string{key: "Known."}
		if got := assess(t, members, record); got.Findings[0].Level != "accepted" || len(got.Unneeded) > 0 {
			t.Errorf("%q: the key %q does not accept the finding", name, key)
		}
	}
}

// Changes that an earlier audit found are no findings, but are listed, the newest first.
func TestEarlierChanges(t *testing.T) {
	t.Parallel()
	at := func(time, domain string) object {
		return object{"read_at": time, "agents": object{"agt_1": audittest.Agent(object{"domain": domain})}}
	}
	record := stored(t, nil)
	record = planned(t, at("2026-01-02T10:00:00Z", "a.example"), record)
	record = planned(t, at("2026-01-03T10:00:00Z", "b.example"), record)
	last := at("2026-01-04T10:00:00Z", "c.example")
	got := assess(t, last, planned(t, last, record))
	var earlier, now []string
	for _, c := range got.Earlier {
		earlier = append(earlier, c.At+" "+c.What+" "+*c.After)
	}
	for _, c := range got.Changes {
		now = append(now, c.At+" "+*c.After)
	}
	want := []string{
		"2026-01-03T10:00:00Z agent address domain b.example", "2026-01-02T10:00:00Z agent address domain a.example",
		"2026-01-01T10:00:00Z record workspace ws_1 with 1 agents and 3 members",
	}
	if diff := cmp.Diff(want, earlier); diff != "" {
		t.Errorf("unexpected earlier changes (-want +got):\n%s", diff)
	}
	if want := []string{"2026-01-04T10:00:00Z domain c.example"}; !slices.Equal(now, want) || len(got.Findings) != 1 || got.Begins {
		t.Errorf("the changes are %v, and the findings %v", now, got.Findings)
	}
}

// What one run did not see is the same with the planned and the stored record.
func TestAssessNotCompared(t *testing.T) {
	t.Parallel()
	earlier, unread := stored(t, nil), object{"agents": object{"agt_1": audittest.UnreadAgent(true)}}
	for _, record := range []*audit.Recorded{earlier, planned(t, unread, earlier)} {
		if got := assess(t, unread, record); !slices.Equal(got.NotCompared, []string{"agt_1"}) || len(got.Changes) > 0 {
			t.Errorf("not compared are %v, and the changes are %v", got.NotCompared, got.Changes)
		}
	}
}

func TestNoRecord(t *testing.T) {
	t.Parallel()
	for _, record := range []*audit.Recorded{nil, {}, {Accepted: map[string]string{"no_admins": "Not ours."}}} {
		got := assess(t, object{"emails_by_role": object{}}, record)
		level := "error"
		if record != nil && record.Accepted != nil {
			level = "accepted"
		}
		if got.HasRecord || got.Begins || !slices.Equal(keysOf(got.Findings), []string{level + " no_admins"}) {
			t.Errorf("has a record: %t, and the findings are %v", got.HasRecord, got.Findings)
		}
	}
	for _, text := range []string{"secret", audittest.Record(`{"members":[]}`)} {
		if _, err := audit.Assess(parse(t, audittest.JSON(t, nil)), &audit.Recorded{Record: text}, nil); !errors.Is(err, audit.ErrRecord) {
			t.Errorf("record %q: the error is %v", text, err)
		}
	}
}

// A null in a finding costs this finding, and its rule is named.
func TestOwnFindings(t *testing.T) {
	t.Parallel()
	own := []*audit.OwnFinding{
		{new("warning"), new("owners"), new("agt_1"), new("No owner.")},
		{new("error"), new("admins"), new("ann@example.com"), new("Too many roles.")},
		{new("error"), new("general"), nil, new("Something.")},
		{new("error"), new("other"), new("agt_9"), new("")},
		nil,
		{new("error"), nil, nil, new("Something.")},
		{new("error"), new(""), nil, new("Something.")},
		{nil, new("level"), new("agt_1"), new("Something.")},
		{new("accepted"), new("level"), nil, new("Something.")},
		{new("warning"), new("message"), new("agt_1"), nil},
	}
	want := []audit.Finding{
		{"error", "admins", "ann@example.com", "Ann", "Too many roles.", "admins/ann@example.com", ""},
		{"error", "general", "", "", "Something.", "general", ""},
		{"error", "other", "agt_9", "", "", "other/agt_9", ""},
		{"error", "findings", "", "", "The finding with index 4 has no rule.", "findings", ""},
		{"error", "findings", "", "", "The finding with index 5 has no rule.", "findings", ""},
		{"error", "findings", "", "", "The finding with index 6 has no rule.", "findings", ""},
		{"error", "level", "agt_1", "Orders", `The level of a finding of this rule is neither "error" nor "warning".`, "level/agt_1", ""},
		{"error", "level", "", "", `The level of a finding of this rule is neither "error" nor "warning".`, "level", ""},
		{"warning", "message", "agt_1", "Orders", "The message of a finding of this rule is null.", "message/agt_1", ""},
		{"accepted", "owners", "agt_1", "Orders", "No owner.", "owners/agt_1", "Ann is on leave."},
	}
	got := assess(t, nil, &audit.Recorded{Accepted: map[string]string{"owners/agt_1": "Ann is on leave."}}, own...)
	if diff := cmp.Diff(want, got.Findings); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
}

// Causes come before their consequences: with another token, agents are foreign, and much
// has changed.
func TestOrderOfFindings(t *testing.T) {
	t.Parallel()
	agent := audittest.Agent(object{"domain": "evil.example", "workspace_ref": "ws_2", "graph_findings": list{object{"kind": "dangling_link", "message": "m"}}})
	red := object{
		"workspace": audittest.Workspace(object{"is_suspended": true, "is_past_due": true, "is_quarantined": true}), "agents": object{"agt_1": agent}, "emails_by_role": object{},
		"problems": list{object{"kind": "contradiction", "operation": "list agents"}, object{"kind": "read_failed", "agent_id": "agt_1", "operation": "read agent"}},
	}
	want := []string{
		"error workspace_quarantined", "error workspace_suspended", "error foreign_agents/agt_1", "error no_admins", "error read_failed/agt_1",
		"error access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em", "warning contradiction/list agents", "warning dangling_link/agt_1",
	}
	if diff := cmp.Diff(want, keysOf(assess(t, red, planned(t, red, stored(t, nil))).Findings)); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
}

// Different IDs have different keys.
func TestSimilarIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 200)
	for _, pair := range [][2]string{{"agt_1", "agt_1\u200b"}, {long + "1", long + "2"}, {"agt  1", "agt 1"}} {
		var problems list
		for _, id := range pair {
			problems = append(problems, object{"kind": "read_failed", "agent_id": id, "operation": "read agent"})
		}
		keys := keysOf(assess(t, object{"problems": problems}, &audit.Recorded{}).Findings)
		if len(keys) != 2 || keys[0] == keys[1] {
			t.Errorf("the keys are %q", keys)
		}
	}
}
