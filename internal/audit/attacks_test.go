// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// Each change of access is refused, whatever an audit before it did not see. All keys of the
// days before stay accepted.
func TestNoChangeIsUnseen(t *testing.T) {
	t.Parallel()
	agent := func(changes object) object {
		return object{"agent_ids": nil, "agents": object{"agt_1": audittest.Agent(changes)}}
	}
	members := func(all ...any) object { return object{"members": append(list{}, all...)} }
	unread := object{"agents": object{"agt_1": audittest.UnreadAgent(true)}}
	many := func(domain string) object {
		agents := object{}
		for i := range 300 {
			agents[fmt.Sprintf("agt_%03d", i)] = audittest.Agent(object{"domain": domain})
		}
		return object{"agents": agents}
	}
	workspace := func(changes object) object {
		return object{"workspace": audittest.Workspace(changes), "agents": object{"agt_1": audittest.Agent(object{"workspace_ref": "ws_1"})}}
	}
	for name, test := range map[string]struct {
		first, between, last object
		keys                 int // of the last day, 1 unless it is set
	}{
		"unread, then changed":               {first: agent(nil), between: unread, last: agent(object{"domain": "evil.example"})},
		"definitions = false, then changed":  {first: agent(nil), between: object{"definitions": false, "agents": unread["agents"]}, last: agent(object{"security_json": nil})},
		"not selected, then changed":         {first: agent(nil), between: object{"agent_ids": list{}, "agents": object{}}, last: agent(object{"is_shared": true})},
		"gone, then changed":                 {first: agent(nil), between: object{"agents": object{}}, last: agent(object{"domain": "evil.example"})},
		"unknown sharing, then shared":       {first: agent(nil), between: agent(object{"is_shared": nil}), last: agent(object{"is_shared": true})},
		"unknown state, then published":      {first: agent(object{"is_published": false}), between: agent(object{"is_published": nil}), last: agent(nil)},
		"closed, then open in the list":      {first: agent(object{"is_published": false}), last: unread},
		"another workspace":                  {first: agent(nil), last: object{"workspace": audittest.Workspace(object{"id": "ws_2"})}},
		"closed, changed, then opened":       {first: agent(object{"is_published": false}), between: agent(object{"is_published": false, "definition_hash": audittest.Hash(1)}), last: agent(nil)},
		"accepted workspace, then another":   {first: agent(object{"workspace_ref": "ws_2"}), last: agent(object{"workspace_ref": "ws_3"})},
		"slug of another workspace":          {first: workspace(object{"slug": "bicycles"}), last: workspace(object{"slug": "ws_2"})},
		"none, then empty rules, then rules": {first: agent(object{"share_rules_json": nil}), between: agent(object{"share_rules_json": "{ }"}), last: agent(object{"share_rules_json": `{"a":1}`})},
		"secret":                             {first: agent(object{"security_json": `{"password":"a"}`}), last: agent(object{"security_json": `{"password":"A"}`})},
		"second account with an equal address": {first: members(audittest.Member("ADMIN", "Ann", "ann@x.example")),
			last: members(audittest.Member("ADMIN", "Ann", "ann@x.example"), audittest.Member("ADMIN", "Eve", "ANN@x.example"))},
		"second member without an address": {first: members(audittest.Member("ADMIN", "Desk", nil)),
			last: members(audittest.Member("ADMIN", "Desk", nil), audittest.Member("ADMIN", "Desk", ""))},
		"member without a name or an address": {first: members(), last: members(audittest.Member("ADMIN", nil, nil))},
		// 50 are shown, and the number of the others.
		"300 agents at once":  {first: many("a.example"), last: many("b.example"), keys: 51},
		"IDs that look alike": {first: object{"agents": object{}}, last: object{"agents": object{"agt_a": audittest.Agent(nil), "agt_\u0430": audittest.Agent(nil)}}, keys: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := begin(t, test.first)
			if test.between != nil {
				for _, key := range d.audit(test.between) {
					d.stored.Accepted[key] = "Approved."
				}
				d.passes(test.between)
			}
			keys := d.audit(test.last)
			if len(keys) != max(1, test.keys) {
				t.Fatalf("the keys are %v", keys)
			}
			for _, key := range keys {
				if d.stored.Accepted[key] != "" {
					t.Errorf("%s was accepted before", key)
				}
			}
		})
	}
}
