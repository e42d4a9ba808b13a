// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// values are those of an agent's properties by name, in canonical form: a value that is
// unknown, empty, or does not exist has no entry, because services omit all of these.
type values map[string]string

// Names of properties that code asks for.
const (
	nameValue       = "name"
	publishedValue  = "is_published"
	publishedAt     = "published_at"
	workspaceValue  = "workspace_ref"
	revisionValue   = "revision"
	hashValue       = "definition_hash"
	partsValue      = "definition_parts"
	sharedValue     = "is_shared"
	collaborators   = "collaborators_json"
	credentials     = "credentials_ref"
	shareRulesValue = "share_rules_json"
)

// kind is how a value is written in a record, and how equal values become equal texts.
type kind int

const (
	text     kind = iota
	webURL        // with the host in one spelling
	webHost       // like one in a URL
	moment        // in UTC
	flag          // yes or no
	list          // JSON array of sorted texts
	settings      // JSON of a shape that the API does not document
)

const yes, no = "true", "false"

// property is what a record keeps of each agent.
type property struct {
	name   string // of the attribute of Agent
	kind   kind
	label  string // in texts; "" if the kind of change says it all
	change string // kind of change; "" if the value belongs to the definition
	opens  string // the flag that gives access; "" if each change concerns access
}

// properties are all that a record keeps, in the order in which changes name them.
// What stands next to each other with the same kind of change is one change.
var properties = []property{
	{publishedValue, flag, "published", changedState, yes},
	{"is_archived", flag, "archived", changedState, no},
	{"is_locked", flag, "locked", changedState, no},
	{"url", webURL, "URL", changedAddress, ""},
	{"domain", webHost, "domain", changedAddress, ""},
	{"domain_id", text, "domain ID", changedAddress, ""},
	{"public_id", text, "public ID", changedAddress, ""},
	{publishedAt, moment, "", "agent publication", ""},
	{sharedValue, flag, "shared", "agent sharing", ""},
	{shareRulesValue, settings, "rules", "agent sharing", ""},
	{collaborators, settings, "collaborators", "agent collaborators", ""},
	{"security_json", settings, "security settings", "agent security settings", ""},
	{"external_hosts", list, "hosts", "agent external hosts", ""},
	{workspaceValue, text, "workspace", "agent workspace", ""},
	{credentials, text, "credentials", "agent credentials", ""},
	{nameValue, text, "name", "", ""},
	{"labels", list, "labels", "", ""},
	{revisionValue, text, "revision", "", ""},
	{hashValue, text, "", "", ""},
	{partsValue, text, "", "", ""},
}

func propertyNamed(name string) *property {
	i := slices.IndexFunc(properties, func(v property) bool { return v.name == name })
	return &properties[i]
}

// fields are those of Agent, by the names of their attributes.
var fields = func() map[string]reflect.StructField {
	byName := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Agent]()) {
		if !field.Anonymous {
			byName[field.Tag.Get("tfsdk")] = field
		}
	}
	return byName
}()

// of returns the attribute of an agent.
func (v *property) of(agent *Agent) reflect.Value {
	return reflect.ValueOf(agent).Elem().FieldByIndex(fields[v.name].Index)
}

// textOf returns the value of an agent as text, and "" for nil and for an empty list.
func (v *property) textOf(agent *Agent) string {
	switch value := v.of(agent).Interface().(type) {
	case *string:
		return api.ValueOf(value)
	case *bool:
		if value != nil {
			return strconv.FormatBool(*value)
		}
	case []string:
		return listOf(value)
	case []*string:
		var texts []string
		for _, pointer := range value {
			texts = append(texts, api.ValueOf(pointer))
		}
		return listOf(texts)
	}
	return ""
}

// canonicalOf returns the value of an agent in canonical form, as the earlier one is.
func (v *property) canonicalOf(agent *Agent, earlier string) string {
	text := v.textOf(agent)
	if text == earlier { // Most texts are equal, and need no parsing.
		return text
	}
	switch v.kind {
	case webURL:
		return canonicalURL(text)
	case webHost:
		return canonicalHost(text)
	case moment:
		return canonicalTime(text)
	case settings:
		path := ""
		if v.name == collaborators { // Their order has no meaning.
			path = collaborators
		}
		return canonicalSettings(path, text)
	}
	return text
}

// listOf returns a sorted list as JSON, and "" for an empty one.
func listOf(elements []string) string {
	if len(elements) == 0 {
		return ""
	}
	text, _ := json.Marshal(slices.Sorted(slices.Values(elements))) // Texts can be marshaled.
	return string(text)
}

// seenValues returns what an audit saw of an agent.
func seenValues(agent *Agent, earlier values) values {
	all := make(values, len(properties))
	for _, v := range properties {
		if text := v.canonicalOf(agent, earlier[v.name]); text != "" {
			all[v.name] = text
		}
	}
	return all
}

