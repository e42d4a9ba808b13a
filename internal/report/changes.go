// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxHash is the maximum number of characters of a hash in a change.
const maxHash = 12

// part is a value of an object before and now. Its label is empty if the value
// needs none.
type part struct{ label, before, after string }

// changeList is the result of a comparison. What was unknown has not changed.
type changeList []Change

// add adds one change for those parts of an object that differ.
func (c *changeList) add(what, id, name string, parts ...part) {
	var before, after []string
	for _, p := range parts {
		if p.before != p.after {
			before, after = append(before, labeled(p.label, p.before)), append(after, labeled(p.label, p.after))
		}
	}
	if len(before) > 0 {
		*c = append(*c, Change{what, id, name, new(strings.Join(before, ", ")), new(strings.Join(after, ", "))})
	}
}

func labeled(label, text string) string {
	switch {
	case label == "":
		return cmp.Or(text, "none")
	case text == "":
		return "no " + label
	}
	return label + " " + text
}

// changes returns the differences between two records: those of the workspace,
// of members and of agents, each sorted by ID. Each edit is one change.
func changes(before, after *record, workspaceName string) []Change {
	list := changeList{}
	list.add("workspace plan", value(after.WorkspaceID), workspaceName, part{"", value(cmp.Or(before.Plan, after.Plan)), value(after.Plan)})
	list.addMembers(before.membersByKey(), after.membersByKey())
	for _, id := range slices.Sorted(maps.Keys(union(before.Agents, after.Agents))) {
		old, existed := before.Agents[id]
		current, exists := after.Agents[id]
		switch {
		case !existed:
			list = append(list, Change{"agent", id, current.Name, nil, new(current.summary())})
		case !exists:
			list = append(list, Change{"agent", id, old.Name, new(old.summary()), nil})
		default:
			list.addAgent(id, old.or(current), current)
		}
	}
	return list
}

func (c *changeList) addMembers(before, after map[[2]string]recordedMember) {
	byKey := func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(union(before, after)), byKey) {
		old, existed := before[key]
		current, exists := after[key]
		name := cmp.Or(current.Name, old.Name)
		switch {
		case !existed:
			*c = append(*c, Change{"member", key[0], name, nil, new(current.rolesText())})
		case !exists:
			*c = append(*c, Change{"member", key[0], name, new(old.rolesText()), nil})
		case len(old.Roles) > 0 && len(current.Roles) > 0:
			c.add("member", key[0], name, part{"", old.rolesText(), current.rolesText()})
		}
	}
}

func (c *changeList) addAgent(id string, old, current recordedAgent) {
	first, name := len(*c), current.Name
	state := part{"", old.state(), current.state()}
	address := []part{
		{"URL", value(old.URL), value(current.URL)},
		{"domain", value(old.Domain), value(current.Domain)},
		{"public ID", value(old.PublicID), value(current.PublicID)},
	}
	if value(old.IsPublished) == value(current.IsPublished) {
		c.add("agent address", id, name, address...)
		c.add("agent state", id, name, state)
		c.add("agent publication", id, name, part{"", value(old.PublishedAt), value(current.PublishedAt)})
	} else { // The service sets the time, and possibly the address, when someone publishes the agent.
		c.add("agent state", id, name, append([]part{state}, address...)...)
	}
	c.add("agent sharing", id, name, part{"", old.sharing(), current.sharing()}, part{"rules", value(old.ShareRules), value(current.ShareRules)})
	c.add("agent collaborators", id, name, part{"", value(old.Collaborators), value(current.Collaborators)})
	c.add("agent security settings", id, name, part{"", value(old.Security), value(current.Security)})

	// The hash covers the name and the labels. If the definition was not read, the name is
	// still known from the list of agents.
	title, revision := part{"name", old.Name, current.Name}, part{"revision", value(old.Revision), value(current.Revision)}
	if before, after := value(old.DefinitionHash), value(current.DefinitionHash); before != after {
		labels := part{"labels", listText(old.Labels), listText(current.Labels)}
		c.add("agent definition", id, name, title, labels, revision, part{"hash", oneline.Text(before, maxHash), oneline.Text(after, maxHash)})
		return
	}
	c.add("agent name", id, name, title)
	if len(*c) == first { // Otherwise, the revision repeats another change.
		c.add("agent revision", id, name, revision)
	}
}

// state describes the state in words.
func (a recordedAgent) state() string {
	var states []string
	if value(a.IsPublished) {
		states = append(states, "published")
	}
	if value(a.IsArchived) {
		states = append(states, "archived")
	}
	if value(a.IsLocked) {
		states = append(states, "locked")
	}
	if len(states) == 0 && a.IsPublished != nil {
		states = append(states, "not published")
	}
	switch {
	case len(states) == 0:
		return unknown
	case !a.hasState():
		states = append(states, "otherwise "+unknown)
	}
	return strings.Join(states, ", ")
}

// hasState reports whether the whole state is known.
func (a recordedAgent) hasState() bool {
	return a.IsPublished != nil && a.IsArchived != nil && a.IsLocked != nil
}

func (a recordedAgent) sharing() string {
	if value(a.IsShared) {
		return "shared"
	}
	return "not shared"
}

// summary describes an agent that is new or gone.
func (a recordedAgent) summary() string {
	parts := []string{a.state()}
	for _, text := range []string{value(a.URL), value(a.Domain)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if value(a.IsShared) {
		parts = append(parts, a.sharing())
	}
	if a.Revision != nil {
		parts = append(parts, "revision "+*a.Revision)
	}
	if len(a.Labels) > 0 {
		parts = append(parts, "labels "+listText(a.Labels))
	}
	return strings.Join(parts, ", ")
}

func (m recordedMember) rolesText() string { return cmp.Or(listText(m.Roles), unknown) }

// listText joins texts so that different lists are different texts.
func listText(texts []string) string {
	quoted := slices.Clone(texts)
	for i, text := range quoted {
		if text == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, `,"`) {
			quoted[i] = strconv.Quote(text)
		}
	}
	return strings.Join(quoted, ", ")
}

// union has the keys of both maps.
func union[K comparable, V any](before, after map[K]V) map[K]V {
	all := maps.Clone(after)
	maps.Copy(all, before)
	return all
}
