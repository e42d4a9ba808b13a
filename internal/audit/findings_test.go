// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

func assess(t testing.TB, changes object, recorded *audit.History, own ...*audit.OwnFinding) *audit.Assessment {
	t.Helper()
	result, err := audit.Assess(parse(t, audittest.JSON(t, changes)), recorded, own)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// recorded assesses an audit as the resource does.
func recorded(t testing.TB, changes object, stored *audit.History) *audit.Assessment {
	t.Helper()
	result, err := audit.AssessForRecord(parse(t, audittest.JSON(t, changes)), stored)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// planned returns what the resource plans for an audit.
func planned(t testing.TB, changes object, stored *audit.History) *audit.History {
	t.Helper()
	return recorded(t, changes, stored).Next()
}

// stored is what the resource stored of an earlier audit.
func stored(t testing.TB, changes object) *audit.History {
	t.Helper()
	earlier := object{"read_at": "2026-01-01T10:00:00Z"}
	maps.Copy(earlier, changes)
	return planned(t, earlier, &audit.History{})
}

// textsOf are the findings as texts, with FP for a fingerprint in a key.
func textsOf(findings []audit.Finding) []string {
	fingerprint := regexp.MustCompile(`/[a-z2-7]{24}$`)
	var texts []string
	for _, f := range findings {
		texts = append(texts, f.Level+" "+fingerprint.ReplaceAllString(f.Key, "/FP")+" "+f.Name+": "+f.Message)
	}
	return texts
}

// Each built-in rule has a case here. TestRules says which names are rules.
func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	workspace := func(changes object) object { return object{"workspace": audittest.Workspace(changes)} }
	problems := func(kinds ...string) object {
		var all list
		for _, kind := range kinds {
			all = append(all, object{"kind": kind, "agent_id": "agt_1", "operation": "read agent", "status": 404, "code": "GONE", "message": "Not found"})
		}
		return object{"problems": all}
	}
	graph := func(published any) object {
		return withAgent(object{"is_published": published, "graph_findings": list{object{"kind": "dangling_link", "id": "e1", "message": "m1"}, object{"kind": "dangling_link", "id": "e2", "message": "m2"}}})
	}
	unknown := audittest.Agent(object{"workspace_ref": nil})
	earlier := stored(t, nil)
	desk, bob := audittest.Member("GUEST", "Desk", nil), audittest.Member("GUEST", "Bob", "bob@example.com")
	const found = "/agt_1/read_agent Orders: read agent: 404, GONE, Not found"
	tested := map[string]bool{}
	for name, test := range map[string]struct {
		earlier *audit.History // nil if there is no record
		audit   object
		want    []string
	}{
		"nothing":               {nil, nil, nil},
		"suspended":             {nil, workspace(object{"is_suspended": true}), []string{"error workspace_suspended : The workspace is suspended."}},
		"quarantined":           {nil, workspace(object{"is_quarantined": true}), []string{"error workspace_quarantined : The workspace is quarantined."}},
		"past due":              {nil, workspace(object{"is_past_due": true}), []string{"warning workspace_past_due : A payment of the workspace is past due."}},
		"no agents":             {nil, object{"agents": object{}}, []string{"error no_agents : The service listed no agents."}},
		"empty selection":       {nil, object{"agents": object{}, "agent_ids": list{}}, []string{"error no_agents : The argument agent_ids is empty, so no agent was audited."}},
		"no admins":             {nil, object{"emails_by_role": object{"GUEST": list{"ann@example.com"}}}, []string{"error no_admins : No member has the ADMIN role."}},
		"slug of the workspace": {nil, withAgent(object{"workspace_ref": "bicycles"}), nil},
		"foreign agent": {nil, withAgent(object{"workspace_ref": "ws_2"}),
			[]string{"error foreign_agents/agt_1 Orders: The agent belongs to the workspace ws_2, but the audited workspace is ws_1."}},
		"unknown workspaces of agents": {nil, object{"agents": object{"agt_1": unknown, "agt_2": unknown, "agt_3": audittest.UnreadAgent(true)}},
			[]string{"error foreign_agents/unknown : The workspace of all agents is unknown."}},
		"unknown workspace of an agent": {nil, object{"agents": object{"agt_1": unknown, "agt_2": audittest.Agent(nil)}},
			[]string{"warning foreign_agents/agt_1 Orders: The agent's workspace is unknown."}},
		"unrequested agent": {nil, object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(true)}}, []string{
			"warning definitions_not_read : The audit does not read definitions, because its argument definitions is false. It does not see the " +
				"workspaces, sharing, collaborators, security settings, credentials, hosts, and flows of agents."}},

		"equal statistics": {nil, problems("equal_statistics"), nil}, // Counters change by themselves.
		"problems": {nil, problems("read_failed", "not_read", "incomplete_list", "missing_fields", "contradiction", "missing_url", "missing_agent"), []string{
			"error read_failed" + found, "error not_read" + found, "error incomplete_list" + found,
			"warning missing_fields" + found, "warning contradiction" + found, "warning missing_url" + found, "warning missing_agent" + found,
		}},
		"unknown states": {nil, workspace(object{"is_suspended": nil, "is_past_due": nil}), []string{
			"error workspace_suspended/unknown : The service did not return whether the workspace is suspended.",
			"warning workspace_past_due/unknown : The service did not return whether a payment of the workspace is past due.",
		}},

		"graph":             {nil, graph(true), []string{"warning dangling_link/agt_1/e1 Orders: m1", "warning dangling_link/agt_1/e2 Orders: m2"}},
		"unpublished graph": {nil, graph(false), nil},

		"edit": {earlier, withAgent(object{"definition_hash": audittest.Hash(1)}), nil},
		"domain and credentials": {earlier, withAgent(object{"domain": "evil.example", "credentials_ref": "cred_2"}),
			[]string{"error access_changed/agt_1/FP Orders: agent address: no domain → domain evil.example; agent credentials: cred_1 → cred_2"}},
		"members": {earlier, object{"members": list{audittest.Member("ADMIN", "Desk", nil), bob}}, []string{
			"error access_changed/Desk/FP Desk: member: GUEST → ADMIN", "error access_changed/ann@example.com/FP Ann: member: ADMIN → none",
		}},
		"new member": {earlier, object{"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com"), desk, bob, audittest.Member(nil, nil, nil)}},
			[]string{"error access_changed/no%20email%20address/FP no email address: member: none → unknown"}},
		"first record": {&audit.History{}, nil, []string{"error first_record/ws_1/FP : The record begins with this audit: workspace ws_1 with 1 agent and 3 members. Nobody has " +
			"confirmed it yet. Compare the members and agents with what an administrator sees in the service. If an earlier audit was recorded, the state is lost, or the address of the resource has changed. Find out what has changed since then."}},
		"state not returned": {earlier, withAgent(object{"is_locked": nil}), []string{
			"error state_unknown/FP : The service no longer returns the state or sharing of 1 agent: Orders (agt_1). The record keeps the earlier values."}},
		"not compared": {earlier, object{"agents": object{}, "agent_ids": list{}}, []string{
			"error no_agents : The argument agent_ids is empty, so no agent was audited.", "warning agents_not_compared : Recorded agents that agent_ids does not contain, and that were not compared: 1.",
		}},
		"removed": {earlier, object{"agents": object{}, "members": list{}}, []string{
			"error no_agents : The service listed no agents.", "error access_changed/Desk/FP Desk: member: GUEST → none", "error access_changed/ann@example.com/FP Ann: member: ADMIN → none",
			"error access_changed/bob@example.com/FP Bob: member: GUEST → none", "error removed/FP : 4 of 4 recorded agents and members are gone (Desk, ann@example.com, bob@example.com, agt_1), or the token has less access than before.",
			"warning no_longer_published/agt_1 Orders: The agent was published, and was then unpublished or deleted.",
		}},

		"unpublished": {earlier, withAgent(object{"is_published": false}), []string{"warning no_longer_published/agt_1 Orders: The agent was published, and was then unpublished or deleted."}},
		"another workspace": {earlier, object{"workspace": audittest.Workspace(object{"id": "ws_2"}), "agents": object{"agt_1": audittest.Agent(object{"workspace_ref": "ws_2"})}},
			[]string{"error other_workspace/ws_2/FP Bicycles: recorded workspace: workspace ws_1 with 1 agent and 3 members → workspace ws_2 with 1 agent and 3 members"}},
		"closed agents first": {earlier, object{"agents": object{"agt_0": audittest.Agent(object{"is_published": false, "is_shared": true, "name": "Shared"}), "agt_1": audittest.Agent(nil),
			"agt_2": audittest.Agent(object{"name": "Second"})}}, []string{
			"error access_changed/agt_0/FP Shared: agent: none → not published, locked, URL https://a.example/orders, domain ID dom_1, public ID orders, shared, collaborators " +
				`{"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1, labels a, b, revision 8`,
			"error access_changed/agt_2/FP Second: agent: none → published, locked, URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators " +
				`{"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1, labels a, b, revision 8`,
		}},
	} {
		record := test.earlier
		if record != nil {
			record = planned(t, test.audit, record)
		}
		with := assess(t, test.audit, record)
		if diff := cmp.Diff(test.want, textsOf(with.Findings)); diff != "" {
			t.Errorf("%s: unexpected findings (-want +got):\n%s", name, diff)
		}
		var lasting []audit.Finding
		for _, f := range with.Findings {
			tested[f.Level+" "+f.Rule] = true
			if !f.IsOnce {
				lasting = append(lasting, f)
			}
		}
		if test.earlier != earlier {
			continue
		}
		// A plan that only refreshes has the stored record, and finds the same.
		if diff := cmp.Diff(with.Findings, assess(t, test.audit, earlier).Findings); diff != "" {
			t.Errorf("%s: unexpected findings with the stored record (-want +got):\n%s", name, diff)
		}
		// In the next audit, no change is new.
		later := object{"read_at": "2026-02-02T10:00:00Z"}
		maps.Copy(later, test.audit)
		next := assess(t, later, planned(t, later, record))
		if diff := cmp.Diff(lasting, next.Findings, cmpopts.EquateEmpty()); diff != "" || len(next.Refused()) > 0 {
			t.Errorf("%s: unexpected findings of the next audit (-want +got):\n%s", name, diff)
		}
	}
	for _, rule := range audit.Rules {
		if !tested[rule] && rule != "error policies" { // TestOwnFindings has it.
			t.Errorf("no case finds the %s", rule)
		}
	}
}

