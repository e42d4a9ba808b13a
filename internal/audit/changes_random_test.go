// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// Of 100 agents and 20 members, random ones are edited: each edit is one change,
// and nothing else is.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	type edit struct {
		what     string
		isAccess any // nil if it depends
		apply    func(agent object, n int)
	}
	edits := []edit{
		{"agent definition", false, func(a object, n int) {
			a["definition_hash"], a["revision"], a["labels"] = audittest.Hash(n+1), fmt.Sprint("r", n), list{fmt.Sprint("l", n), "x, y"}
		}},
		{"agent state", nil, func(a object, _ int) { a["is_locked"] = !a["is_locked"].(bool) }},
		{"agent publication", false, func(a object, n int) { a["published_at"] = fmt.Sprint(n) }},
		{"agent address", true, func(a object, n int) { a["domain"], a["url"] = fmt.Sprint(n, ".example"), fmt.Sprint("https://", n) }},
		{"agent sharing", true, func(a object, n int) { a["is_shared"], a["share_rules_json"] = true, fmt.Sprintf(`{"n":%d}`, n) }},
		{"agent collaborators", true, func(a object, n int) { a["collaborators_json"] = fmt.Sprintf(`[{"userId":"u1"},{"userId":"u%d"}]`, n) }},
		{"agent external hosts", true, func(a object, n int) { a["external_hosts"] = list{fmt.Sprintf("%d.example", n)} }},
		{"agent revision", false, func(a object, n int) { a["revision"] = fmt.Sprint("r", n) }},
		{"agent", nil, nil}, // Another agent is in its place.
		{"member", nil, nil},
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
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
				agents["new_"+id] = audittest.Agent(object{"is_published": n%2 == 0, "collaborators_json": nil, "credentials_ref": nil})
				want = append(want, edited{e.what, id, false}, edited{e.what, "new_" + id, n%2 == 0})
			default:
				isAccess := agent["is_locked"] // Only to unlock an agent concerns access.
				if e.isAccess != nil {
					isAccess = e.isAccess
				}
				want = append(want, edited{e.what, id, isAccess.(bool)})
				e.apply(agent, n)
			}
		}
		for _, i := range agentIDs[90:] { // What this run does not see has not changed.
			id := fmt.Sprintf("agt_%d", i)
			agent := agents[id].(object)
			agents[id] = audittest.UnreadAgent(list{nil, false, agent["is_published"]}[random.IntN(3)])
			agents[id].(object)["name"] = agent["name"]
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
		if again := compare(t, text, second.Record); len(again.Changes) > 0 || again.Record != second.Record {
			t.Errorf("seed %d: the same audit has the changes %v", seed, again.Changes)
		}
		if back := compare(t, before, second.Record); len(back.Changes) != len(want) {
			t.Errorf("seed %d: the way back has %d changes, want %d: %v", seed, len(back.Changes), len(want), back.Changes)
		}
	}
}