// keptValues returns what to record of an agent: what was seen, and what was not, as it was.
func (a *Audit) keptValues(agent *Agent, earlier values) values {
	now := seenValues(agent, earlier)
	if now[hashValue] == "" {
		if a.ReadsDefinitions() && now[publishedValue] == no {
			// The list can be wrong. But an agent that it says to be published may be open.
			delete(now, publishedValue)
		}
		return union(now, earlier)
	}
	for _, v := range properties {
		isKept := v.kind == flag || v.name == nameValue
		if isKept && now[v.name] == "" && earlier[v.name] != "" {
			now[v.name] = earlier[v.name] // Not to know a state is no change of it. A finding says so.
		}
	}
	return now
}

// notReturned returns the labels of the states that are recorded, but that the definition lacks.
func (a *Agent) notReturned(recorded values) []string {
	var labels []string
	for _, v := range properties {
		if v.kind == flag && v.textOf(a) == "" && recorded[v.name] != "" {
			labels = append(labels, v.label)
		}
	}
	return labels
}

// concernsAccess reports whether some changes of the value concern access.
func (v *property) concernsAccess() bool { return v.change != "" && v.name != publishedAt }

// changeOf returns the kind of change of the value, or "", and whether it concerns access.
func (v *property) changeOf(old, current values) (what string, isAccess bool) {
	before, now := old[v.name], current[v.name]
	isPublication := old[publishedValue] != current[publishedValue]
	switch {
	case before == now,
		isPublication && v.name == publishedAt,
		v.name == workspaceValue && now == "": // It is the audited workspace, or unknown.
		return "", false
	case isPublication && v.change == changedAddress: // The service sets it, or drops it.
		return changedState, now != ""
	case v.name == sharedValue && before == "": // Sharing was unknown before.
		return v.change, now == yes
	}
	return v.change, v.concernsAccess() && (v.opens == "" || v.opens == now)
}

// access returns the values whose changes can concern access.
func (all values) access() values {
	access := values{}
	for _, v := range properties {
		if v.concernsAccess() && all[v.name] != "" {
			access[v.name] = all[v.name]
		}
	}
	return access
}

// isOpen reports that people without access to the workspace can reach the agent.
func (all values) isOpen() bool { return all[publishedValue] == yes || all[sharedValue] == yes }

// givesAccess reports whether a new agent gives somebody access.
func (all values) givesAccess() bool {
	return all[publishedValue] != no || all.isOpen() ||
		all[collaborators]+all[credentials]+all[shareRulesValue] != ""
}

// summary describes an agent that is new or gone.
func (all values) summary() string {
	return all.describe(func(v *property) bool { return v.name != nameValue })
}

// describe describes some values.
func (all values) describe(isSome func(*property) bool) string {
	var texts []string
	for _, v := range properties {
		if v.label != "" && isSome(&v) {
			texts = append(texts, v.describe(all[v.name]))
		}
	}
	return joinTexts(texts...)
}

// describe shows a value with its label, and "" if there is nothing to tell.
func (v *property) describe(value string) string {
	switch {
	case v.name == publishedValue, v.change == changedState && value != no:
		return v.shown(value)
	case value == "", value == no:
		return ""
	case v.kind == flag:
		return v.label
	}
	return labeled(v.label, v.shown(value))
}

// shown shows a value.
func (v *property) shown(value string) string {
	switch {
	case v.kind == webURL:
		return shownURL(value)
	case v.kind == list, v.kind == settings:
		return firstShown("", v.elements("", value))
	case v.kind != flag:
		return value
	case value == yes:
		return v.label
	case value == no:
		return "not " + v.label
	}
	return v.label + " " + Unknown
}

// part shows what differs between two values.
func (v *property) part(before, now string) part {
	if before == now {
		return part{}
	}
	path := v.label
	if v.kind == flag || strings.HasSuffix(v.change, v.label) { // The text or the kind of change says it.
		path = ""
	}
	if v.kind == list || v.kind == settings {
		return difference(path, v.elements(path, before), v.elements(path, now))
	}
	return part{labeled(path, v.shown(before)), labeled(path, v.shown(now))}
}

// elements are those of a list, or the values in settings.
func (v *property) elements(path, value string) []element {
	leaf := shownLeaf
	if v.kind == list {
		leaf = func(_ string, v *jsonvalue.Value) string { return v.JSON() }
	}
	return elementsIn(path, value, leaf)
}

// joinTexts joins those texts that are not empty.
func joinTexts(texts ...string) string {
	isEmpty := func(text string) bool { return text == "" }
	return strings.Join(slices.DeleteFunc(texts, isEmpty), ", ")
}
