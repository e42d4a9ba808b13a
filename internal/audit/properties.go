// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// property is what a record keeps of the workspace, of each member, or of each agent.
type property struct {
	name   string // of the attribute
	sent   any    // what the service sent: a text, a state, or a list
	kind   valueKind
	label  string // before the value in texts; "" if the kind of change says it all
	change string // kind of change; "" if no change shows the value
	access accessRule
	with   string // name of another property of an agent: if both change, its change shows this value, too
}

// valueKind is what a value is, and so how equal values become equal texts, and how they are shown.
type valueKind int

const (
	plainText valueKind = iota
	nameText            // or an address; stays recorded if it is not sent; stands beside texts, and not in them
	yesOrNo             // stays recorded if it is not sent
	webURL              // with the host in one spelling
	webHost             // likewise
	moment              // in UTC
	textList            // JSON array of sorted texts
	settings            // JSON of a shape that the API does not document
	people              // settings in a list, whose order has no meaning
	foreignID           // of another workspace; "" if it is this one or unknown, which is no change
	digest              // hash of a definition
)

const yes, no = "true", "false"

// accessRule says which changes of a value concern access.
type accessRule int

const (
	never  accessRule = iota
	toYes             // that to yes
	toNo              // that to no
	always            // each one
	grant             // each one, and a new agent with such a value gives somebody access
)

// Names of properties that code asks for.
const (
	nameValue      = "name"
	publishedValue = "is_published"
	sharedValue    = "is_shared"
	workspaceValue = "workspace_ref"
	hashValue      = "definition_hash"
	partsValue     = "definition_parts"
	planValue      = "plan"
	slugValue      = "slug"
)

// table is what a record keeps of an object, in the order in which changes name it. What stands next
// to each other with the same kind of change is one change.
type table []property

func agentTable(a *Agent) table {
	return table{
		{publishedValue, a.IsPublished, yesOrNo, "published", changedState, toYes, ""},
		{"is_archived", a.IsArchived, yesOrNo, "archived", changedState, toNo, ""},
		{"is_locked", a.IsLocked, yesOrNo, "locked", changedState, toNo, ""},
		// The service sets and drops addresses when it publishes.
		{"url", a.URL, webURL, "URL", "agent address", always, publishedValue},
		{"domain", a.Domain, webHost, "domain", "agent address", always, publishedValue},
		{"domain_id", a.DomainID, plainText, "domain ID", "agent address", always, publishedValue},
		{"public_id", a.PublicID, plainText, "public ID", "agent address", always, publishedValue},
		{"published_at", a.PublishedAt, moment, "", "agent publication", never, publishedValue},
		{sharedValue, a.IsShared, yesOrNo, "shared", "agent sharing", grant, ""},
		{"share_rules_json", a.ShareRules, settings, "rules", "agent sharing", grant, ""},
		{"collaborators_json", a.Collaborators, people, "collaborators", "agent collaborators", grant, ""},
		{"security_json", a.Security, settings, "security settings", "agent security settings", always, ""},
		{"external_hosts", a.ExternalHosts, textList, "hosts", "agent external hosts", always, ""},
		{workspaceValue, a.WorkspaceRef, foreignID, "workspace", "agent workspace", always, ""},
		{"credentials_ref", a.CredentialsRef, plainText, "credentials", "agent credentials", grant, ""},
		{nameValue, a.Name, nameText, "name", "agent name", never, hashValue},
		{"labels", a.Labels, textList, "labels", ChangedDefinition, never, ""},
		{"revision", a.Revision, plainText, "revision", changedRevision, never, hashValue},
		{hashValue, a.DefinitionHash, digest, "", ChangedDefinition, never, ""},
		{partsValue, a.DefinitionParts, plainText, "", "", never, ""},
	}
}

func memberTable(m person) table {
	return table{
		{"email", &m.Email, nameText, "", "", always, ""},
		{"roles", m.Roles, textList, "", changedMember, grant, ""},
		{nameValue, &m.Name, nameText, "name", changedMember, never, ""},
	}
}

func workspaceTable(w *api.Workspace) table {
	return table{
		{planValue, w.Plan, plainText, "", "workspace plan", never, ""},
		{"payments_id", w.PaymentsID, plainText, "payments ID", "workspace payments", never, ""},
		{"payments_connect_id", w.PaymentsConnectID, plainText, "connected account", "workspace payments", never, ""},
		{slugValue, w.Slug, plainText, "", "workspace slug", always, ""},
	}
}