// The first record is refused until its own key is accepted, or any first record is.
func TestFirstRecordRefused(t *testing.T) {
	t.Parallel()
	first := planned(t, nil, &audit.History{})
	got := assess(t, nil, first)
	if len(got.Findings) != 1 || len(got.Refused()) != 1 {
		t.Fatalf("the findings are %v", got.Findings)
	}
	key := got.Findings[0].Key
	// An edit is no other access, and anything about access is.
	if same := planned(t, withAgent(object{"definition_hash": audittest.Hash(1), "name": "Other"}), &audit.History{}); *same.Changes[0].Key != key {
		t.Errorf("the key of an edited definition is %q, want %q", *same.Changes[0].Key, key)
	}
	for _, other := range []object{
		withAgent(object{"domain": "evil.example"}), withAgent(object{"is_shared": nil}),
		{"members": list{}}, {"workspace": audittest.Workspace(object{"id": "ws_2"})},
	} {
		if changed := planned(t, other, &audit.History{}); *changed.Changes[0].Key == key {
			t.Errorf("the key also accepts %v", other)
		}
	}
	for accepted, reason := range map[string]string{key: "Compared.", "first_record": "first_record: Compared."} {
		stored := planned(t, nil, &audit.History{Accepted: map[string]string{accepted: "Compared."}})
		if got := assess(t, nil, stored); got.IsRed() || len(got.Refused()) > 0 || *stored.Changes[0].Reason != reason {
			t.Errorf("%q does not accept %v", accepted, stored.Changes)
		}
	}
}

