// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxHash is the maximum number of characters of a hash in a change.
const maxHash = 12

// Change is a difference between two records. Before and After are nil for what
// did not exist.
type Change struct {
	What   string  `tfsdk:"what"`
	ID     string  `tfsdk:"id"`
	Name   string  `tfsdk:"name"`
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
}

// Comparison is the record of an audit and its differences from an earlier one.
type Comparison struct {
	// Record is JSON text for the next comparison.
	Record string `tfsdk:"record"`
	// Changes are nil if there is no earlier record of the workspace.
	Changes []Change `tfsdk:"changes"`
}

// Compare compares an audit with the record of an earlier audit, which is nil if there
// is none. It returns ErrRecord if it is not a record.
func Compare(a *Audit, earlierRecord *string) (*Comparison, error) {
	earlier := &record{}
	if earlierRecord != nil {
		var err error
		if earlier, err = parseRecord(*earlierRecord); err != nil {
			return nil, err
		}
	}
	if a.Workspace.ID != "" && earlier.WorkspaceID != "" && a.Workspace.ID != earlier.WorkspaceID {
		earlier, earlierRecord = &record{}, nil // The record is of another workspace.
	}
	current := newRecord(a, earlier)
	encoded, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	comparison := &Comparison{Record: string(encoded)}
	if earlierRecord != nil {
		comparison.Changes = changes(earlier, current, a.Workspace.Name)
	}
	return comparison, nil
}

// changeList is the result of a comparison. What was unknown has not changed.
type changeList []Change

// part is a value of an object before and now. Its label is empty if the value
// needs none.
type part struct{ label, before, after string }

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
	list.add(changedPlan, after.WorkspaceID, workspaceName, part{"", valueOf(cmp.Or(before.Plan, after.Plan)), valueOf(after.Plan)})
	list.addMembers(before.membersByKey(), after.membersByKey())
	for _, id := range slices.Sorted(maps.Keys(union(before.Agents, after.Agents))) {
		old, existed := before.Agents[id]
		current, exists := after.Agents[id]
		switch {
		case !existed:
			list = append(list, Change{changedAgent, id, current.Name, nil, new(current.summary())})
		case !exists:
			list = append(list, Change{changedAgent, id, old.Name, new(old.summary()), nil})
		default:
			list.addAgent(id, old.completedBy(current), current)
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
			*c = append(*c, Change{ChangedMember, key[0], name, nil, new(current.rolesText())})
		case !exists:
			*c = append(*c, Change{ChangedMember, key[0], name, new(old.rolesText()), nil})
		case len(old.Roles) > 0 && len(current.Roles) > 0:
			c.add(ChangedMember, key[0], name, part{"", old.rolesText(), current.rolesText()})
		}
	}
}

func (c *changeList) addAgent(id string, old, current RecordedAgent) {
	countBefore, name := len(*c), current.Name
	state := part{"", old.State(), current.State()}
	address := []part{
		{"URL", valueOf(old.URL), valueOf(current.URL)},
		{"domain", valueOf(old.Domain), valueOf(current.Domain)},
		{"public ID", valueOf(old.PublicID), valueOf(current.PublicID)},
	}
	if valueOf(old.IsPublished) == valueOf(current.IsPublished) {
		c.add(changedAddress, id, name, address...)
		c.add(changedState, id, name, state)
		c.add(changedPublication, id, name, part{"", valueOf(old.PublishedAt), valueOf(current.PublishedAt)})
	} else { // The service sets the time, and possibly the address, when someone publishes the agent.
		c.add(changedState, id, name, append([]part{state}, address...)...)
	}
	c.add(changedSharing, id, name, part{"", old.sharing(), current.sharing()}, part{"rules", valueOf(old.ShareRules), valueOf(current.ShareRules)})
	c.add(changedCollaborators, id, name, part{"", valueOf(old.Collaborators), valueOf(current.Collaborators)})
	c.add(changedSecurity, id, name, part{"", valueOf(old.Security), valueOf(current.Security)})

	// The hash covers the name and the labels. If the definition was not read, the name is
	// still known from the list of agents.
	title, revision := part{"name", old.Name, current.Name}, part{"revision", valueOf(old.Revision), valueOf(current.Revision)}
	if before, after := valueOf(old.DefinitionHash), valueOf(current.DefinitionHash); before != after {
		labels := part{"labels", listText(old.Labels), listText(current.Labels)}
		c.add(ChangedDefinition, id, name, title, labels, revision, part{"hash", oneline.Text(before, maxHash), oneline.Text(after, maxHash)})
		return
	}
	c.add(changedName, id, name, title)
	if len(*c) == countBefore { // Otherwise, the revision repeats another change.
		c.add(changedRevision, id, name, revision)
	}
}

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
