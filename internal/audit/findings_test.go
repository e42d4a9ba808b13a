// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

func assess(t testing.TB, changes object, recorded *audit.Recorded, own ...*audit.OwnFinding) *audit.Assessment {
	t.Helper()
	result, err := audit.Assess(parse(t, audittest.JSON(t, changes)), recorded, own)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// planned returns what the resource plans for an audit.
func planned(t testing.TB, changes object, stored *audit.Recorded) *audit.Recorded {
	t.Helper()
	c := compare(t, audittest.JSON(t, changes), stored.Record)
	return &audit.Recorded{Record: c.Record, Changes: slices.Concat(stored.Changes, c.Changes), Accepted: stored.Accepted}
}

// stored is what the resource stored of an earlier audit.
func stored(t testing.TB, changes object) *audit.Recorded {
	t.Helper()
	earlier := object{"read_at": "2026-01-01T10:00:00Z"}
	maps.Copy(earlier, changes)
	return planned(t, earlier, &audit.Recorded{})
}

func keysOf(findings []audit.Finding) []string {
	var keys []string
	for _, f := range findings {
		keys = append(keys, f.Level+" "+f.Key)
	}
	return keys
}

func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	workspace := func(changes object) object { return object{"workspace": audittest.Workspace(changes)} }
	problem := func(kind string, agentID any) object {
		return object{"problems": list{object{"kind": kind, "agent_id": agentID, "operation": "read agent", "status": 404, "code": "GONE", "message": "Not found"}}}
	}
	graph := func(published any) object {
		return withAgent(object{"is_published": published, "graph_findings": list{object{"kind": "dangling_link", "message": "m1"}, object{"kind": "dangling_link", "message": "m2"}}})
	}
	const unknown = "This is unknown, because the service did not return it."
	agent := func(level, rule, message string) audit.Finding {
		return audit.Finding{Level: level, Rule: rule, ID: "agt_1", Name: "Orders", Message: message, Key: rule + "/agt_1"}
	}
	general := func(level, rule, key, message string) audit.Finding {
		return audit.Finding{Level: level, Rule: rule, Message: message, Key: key}
	}
	for name, test := range map[string]struct {
		audit object
		want  []audit.Finding
	}{
		"nothing":            {nil, nil},
		"suspended":          {workspace(object{"is_suspended": true}), []audit.Finding{general("error", "workspace_suspended", "workspace_suspended", "The workspace is suspended.")}},
		"unknown suspension": {workspace(object{"is_suspended": nil}), []audit.Finding{general("error", "workspace_suspended", "workspace_suspended/unknown", unknown)}},
		"quarantined":        {workspace(object{"is_quarantined": true}), []audit.Finding{general("error", "workspace_quarantined", "workspace_quarantined", "The workspace is quarantined.")}},
		"unknown quarantine": {workspace(object{"is_quarantined": nil}), []audit.Finding{general("error", "workspace_quarantined", "workspace_quarantined/unknown", unknown)}},
		"suspended and past due": {workspace(object{"is_past_due": true, "is_suspended": true}),
			[]audit.Finding{general("error", "workspace_suspended", "workspace_suspended", "The workspace is suspended, and a payment is past due.")}},
		"past due":              {workspace(object{"is_past_due": true}), []audit.Finding{general("warning", "workspace_past_due", "workspace_past_due", "A payment of the workspace is past due.")}},
		"unknown payment":       {workspace(object{"is_past_due": nil}), []audit.Finding{general("warning", "workspace_past_due", "workspace_past_due/unknown", unknown)}},
		"no agents":             {object{"agents": object{}}, []audit.Finding{general("error", "no_agents", "no_agents", "The service listed no agents.")}},
		"no agents on request":  {object{"agents": object{}, "agent_ids": list{}}, nil},
		"no admins":             {object{"emails_by_role": object{"GUEST": list{"ann@example.com"}}}, []audit.Finding{general("error", "no_admins", "no_admins", "No member has the ADMIN role.")}},
		"slug of the workspace": {withAgent(object{"workspace_ref": "bicycles"}), nil},
		"foreign agent": {
			withAgent(object{"workspace_ref": "ws_2"}),
			[]audit.Finding{agent("error", "foreign_agents", "The agent belongs to the workspace ws_2, but the audited workspace is ws_1.")},
		},
		"unknown workspaces of agents": {
			object{"agents": object{"agt_1": audittest.Agent(object{"workspace_ref": nil}), "agt_2": audittest.Agent(object{"workspace_ref": nil}), "agt_3": audittest.UnreadAgent(true)}},
			[]audit.Finding{general("error", "foreign_agents", "foreign_agents/unknown", "The workspace of all agents is unknown.")},
		},
		"unknown workspace of an agent": {
			object{"agents": object{"agt_1": audittest.Agent(object{"workspace_ref": nil}), "agt_2": audittest.Agent(nil)}},
			[]audit.Finding{agent("warning", "foreign_agents", "The agent's workspace is unknown.")},
		},
		"unknown workspace of an agent, without a slug": {
			object{
				"workspace": audittest.Workspace(object{"slug": nil}),
				"agents":    object{"agt_1": audittest.Agent(object{"workspace_ref": nil}), "agt_2": audittest.Agent(nil)},
			},
			[]audit.Finding{agent("warning", "foreign_agents", "The agent's workspace is unknown.")},
		},
		"unknown workspace": {
			workspace(object{"id": nil, "slug": nil}),
			[]audit.Finding{agent("error", "foreign_agents", "The agent belongs to the workspace ws_1, but the audited workspace is unknown.")},
		},
		"unread agents":     {object{"agents": object{"agt_1": audittest.UnreadAgent(true), "agt_2": audittest.UnreadAgent(nil)}}, nil},
		"unrequested agent": {object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(true)}}, nil},

		"failed read":      {problem("read_failed", "agt_1"), []audit.Finding{agent("error", "read_failed", "read agent: 404, GONE, Not found")}},
		"not read":         {problem("not_read", "agt_1"), []audit.Finding{agent("error", "not_read", "read agent: 404, GONE, Not found")}},
		"incomplete list":  {problem("incomplete_list", "agt_1"), []audit.Finding{agent("error", "incomplete_list", "read agent: 404, GONE, Not found")}},
		"missing fields":   {problem("missing_fields", "agt_1"), []audit.Finding{agent("warning", "missing_fields", "read agent: 404, GONE, Not found")}},
		"contradiction":    {problem("contradiction", "agt_1"), []audit.Finding{agent("warning", "contradiction", "read agent: 404, GONE, Not found")}},
		"equal statistics": {problem("equal_statistics", nil), []audit.Finding{general("warning", "equal_statistics", "equal_statistics/read agent", "read agent: 404, GONE, Not found")}},
		"no details": {
			object{"problems": list{object{"kind": "read_failed", "agent_id": nil, "operation": "list members"}}},
			[]audit.Finding{general("error", "read_failed", "read_failed/list members", "list members: no message")},
		},

		"graph":             {graph(true), []audit.Finding{agent("warning", "dangling_link", "m1"), agent("warning", "dangling_link", "m2")}},
		"graph, unknown":    {graph(nil), []audit.Finding{agent("warning", "dangling_link", "m1"), agent("warning", "dangling_link", "m2")}},
		"unpublished graph": {graph(false), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, assess(t, test.audit, nil).Findings); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRulesOfChanges(t *testing.T) {
	t.Parallel()
	earlier := stored(t, nil)
	desk, bob := audittest.Member("GUEST", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")
	for name, test := range map[string]struct {
		audit object
		want  []audit.Finding
	}{
		"nothing": {nil, nil},
		"edit":    {withAgent(object{"definition_hash": audittest.Hash(1)}), nil},
		"domain": {withAgent(object{"domain": "evil.example"}), []audit.Finding{{
			"error", "access_changed", "agt_1", "Orders", "agent address: no domain → domain evil.example", "access_changed/agt_1/vdh6vy5k3wzw2jzix3nhn5em", "",
		}}},
		"other domain": {withAgent(object{"domain": "evil.test"}), []audit.Finding{{
			"error", "access_changed", "agt_1", "Orders", "agent address: no domain → domain evil.test", "access_changed/agt_1/jacj7gob6nd2rurjjpws5ftf", "",
		}}},
		"members": {object{"members": list{audittest.Member("ADMIN", "Desk", nil), bob}}, []audit.Finding{
			{"error", "access_changed", "Desk", "Desk", "member: GUEST → ADMIN", "access_changed/Desk/ednracu5pjdkuuhfkwmzb3gq", ""},
			{"error", "access_changed", "ann@example.com", "Ann", "member: ADMIN → none", "access_changed/ann@example.com/fae2iz5mrth3imh6immb4cwn", ""},
		}},
		"new member": {object{"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com"), desk, bob, audittest.Member("GUEST", nil, nil)}}, []audit.Finding{
			{"error", "access_changed", "", "", "member: none → GUEST", "access_changed//dbbxpigth6hr6jkabtsl577o", ""},
		}},
		"other workspace": {object{"workspace": audittest.Workspace(object{"id": "ws_2"}), "agents": object{"agt_1": audittest.Agent(object{"workspace_ref": "ws_2"})}}, []audit.Finding{{
			"error", "other_workspace", "ws_2", "Bicycles",
			"recorded workspace: workspace ws_1 with 1 agents and 3 members → workspace ws_2 with 1 agents and 3 members, with the hash fb6ea2735d2ced5cd8a00b18edb99549",
			"other_workspace/ws_2/v2nc4pjxsbq4hhhrbf4naa5o", "",
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := planned(t, test.audit, earlier)
			if diff := cmp.Diff(test.want, assess(t, test.audit, record).Findings); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
			// A plan that only refreshes has the stored record, and finds the same.
			if diff := cmp.Diff(test.want, assess(t, test.audit, earlier).Findings); diff != "" {
				t.Errorf("unexpected findings with the stored record (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, audit.Unaccepted(parse(t, audittest.JSON(t, test.audit)), record.Changes, nil), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("unexpected unaccepted findings (-want +got):\n%s", diff)
			}
			// The next audit finds nothing new.
			later := object{"read_at": "2026-02-02T10:00:00Z"}
			maps.Copy(later, test.audit)
			next := planned(t, later, record)
			if got := assess(t, later, next).Findings; len(got) > 0 {
				t.Errorf("the next audit finds %v", got)
			}
			if got := audit.Unaccepted(parse(t, audittest.JSON(t, later)), next.Changes, nil); len(got) > 0 {
				t.Errorf("of the next audit, these findings are not accepted: %v", got)
			}
		})
	}
}

func TestFirstRecordRule(t *testing.T) {
	t.Parallel()
	const message = "The record begins with this audit: workspace ws_1 with 1 agents and 3 members. Compare the numbers with the service's user interface."
	for name, test := range map[string]struct{ record, want string }{
		"first":         {"", message},
		"other version": {audittest.Record(`{"version":2}`), message + " The state has a record of another version of the provider, which cannot be compared."},
	} {
		got := assess(t, nil, planned(t, nil, &audit.Recorded{Record: test.record}))
		want := []audit.Finding{{Level: "warning", Rule: "first_record", Message: test.want, Key: "first_record"}}
		if diff := cmp.Diff(want, got.Findings); diff != "" || !got.Begins || !got.HasRecord {
			t.Errorf("%s: begins: %t, has a record: %t, unexpected findings (-want +got):\n%s", name, got.Begins, got.HasRecord, diff)
		}
	}
}

// Each value that differs gives another fingerprint. The expected ones in these tests are
// the first four bytes of sha256sum of JSON text, such as
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

// Only a part of what is recorded may be gone at once: two of a small workspace, or a tenth
// of a large one.
func TestRemoved(t *testing.T) {
	t.Parallel()
	workspace := func(prefix string, agents, members int) object {
		agentsByID, memberList := object{}, list{}
		for i := range agents {
			agentsByID[fmt.Sprintf("%s_%03d", prefix, i)] = audittest.Agent(object{"is_published": false})
		}
		for i := range members {
			memberList = append(memberList, audittest.Member("GUEST", "m", fmt.Sprintf("m%03d@example.com", i)))
		}
		return object{"agents": agentsByID, "members": memberList}
	}
	for _, test := range []struct {
		agents, members       int
		agentsNow, membersNow int
		newAgents             int
		want                  string
	}{
		{agents: 5, members: 1, agentsNow: 3, membersNow: 1},
		{agents: 5, members: 1, agentsNow: 2, membersNow: 1, want: "3 of about 6 recorded"},
		{agents: 3, members: 3, agentsNow: 2, membersNow: 2},
		{agents: 3, members: 3, agentsNow: 2, membersNow: 1, want: "3 of about 6 recorded"},
		{agents: 80, members: 20, agentsNow: 70, membersNow: 20},
		{agents: 80, members: 20, agentsNow: 70, membersNow: 19, want: "11 of about 100 recorded"},
		{agents: 89, members: 20, agentsNow: 79, membersNow: 20},
		{agents: 89, members: 20, agentsNow: 78, membersNow: 20, want: "11 of about 109 recorded"},
		{agents: 30, members: 1, agentsNow: 0, membersNow: 1, newAgents: 1000, want: "30 of about 31 recorded"}, // New ones do not hide it.
	} {
		earlier := stored(t, workspace("agt", test.agents, test.members))
		now := workspace("agt", test.agentsNow, test.membersNow)
		maps.Copy(now["agents"].(object), workspace("new", test.newAgents, 0)["agents"].(object))
		record := planned(t, now, earlier)
		var got []audit.Finding
		for _, f := range audit.Unaccepted(parse(t, audittest.JSON(t, now)), record.Changes, nil) {
			if f.Rule == "removed" {
				got = append(got, f)
			}
		}
		switch {
		case test.want == "" && len(got) == 0:
		case test.want == "" || len(got) != 1 || !strings.HasPrefix(got[0].Message, test.want):
			t.Errorf("%+v: got %v", test, got)
		}
	}

	// The key accepts no other removal.
	earlier := stored(t, workspace("agt", 9, 0))
	keyOf := func(now object) string {
		for _, f := range audit.Unaccepted(parse(t, audittest.JSON(t, now)), planned(t, now, earlier).Changes, nil) {
			if f.Rule == "removed" {
				return f.Key
			}
		}
		return ""
	}
	five, four := keyOf(workspace("agt", 5, 0)), keyOf(workspace("agt", 4, 0))
	if five == four || !strings.HasPrefix(five, "removed/") || five != keyOf(workspace("agt", 5, 0)) {
		t.Errorf("the keys are %q and %q", five, four)
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

// Members can be of another workspace, like agents.
func TestForeignMembers(t *testing.T) {
	t.Parallel()
	member := func(workspaceID any) object {
		m := audittest.Member("ADMIN", "Ann", "ann@example.com")
		m["workspace_id"] = workspaceID
		return m
	}
	for workspaceID, want := range map[any]bool{nil: false, "ws_1": false, "ws_2": true} {
		assessment, err := audit.Assess(parse(t, audittest.JSON(t, object{"members": list{member(workspaceID)}})), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(assessment.Findings, func(f audit.Finding) bool {
			return f.Level == audit.LevelError && f.Key == "foreign_members/ann@example.com" && strings.Contains(f.Message, "ws_2")
		})
		if got != want {
			t.Errorf("%v: got the finding: %t", workspaceID, got)
		}
	}
}

// Changes with the same key would all be accepted with it.
func TestSimilarChanges(t *testing.T) {
	t.Parallel()
	var hosts list
	for i := range 100 {
		hosts = append(hosts, fmt.Sprintf("h%04d.example", i)) // With a comma and a space, 15 characters.
	}
	hosts[65] = "h0065.example" + strings.Repeat("x", 10) // The 1,000th character is the space after it.
	earlier := stored(t, withAgent(object{"external_hosts": hosts[:66]}))
	for name, pair := range map[string][2]object{
		"end of a long list":  {{"external_hosts": append(slices.Clone(hosts[:66]), "z-good.example")}, {"external_hosts": append(slices.Clone(hosts[:66]), "z-evil.example")}},
		"invisible character": {{"domain": "x.example", "external_hosts": hosts[:66]}, {"domain": "x\u2060.example", "external_hosts": hosts[:66]}},
		"comma": {
			{"url": "b, domain c1", "domain": "c2", "external_hosts": hosts[:66]}, {"url": "b", "domain": "c1, domain c2", "external_hosts": hosts[:66]},
		},
	} {
		var keys []string
		for _, agent := range pair {
			for _, f := range assess(t, withAgent(agent), earlier).Findings {
				if f.Rule == "access_changed" {
					keys = append(keys, f.Key)
				}
			}
		}
		if len(keys) != 2 || keys[0] == keys[1] {
			t.Errorf("%s: the keys are %v", name, keys)
		}
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

// What an incomplete list lacks stays recorded, and the report says so.
func TestNotListed(t *testing.T) {
	t.Parallel()
	earlier := stored(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}})
	fewer := object{
		"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com")}, "agents": object{"agt_1": audittest.Agent(nil)},
		"problems": list{object{"kind": "incomplete_list", "operation": "list members"}, object{"kind": "incomplete_list", "operation": "list agents"}},
	}
	got := assess(t, fewer, planned(t, fewer, earlier))
	if want := []string{"Desk", "bob@example.com", "agt_2"}; !slices.Equal(got.NotListed, want) || len(got.Changes) > 0 {
		t.Errorf("not listed are %v, want %v, and the changes are %v", got.NotListed, want, got.Changes)
	}
	delete(fewer, "problems")
	if got := assess(t, fewer, planned(t, fewer, earlier)); got.NotListed != nil || len(got.Changes) != 3 {
		t.Errorf("not listed are %v, and the changes are %v", got.NotListed, got.Changes)
	}
}