// Only a part of what is recorded may be gone at once: two of a small workspace, or a tenth
// of a large one.
func TestRemoved(t *testing.T) {
	t.Parallel()
	workspace := func(agents, members int) object {
		all, list := object{}, list{}
		for i := range agents {
			all[fmt.Sprintf("agt_%03d", i)] = audittest.Agent(object{"is_published": false})
		}
		for i := range members {
			list = append(list, audittest.Member("GUEST", "m", fmt.Sprintf("m%03d@example.com", i)))
		}
		return object{"agents": all, "members": list}
	}
	keys := map[string]bool{}
	for _, test := range []struct {
		agents, members       int
		agentsNow, membersNow int
		want                  string
	}{
		{5, 1, 3, 1, ""},
		{5, 1, 2, 1, "3 of 6 recorded"},
		{80, 20, 70, 20, ""},
		{80, 20, 70, 19, "11 of 100 recorded"},
	} {
		now := workspace(test.agentsNow, test.membersNow)
		// New agents do not hide it.
		now["agents"].(object)["new"] = audittest.Agent(nil)
		findings := assess(t, now, planned(t, now, stored(t, workspace(test.agents, test.members)))).Findings
		last := findings[len(findings)-1]
		switch {
		case test.want == "" && last.Rule != "removed":
		case test.want == "" || last.Rule != "removed" || !strings.HasPrefix(last.Message, test.want) || keys[last.Key]:
			t.Errorf("%+v: got %v", test, last)
		}
		keys[last.Key] = true
	}
}