// The tables without values.
var (
	ofAgents    = agentTable(&Agent{})
	ofMembers   = memberTable(person{})
	ofWorkspace = workspaceTable(&api.Workspace{})
)

// text returns what was sent as text, and whether something was. A list that is empty is known.
func (v *property) text() (text string, isSent bool) {
	switch sent := v.sent.(type) {
	case *string:
		return api.ValueOf(sent), sent != nil
	case *bool:
		if sent == nil {
			return "", false
		}
		return strconv.FormatBool(*sent), true
	case []string:
		return listOf(sent), true
	case []*string:
		var texts []string
		for _, text := range sent {
			texts = append(texts, api.ValueOf(text))
		}
		return listOf(texts), true
	}
	return "", false
}

// listOf returns a sorted list as JSON, and "" for an empty one.
func listOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	var quoted []string
	for _, text := range texts {
		quoted = append(quoted, jsonvalue.Quote(text))
	}
	slices.Sort(quoted)
	return "[" + strings.Join(quoted, ",") + "]"
}

// values are those of an object's properties by name, in canonical form: a value that is
// unknown, empty, or does not exist has no entry, because services omit all of these.
type values map[string]string

// values returns what was sent.
func (t table) values(earlier values) values {
	all := make(values, len(t))
	for _, v := range t {
		text, _ := v.text()
		if text != earlier[v.name] { // Most texts are equal, and need no parsing.
			text = v.canonical(text)
		}
		if text != "" {
			all[v.name] = text
		}
	}
	return all
}

// keptValues returns what to record of an agent: what was seen, and what was not, as it was. Not to
// know a state is no change of it, but unknown names those that a definition lacks.
func (a *Audit) keptValues(agent *Agent, earlier values) (now values, unknown string) {
	now = agentTable(agent).values(earlier)
	if now[hashValue] == "" {
		if a.ReadsDefinitions() && now[publishedValue] == no {
			// The list can be wrong. But an agent that it says to be published may be open.
			delete(now, publishedValue)
		}
		return union(now, earlier), ""
	}
	for _, v := range ofAgents {
		if now[v.name] != "" || earlier[v.name] == "" {
			continue
		}
		switch v.kind {
		case yesOrNo:
			unknown = joinTexts(unknown, v.label)
			fallthrough
		case nameText:
			now[v.name] = earlier[v.name]
		}
	}
	return now, unknown
}

// isSet reports whether there is a value, or a state is yes.
func (v *property) isSet(value string) bool {
	return value != "" && (v.kind != yesOrNo || value == yes)
}

// changeOf returns the kind of change of the value, or "", and whether it concerns access.
func (v *property) changeOf(old, current values) (what string, isAccess bool) {
	before, now := old[v.name], current[v.name]
	isWith := v.with != "" && old[v.with] != current[v.with]
	switch {
	case before == now, v.kind == foreignID && now == "", isWith && v.label == "":
		return "", false
	case isWith:
		return ofAgents.named(v.with).change, v.access != never && now != ""
	case v.access == toYes, v.access == toNo:
		return v.change, (now == yes) == (v.access == toYes)
	}
	return v.change, v.access != never && (v.isSet(before) || v.isSet(now))
}

// named returns the property with a name.
func (t table) named(name string) *property {
	return &t[slices.IndexFunc(t, func(v property) bool { return v.name == name })]
}

// access returns the values whose changes can concern access.
func (t table) access(all values) values {
	some := values{}
	for _, v := range t {
		if v.access != never && all[v.name] != "" {
			some[v.name] = all[v.name]
		}
	}
	return some
}

// isOpen reports that people without access to the workspace can reach the agent.
func (all values) isOpen() bool { return all[publishedValue] == yes || all[sharedValue] == yes }

// givesAccess reports whether a new object gives somebody access. A draft may not.
func (t table) givesAccess(all values) bool {
	return all[publishedValue] != no ||
		slices.ContainsFunc(t, func(v property) bool { return v.access == grant && v.isSet(all[v.name]) })
}

// describe describes values, of which isSome selects some. It is nil for all.
func (t table) describe(all values, isSome func(*property) bool) string {
	var texts []string
	for _, v := range t {
		if isSome == nil || isSome(&v) {
			texts = append(texts, v.describe(all[v.name]))
		}
	}
	return joinTexts(texts...)
}

// joinTexts joins those texts that are not empty.
func joinTexts(texts ...string) string {
	isEmpty := func(text string) bool { return text == "" }
	return strings.Join(slices.DeleteFunc(texts, isEmpty), ", ")
}
