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

// planned returns what the resource plans for an audit.
func planned(t testing.TB, changes object, stored *audit.History) *audit.History {
	t.Helper()
	updated, _, err := audit.Update(parse(t, audittest.JSON(t, changes)), stored)
	if err != nil {
		t.Fatal(err)
	}
	return updated
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

func TestBuiltInRules(t *testing.T) {
	t.Parallel()
	workspace := func(changes object) object { return object{"workspace": audittest.Workspace(changes)} }
	problem := func(kind string, agentID any) object {
		return object{"problems": list{object{"kind": kind, "agent_id": agentID, "operation": "read agent", "status": 404, "code": "GONE", "message": "Not found"}}}
	}
	graph := func(published any) object {
		return withAgent(object{"is_published": published, "graph_findings": list{object{"kind": "dangling_link", "id": "e1", "message": "m1"}, object{"kind": "dangling_link", "id": "e2", "message": "m2"}}})
	}
	unknown := audittest.Agent(object{"workspace_ref": nil})
	for name, test := range map[string]struct {
		audit object
		want  []string
	}{
		"nothing":               {nil, nil},
		"suspended":             {workspace(object{"is_suspended": true}), []string{"error workspace_suspended : The workspace is suspended."}},
		"quarantined":           {workspace(object{"is_quarantined": true}), []string{"error workspace_quarantined : The workspace is quarantined."}},
		"past due":              {workspace(object{"is_past_due": true}), []string{"warning workspace_past_due : A payment of the workspace is past due."}},
		"no agents":             {object{"agents": object{}}, []string{"error no_agents : The service listed no agents."}},
		"empty selection":       {object{"agents": object{}, "agent_ids": list{}}, []string{"error no_agents : The argument agent_ids is empty, so no agent was audited."}},
		"no admins":             {object{"emails_by_role": object{"GUEST": list{"ann@example.com"}}}, []string{"error no_admins : No member has the ADMIN role."}},
		"slug of the workspace": {withAgent(object{"workspace_ref": "bicycles"}), nil},
		"foreign agent": {withAgent(object{"workspace_ref": "ws_2"}),
			[]string{"error foreign_agents/agt_1 Orders: The agent belongs to the workspace ws_2, but the audited workspace is ws_1."}},
		"unknown workspaces of agents": {object{"agents": object{"agt_1": unknown, "agt_2": unknown, "agt_3": audittest.UnreadAgent(true)}},
			[]string{"error foreign_agents/unknown : The workspace of all agents is unknown."}},
		"unknown workspace of an agent": {object{"agents": object{"agt_1": unknown, "agt_2": audittest.Agent(nil)}},
			[]string{"warning foreign_agents/agt_1 Orders: The agent's workspace is unknown."}},
		"unrequested agent": {object{"definitions": false, "agents": object{"agt_1": audittest.UnreadAgent(true)}}, []string{
			"warning definitions_not_read : The audit does not read definitions, because its argument definitions is false. It does not see the " +
				"workspaces, sharing, collaborators, security settings, credentials, hosts, and flows of agents."}},

		"failed read":      {problem("read_failed", "agt_1"), []string{"error read_failed/agt_1/read_agent Orders: read agent: 404, GONE, Not found"}},
		"missing URL":      {problem("missing_url", "agt_1"), []string{"warning missing_url/agt_1/read_agent Orders: read agent: 404, GONE, Not found"}},
		"equal statistics": {problem("equal_statistics", nil), nil}, // Counters change by themselves.

		"graph":             {graph(true), []string{"warning dangling_link/agt_1/e1 Orders: m1", "warning dangling_link/agt_1/e2 Orders: m2"}},
		"unpublished graph": {graph(false), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, textsOf(assess(t, test.audit, nil).Findings)); diff != "" {
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
		want  []string
	}{
		"edit": {withAgent(object{"definition_hash": audittest.Hash(1)}), nil},
		"domain and credentials": {withAgent(object{"domain": "evil.example", "credentials_ref": "cred_2"}),
			[]string{"error access_changed/agt_1/FP Orders: agent address: no domain → domain evil.example; agent credentials: cred_1 → cred_2"}},
		"members": {object{"members": list{audittest.Member("ADMIN", "Desk", nil), bob}}, []string{
			"error access_changed/Desk/FP Desk: member: GUEST → ADMIN", "error access_changed/ann@example.com/FP Ann: member: ADMIN → none",
		}},
		"new member": {object{"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com"), desk, bob, audittest.Member("GUEST", nil, nil)}},
			[]string{"error access_changed//FP : member: none → GUEST"}},
		"unpublished": {withAgent(object{"is_published": false}), []string{"warning no_longer_published/agt_1 Orders: agent state: published → not published"}},
		"another workspace": {object{"workspace": audittest.Workspace(object{"id": "ws_2"}), "agents": object{"agt_1": audittest.Agent(object{"workspace_ref": "ws_2"})}},
			[]string{"error other_workspace/ws_2/FP Bicycles: recorded workspace: workspace ws_1 with 1 agents and 3 members → workspace ws_2 with 1 agents and 3 members"}},
		"closed agents first": {object{"agents": object{"agt_0": audittest.Agent(object{"is_published": false, "is_shared": true, "name": "Shared"}), "agt_1": audittest.Agent(nil),
			"agt_2": audittest.Agent(object{"name": "Second"})}}, []string{
			"error access_changed/agt_0/FP Shared: agent: none → not published, locked, URL https://a.example/orders, domain ID dom_1, public ID orders, shared, collaborators " +
				`{"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1, labels a, b, revision 8`,
			"error access_changed/agt_2/FP Second: agent: none → published, locked, URL https://a.example/orders, domain ID dom_1, public ID orders, collaborators " +
				`{"userId":"u1"}, security settings origins: a.example, hosts api.example, credentials cred_1, labels a, b, revision 8`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := planned(t, test.audit, earlier)
			with := assess(t, test.audit, record)
			if diff := cmp.Diff(test.want, textsOf(with.Findings)); diff != "" {
				t.Errorf("unexpected findings (-want +got):\n%s", diff)
			}
			// A plan that only refreshes has the stored record, and finds the same.
			if diff := cmp.Diff(with.Findings, assess(t, test.audit, earlier).Findings); diff != "" {
				t.Errorf("unexpected findings with the stored record (-want +got):\n%s", diff)
			}
			// The next audit finds nothing new.
			later := object{"read_at": "2026-02-02T10:00:00Z"}
			maps.Copy(later, test.audit)
			if got := assess(t, later, planned(t, later, record)); len(got.Findings) > 0 || len(got.Refused()) > 0 {
				t.Errorf("the next audit finds %v", got.Findings)
			}
		})
	}
}

