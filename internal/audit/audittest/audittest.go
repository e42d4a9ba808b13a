// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package audittest has audits for tests.
package audittest

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
)

// Object is a JSON object.
type Object = map[string]any

// List is a JSON array.
type List = []any

// JSON returns the JSON text of an audit with one agent and three members, of which
// the given values replace some.
func JSON(t testing.TB, changes Object) string {
	t.Helper()
	audit := Object{
		"read_at": "2026-02-01T10:00:00.5Z", "stats_periods": List{"last30Days"},
		"workspace":      Workspace(nil),
		"members":        List{Member("ADMIN", "Ann", "ann@example.com"), Member("GUEST", "Desk", nil), Member("GUEST", "Bob", "bob@example.com")},
		"emails_by_role": Object{"ADMIN": List{"ann@example.com"}, "GUEST": List{"", "bob@example.com"}},
		"agents":         Object{"agt_1": Agent(Object{})},
	}
	maps.Copy(audit, changes)
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Workspace is a workspace, of which the given values replace some.
func Workspace(changes Object) Object {
	workspace := Object{
		"id": "ws_1", "slug": "bicycles", "name": "Bicycles", "plan": "PRO",
		"is_quarantined": false, "is_suspended": false, "is_past_due": false,
	}
	maps.Copy(workspace, changes)
	return workspace
}

// Member is a member with a role, a name and an email address, which can be nil.
func Member(role, name, email any) Object {
	return Object{"role": role, "user": Object{"name": name, "email": email}}
}

// Hash is a hash of a definition. Different numbers have different hashes.
func Hash(number int) string { return fmt.Sprintf("h1:%08x%056d", number, 0) }

// Agent is an agent that was read, of which the given values replace some.
func Agent(changes Object) Object {
	agent := Object{
		"name": "Orders", "is_published": true, "is_archived": false, "is_locked": true, "revision": "8", "labels": List{"b", "a"},
		"published_at": "2026-01-01", "url": "https://a.example/orders", "public_id": "orders", "domain": "", "domain_id": "dom_1",
		"is_shared": false, "share_rules_json": "{}", "collaborators_json": `[{"userId":"u1"}]`, "security_json": `{"origins":["a.example"]}`,
		"credentials_ref": "cred_1", "external_hosts": List{"api.example"},
		"workspace_ref": "ws_1", "definition_hash": Hash(0), "definition_parts": `{"parts":{"links":"a","nodes":"b"},"nodes":{"n1":{"title":"Greeting","hash":"c"}}}`,
		"stats": Object{"last30Days": Object{"total_starts": 4, "total_completed": 1, "completion_percent": 25}},
	}
	maps.Copy(agent, changes)
	return agent
}

// UnreadAgent is an agent of which only the list was read.
func UnreadAgent(published any) Object {
	return Object{
		"name":           "Orders",
		"is_published":   published,
		"url":            "https://a.example/orders",
		"labels":         List{},
		"external_hosts": List{},
	}
}
