// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// values are the recorded values of an agent by name, in canonical form: a value that is
// unknown, empty, or does not exist has no entry, because services omit all of these.
type values map[string]string

// Names of recorded values that code asks for. They are the names of attributes, too.
const (
	nameValue       = "name"
	publishedValue  = "is_published"
	publishedAt     = "published_at"
	workspaceValue  = "workspace_ref"
	labelsValue     = "labels"
	revisionValue   = "revision"
	hashValue       = "definition_hash"
	partsValue      = "definition_parts"
	sharedValue     = "is_shared"
	collaborators   = "collaborators_json"
	credentials     = "credentials_ref"
	shareRulesValue = "share_rules_json"
)

// kind is how a value is written in a record.
type kind int

const (
	text     kind = iota
	flag          // yes or no
	list          // JSON array of sorted texts
	settings      // JSON of a shape that the API does not document
)

const yes, no = "true", "false"

// recordedValue is a value of an agent that a record keeps.
type recordedValue struct {
	name      string // of the attribute
	label     string // in texts; "" if the kind of change says it all
	change    string // kind of change; "" if the value belongs to the definition
	kind      kind
	isAccess  func(before, now string) bool // whether a change concerns access; nil if it never does
	canonical func(string) string           // so that equal values are equal texts; nil for unchanged
	of        func(*Agent) any              // *string, *bool, or a slice of texts
}

// recordedValues are all values that a record keeps, in the order in which changes name them.
// What stands next to each other with the same kind of change is one change.
var recordedValues = []recordedValue{
	{publishedValue, "published", changedState, flag, becomes(yes), nil, func(a *Agent) any { return a.IsPublished }},
	{"is_archived", "archived", changedState, flag, becomes(no), nil, func(a *Agent) any { return a.IsArchived }},
	{"is_locked", "locked", changedState, flag, becomes(no), nil, func(a *Agent) any { return a.IsLocked }},
	{"url", "URL", changedAddress, text, always, canonicalURL, func(a *Agent) any { return a.URL }},
	{"domain", "domain", changedAddress, text, always, canonicalHost, func(a *Agent) any { return a.Domain }},
	{"domain_id", "domain ID", changedAddress, text, always, nil, func(a *Agent) any { return a.DomainID }},
	{"public_id", "public ID", changedAddress, text, always, nil, func(a *Agent) any { return a.PublicID }},
	{publishedAt, "", "agent publication", text, nil, canonicalTime, func(a *Agent) any { return a.PublishedAt }},
	{sharedValue, "shared", "agent sharing", flag, isKnownOr(yes), nil, func(a *Agent) any { return a.IsShared }},
	{shareRulesValue, "rules", "agent sharing", settings, always, canonicalSettings, func(a *Agent) any { return a.ShareRules }},
	{collaborators, "collaborators", "agent collaborators", settings, always, canonicalCollaborators, func(a *Agent) any { return a.Collaborators }},
	{"security_json", "security settings", "agent security settings", settings, always, canonicalSettings, func(a *Agent) any { return a.Security }},
	{"external_hosts", "hosts", "agent external hosts", list, always, nil, func(a *Agent) any { return a.ExternalHosts }},
	{workspaceValue, "workspace", "agent workspace", text, always, nil, func(a *Agent) any { return a.WorkspaceRef }},
	{credentials, "credentials", "agent credentials", text, always, nil, func(a *Agent) any { return a.CredentialsRef }},
	{nameValue, "name", "", text, nil, nil, func(a *Agent) any { return a.Name }},
	{labelsValue, "labels", "", list, nil, nil, func(a *Agent) any { return a.Labels }},
	{revisionValue, "revision", "", text, nil, nil, func(a *Agent) any { return a.Revision }},
	{hashValue, "", "", text, nil, nil, func(a *Agent) any { return a.DefinitionHash }},
	{partsValue, "", "", text, nil, nil, func(a *Agent) any { return a.DefinitionParts }},
}

func always(_, _ string) bool { return true }

// becomes reports the change to an open state.
func becomes(open string) func(_, now string) bool {
	return func(_, now string) bool { return now == open }
}

// isKnownOr reports a change of a known value, or the change to an open state.
func isKnownOr(open string) func(before, now string) bool {
	return func(before, now string) bool { return before != "" || now == open }
}

func recordedNamed(name string) *recordedValue {
	i := slices.IndexFunc(recordedValues, func(v recordedValue) bool { return v.name == name })
	return &recordedValues[i]
}

// textOf returns the value of an agent as text, and "" for nil and for an empty list.
func (v *recordedValue) textOf(agent *Agent) string {
	switch value := v.of(agent).(type) {
	case *string:
		return valueOf(value)
	case *bool:
		if value != nil {
			return strconv.FormatBool(*value)
		}
	case []string:
		return listOf(value)
	case []*string:
		return listOf(textsOf(value))
	}
	return ""
}