// The first record is refused until its own key is accepted, or any first record is.
func TestFirstRecordRefused(t *testing.T) {
	t.Parallel()
	const message = "The record begins with this audit: workspace ws_1 with 1 agents and 3 members. Nobody has confirmed it yet. Compare the members and agents with the " +
		"service's user interface. If an earlier audit was recorded, the state is lost, so find out what has changed since then."
	first := planned(t, nil, &audit.History{})
	got := assess(t, nil, first)
	if len(got.Findings) != 1 || got.Findings[0].Message != message || !strings.HasPrefix(got.Findings[0].Key, "first_record/ws_1/") || len(got.Refused()) != 1 {
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

// What an incomplete list lacks stays recorded, and the report says so.
func TestNotListed(t *testing.T) {
	t.Parallel()
	earlier := stored(t, object{"agents": object{"agt_1": audittest.Agent(nil), "agt_2": audittest.Agent(nil)}})
	fewer := object{
		"members": list{audittest.Member("ADMIN", "Ann", "ann@example.com")}, "agents": object{"agt_1": audittest.Agent(nil)},
		"problems": list{object{"kind": "incomplete_list", "operation": "list members"}, object{"kind": "incomplete_list", "operation": "list agents"}},
	}
	got := assess(t, fewer, planned(t, fewer, earlier))
	if want := []string{"Desk", "bob@example.com", "agt_2"}; !slices.Equal(got.NotListed, want) || len(got.Changes) != 1 {
		t.Errorf("not listed are %v, want %v, and the changes are %v", got.NotListed, want, got.Changes)
	}
	delete(fewer, "problems")
	if got := assess(t, fewer, planned(t, fewer, earlier)); got.NotListed != nil || len(got.Changes) != 5 {
		t.Errorf("not listed are %v, and the changes are %v", got.NotListed, got.Changes)
	}
}
