// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package audittest has audits for tests.
package audittest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
)

// Object is a JSON object.
type Object = map[string]any

// List is a JSON array.
type List = []any

//go:embed audit.json
var document []byte

// decode decodes the audit, which is valid JSON, into value.
func decode[T any](value T) T {
	_ = json.Unmarshal(document, &value)
	return value
}

// JSON returns the JSON text of an audit with one agent and three members, of which
// the given values replace some.
func JSON(t testing.TB, changes Object) string {
	t.Helper()
	audit := decode(Object{})
	maps.Copy(audit, changes)
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Workspace is a workspace, of which the given values replace some.
func Workspace(changes Object) Object {
	audit := decode(struct{ Workspace Object }{})
	maps.Copy(audit.Workspace, changes)
	return audit.Workspace
}

// Agent is an agent that was read, of which the given values replace some.
func Agent(changes Object) Object {
	audit := decode(struct{ Agents map[string]Object }{})
	agent := audit.Agents["agt_1"]
	maps.Copy(agent, changes)
	return agent
}

// Member is a member with a role, a name and an email address, which can be nil.
func Member(role, name, email any) Object {
	return Object{"role": role, "user": Object{"name": name, "email": email}}
}

// Hash is a hash of a definition. Different numbers have different hashes.
func Hash(number int) string { return fmt.Sprintf("h1:%08x%056d", number, 0) }

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