// The record of another workspace has nothing of the earlier one, and a plan that becomes known is no change.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	other := object{"workspace": audittest.Workspace(object{"id": "ws_2", "slug": nil, "plan": nil})}
	begun := planned(t, other, &audit.History{})
	if got := planned(t, other, stored(t, nil)); *got.Record != *begun.Record {
		t.Error("the record has values of another workspace")
	}
	known := object{"workspace": audittest.Workspace(object{"id": "ws_2", "slug": nil}), "read_at": "2026-03-01T10:00:00Z"}
	if got := planned(t, known, begun); len(got.Changes) != len(begun.Changes) {
		t.Errorf("got %v", got.Changes)
	}
	if got := changesSince(t, recordOf(t, withAgent(object{"workspace_ref": "ws_9"})), nil); len(got) > 0 {
		t.Errorf("got %v for an agent that is in the audited workspace again", got)
	}
	if got := changesSince(t, recordOf(t, nil), withAgent(object{"workspace_ref": "bicycles"})); len(got) > 0 {
		t.Errorf("got %v for the slug of the audited workspace", got)
	}
}

// What an incomplete list lacks stays recorded, and the report says so.
func TestNotListed(t *testing.T) {
	t.Parallel()
	members := list{audittest.Member("ADMIN", "Ann", "ann@example.com"), audittest.Member("GUEST", nil, nil), audittest.Member("GUEST", "Bob", "bob@example.com")}
	earlier := stored(t, object{"members": members, "agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}})
	fewer := object{
		"members": members[:1], "agents": object{"agt_1": audittest.Agent(nil)},
		"problems": list{object{"kind": "incomplete_list", "operation": "list members"}, object{"kind": "incomplete_list", "operation": "list agents"}},
	}
	got := assess(t, fewer, planned(t, fewer, earlier))
	if want := []string{"no email address", "bob@example.com", "agt_2"}; !slices.Equal(got.NotListed, want) || len(got.Changes) != 1 {
		t.Errorf("not listed are %v, want %v, and the changes are %v", got.NotListed, want, got.Changes)
	}
	delete(fewer, "problems")
	if got := assess(t, fewer, planned(t, fewer, earlier)); got.NotListed != nil || len(got.Changes) != 5 {
		t.Errorf("not listed are %v, and the changes are %v", got.NotListed, got.Changes)
	}
}