// listOf returns a sorted list as JSON, and "" for an empty one.
func listOf(elements []string) string {
	if len(elements) == 0 {
		return ""
	}
	text, _ := json.Marshal(slices.Sorted(slices.Values(elements))) // Texts can be marshaled.
	return string(text)
}

// textsOf returns texts, of which nil is "".
func textsOf(pointers []*string) []string {
	texts := make([]string, len(pointers))
	for i, pointer := range pointers {
		texts[i] = valueOf(pointer)
	}
	return texts
}

// elementsOf returns the elements of a list from listOf.
func elementsOf(text string) []string {
	var elements []string
	_ = json.Unmarshal([]byte(text), &elements) // "" has none.
	return elements
}

// newValues returns the values of an agent. The earlier ones are canonical.
func newValues(agent *Agent, earlier values) values {
	all := make(values, len(recordedValues))
	for _, v := range recordedValues {
		text := v.textOf(agent)
		if v.canonical != nil && text != earlier[v.name] { // Most texts are equal, and need no parsing.
			text = v.canonical(text)
		}
		if text != "" {
			all[v.name] = text
		}
	}
	return all
}

// recorded returns what to record of an agent.
func (a *Audit) recorded(agent *Agent, earlier values) values {
	now := newValues(agent, earlier)
	if now[hashValue] == "" {
		if a.readsDefinitions() && now[publishedValue] == no {
			delete(now, publishedValue) // The list can be wrong. But an agent that it says to be published may be open.
		}
		return union(now, earlier)
	}
	for _, v := range recordedValues {
		if now[v.name] == "" && earlier[v.name] != "" && (v.kind == flag || v.name == nameValue) {
			now[v.name] = earlier[v.name] // Not to know a state is no change of it. A finding says so.
		}
	}
	return now
}

// notReturned returns the labels of the states that are recorded, but that the definition lacks.
func (a *Agent) notReturned(recorded values) []string {
	var labels []string
	for _, v := range recordedValues {
		if v.kind == flag && a.DefinitionHash != nil && v.textOf(a) == "" && recorded[v.name] != "" {
			labels = append(labels, v.label)
		}
	}
	return labels
}

// access returns the values whose changes can concern access.
func (all values) access() values {
	access := values{}
	for _, v := range recordedValues {
		if v.isAccess != nil && all[v.name] != "" {
			access[v.name] = all[v.name]
		}
	}
	return access
}

// isOpen reports that people without access to the workspace can reach the agent.
func (all values) isOpen() bool { return all[publishedValue] == yes || all[sharedValue] == yes }

// givesAccess reports whether a new agent gives somebody access.
func (all values) givesAccess() bool {
	return all[publishedValue] != no || all.isOpen() || all[collaborators]+all[credentials]+all[shareRulesValue] != ""
}

// summary describes an agent that is new or gone.
func (all values) summary() string {
	var texts []string
	for _, v := range recordedValues {
		if v.change != changedState && v.label != "" && v.name != nameValue {
			texts = append(texts, v.describe(all[v.name]))
		}
	}
	return joinTexts(append([]string{all.state()}, texts...))
}

// reach describes who can reach the agent where, and what it reaches, by the values that are
// equal before and now.
func reach(before, now values) string {
	var texts []string
	for _, v := range recordedValues {
		if v.isAccess != nil && v.change != changedState && before[v.name] == now[v.name] {
			texts = append(texts, v.describe(now[v.name]))
		}
	}
	return joinTexts(texts)
}

// state describes the state in words.
func (all values) state() string {
	var texts []string
	for _, v := range recordedValues {
		if v.change == changedState && (v.name == publishedValue || all[v.name] != no) {
			texts = append(texts, flagText(v.label, all[v.name]))
		}
	}
	return joinTexts(texts)
}

// describe shows a value with its label, and "" if there is nothing to tell.
func (v *recordedValue) describe(value string) string {
	switch {
	case value == "" || v.kind == flag && value == no:
		return ""
	case v.kind == flag:
		return v.label
	}
	return labeled(v.label, v.shown(value))
}

// shown shows a value.
func (v *recordedValue) shown(value string) string {
	switch v.kind {
	case flag:
		return flagText(v.label, value)
	case list:
		return firstShown(elements("", value))
	case settings:
		return firstShown(settingsIn("", value))
	}
	return shownText(v.name, value)
}

// part shows what differs between two values.
func (v *recordedValue) part(before, now string) part {
	if before == now {
		return part{}
	}
	path := v.label
	if strings.HasSuffix(v.change, v.label) { // The kind of change says it already.
		path = ""
	}
	switch v.kind {
	case flag:
		return part{flagText(v.label, before), flagText(v.label, now)}
	case list:
		return difference(path, elements(path, before), elements(path, now))
	case settings:
		return difference(path, settingsIn(path, before), settingsIn(path, now))
	}
	return part{labeled(path, shownText(v.name, before)), labeled(path, shownText(v.name, now))}
}

func flagText(name, value string) string {
	switch value {
	case yes:
		return name
	case no:
		return "not " + name
	}
	return name + " " + Unknown
}

func joinTexts(texts []string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ", ")
}
