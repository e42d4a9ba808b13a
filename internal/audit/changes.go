// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxParts is the maximum number of parts and nodes that a change names.
	maxParts = 20
	// maxName and maxValue are the maximum numbers of characters of a name and a value.
	maxName, maxValue = 200, 2000
)

// Change is a difference between two records. Before and After are nil for what
// did not exist.
type Change struct {
	What   string  `tfsdk:"what"`
	ID     string  `tfsdk:"id"`
	Name   string  `tfsdk:"name"`
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
	// IsAccess reports that the change concerns who can reach what.
	IsAccess bool `tfsdk:"is_access"`
	// At is the time when the audit began that found the change.
	At string `tfsdk:"at"`
	// Key accepts all changes of access of the object in this audit. It is nil for others.
	Key *string `tfsdk:"key"`
	// Reason is why the change was accepted, or nil.
	Reason *string `tfsdk:"reason"`
}

// fingerprint tells a value from all others. A key with the fingerprint of a change is
// used once: it contains when the earlier record was made, and everything about access
// that is recorded of the object.
func fingerprint(values ...any) string {
	text, _ := json.Marshal(values) // These can be marshaled.
	sum := sha256.Sum256(text)
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15])) // With less, one could find two changes with the same fingerprint.
}

// comparison is what differs between two records.
type comparison struct {
	since   string // when the earlier record was made
	changes []Change
}

// compare returns the record of an audit, and the changes since an earlier record. If that
// is "", the only change is that the record begins.
func compare(a *Audit, earlierRecord string) (*record, []Change, error) {
	earlier, earlierDocument := &record{}, []byte(nil)
	if earlierRecord != "" {
		var err error
		if earlierDocument, err = unpack(earlierRecord); err != nil {
			return nil, nil, err
		}
		if earlier, err = parseRecord(earlierDocument); err != nil {
			return nil, nil, err
		}
		earlier.text = earlierRecord
	}
	if earlier.RecordedAt != "" && earlier.RecordedAt == valueOf(a.ReadAt) { // It is the record of this audit.
		return earlier, nil, nil
	}
	id, name := valueOf(a.Workspace.ID), valueOf(a.Workspace.Name)
	isFirst := earlier.Version == 0
	isOther := !isFirst && id != "" && earlier.WorkspaceID != "" && id != earlier.WorkspaceID
	c := &comparison{since: earlier.RecordedAt}
	base := earlier
	if isOther {
		base = &record{}
	}
	current := newRecord(a, base)
	if !isFirst {
		if document, err := json.Marshal(current); err != nil || bytes.Equal(document, earlierDocument) {
			current.text = earlierRecord
			return current, nil, err
		}
	}
	current.RecordedAt = valueOf(a.ReadAt)
	document, err := json.Marshal(current)
	if err != nil {
		return nil, nil, err
	}
	current.text = pack(document)
	if isFirst || isOther {
		change, rule := Change{What: "record", ID: id, Name: name, After: new(current.describe()), IsAccess: true}, ruleFirstRecord
		if isOther {
			change.What, change.Before, rule = "recorded workspace", new(earlier.describe()), ruleOtherWorkspace
		}
		access := map[string]RecordedAgent{}
		for id, agent := range current.Agents {
			access[id] = agent.access()
		}
		c.changes = []Change{change}
		c.setKeys(0, rule, cmp.Or(id, Unknown), current.Slug, current.Members, access)
	} else {
		c.compare(a, earlier, current)
	}
	for i := range c.changes {
		change := &c.changes[i]
		for _, text := range []*string{change.Before, change.After} {
			if text != nil {
				*text = oneline.Distinct(*text, maxValue)
			}
		}
		change.At = valueOf(a.ReadAt)
		if change.ID == "" {
			change.Name = oneline.Distinct(change.Name, maxName) // It identifies the object.
		}
		change.ID, change.Name = oneline.Distinct(change.ID, maxName), oneline.Text(change.Name, 2*maxName)
	}
	return current, c.changes, nil
}

// setKeys sets the key of the changes of access of an object, which are the last ones
// since a position. The values are everything about access that is recorded of it now.
func (c *comparison) setKeys(first int, rule, id string, values ...any) {
	key := ""
	for i := range c.changes[first:] {
		if change := &c.changes[first+i]; change.IsAccess {
			key = cmp.Or(key, keyOf(rule, id)+"/"+fingerprint(rule, id, c.since, values))
			change.Key = &key
		}
	}
}

// describe says of what a record is, and how much it has.
func (r *record) describe() string {
	return fmt.Sprintf("workspace %s with %d agents and %d members", cmp.Or(r.WorkspaceID, Unknown), len(r.Agents), len(r.Members))
}

// compare adds the differences between two records: those of the workspace, of members
// and of agents, each sorted by ID. Each edit is one change.
func (c *comparison) compare(a *Audit, earlier, current *record) {
	c.add(Change{What: "workspace plan", ID: current.WorkspaceID, Name: valueOf(a.Workspace.Name)},
		valuePart("", valueOf(cmp.Or(earlier.Plan, current.Plan)), valueOf(current.Plan)))
	if earlier.Version > 1 {
		first := len(c.changes)
		c.add(Change{What: "workspace slug", ID: current.WorkspaceID, Name: valueOf(a.Workspace.Name), IsAccess: true},
			valuePart("", valueOf(earlier.Slug), valueOf(current.Slug)))
		c.setKeys(first, ruleAccessChanged, current.WorkspaceID, current.Slug)
	}
	c.compareMembers(earlier.membersByKey(), current.membersByKey())
	for _, id := range slices.Sorted(maps.Keys(union(earlier.Agents, current.Agents))) {
		first := len(c.changes)
		old, wasListed := earlier.Agents[id]
		agent, isListed := current.Agents[id]
		if !isListed {
			c.changes = append(c.changes, Change{What: changedAgent, ID: id, Name: valueOf(old.Name), Before: new(old.summary())})
			continue
		}
		isKnown := wasListed
		if !wasListed {
			listed := agent // If the definition was not read, the list can be wrong, so the agent may be open.
			listed.IsPublished = cmp.Or(agent.IsPublished, a.Agents[id].IsPublished)
			c.changes = append(c.changes, Change{What: changedAgent, ID: id, Name: valueOf(agent.Name), After: new(listed.summary()),
				IsAccess: agent.IsPublished == nil || agent.IsOpen() || cmp.Or(agent.Collaborators, agent.CredentialsRef, agent.ShareRules) != nil ||
					len(earlier.Gone) >= maxGone}) // It may have been recorded.
			old, isKnown = earlier.Gone[id]
		}
		switch {
		case !isKnown:
		case old.DefinitionHash == nil && agent.DefinitionHash != nil: // Nothing could be compared until now.
			if wasListed {
				c.changes = append(c.changes, Change{What: "agent read for the first time", ID: id, Name: valueOf(agent.Name), Before: new("not read"), After: new(agent.summary()), IsAccess: true})
			}
		default:
			c.compareAgent(id, old.upgraded(agent), agent)
		}
		c.setKeys(first, ruleAccessChanged, id, agent.access())
	}
}

func (c *comparison) compareMembers(earlier, current map[[2]string]recordedMember) {
	byKey := func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(union(earlier, current)), byKey) {
		old, existed := earlier[key]
		member, exists := current[key]
		first := len(c.changes)
		change := Change{What: changedMember, ID: cmp.Or(member.Email, old.Email), Name: cmp.Or(member.Name, old.Name), IsAccess: true}
		switch {
		case !existed:
			change.After = new(listText(member.roles()))
			c.changes = append(c.changes, change)
		case !exists:
			change.Before = new(listText(old.roles()))
			c.changes = append(c.changes, change)
		default:
			c.add(change, listPart(values("", old.roles()), values("", member.roles())))
			change.IsAccess = false
			c.add(change, valuePart("name", old.Name, member.Name))
		}
		c.setKeys(first, ruleAccessChanged, cmp.Or(key[0], key[1]), key, member.Roles)
	}
}

func (c *comparison) compareAgent(id string, old, current RecordedAgent) {
	countBefore := len(c.changes)
	other := func(what string) Change { return Change{What: what, ID: id, Name: valueOf(current.Name)} }
	access := func(what string) Change {
		return Change{What: what, ID: id, Name: valueOf(current.Name), IsAccess: true}
	}
	state := []part{
		valuePart("", flagText(old.IsPublished, "published"), flagText(current.IsPublished, "published")),
		valuePart("", flagText(old.IsArchived, "archived"), flagText(current.IsArchived, "archived")),
		valuePart("", flagText(old.IsLocked, "locked"), flagText(current.IsLocked, "locked")),
	}
	var address []part
	isNewAddress, oldAddress := false, old.address()
	for i, now := range current.address() {
		before := oldAddress[i][1]
		address = append(address, valuePart(now[0], before, now[1]))
		isNewAddress = isNewAddress || now[1] != "" && now[1] != before
	}
	stateChange := other(changedState)
	stateChange.IsAccess = opens(old.IsPublished, current.IsPublished, true) ||
		opens(old.IsArchived, current.IsArchived, false) || opens(old.IsLocked, current.IsLocked, false)
	if valueOf(old.IsPublished) == valueOf(current.IsPublished) {
		c.add(access("agent address"), address...)
		c.add(stateChange, state...)
		c.add(other("agent publication"), valuePart("", valueOf(old.PublishedAt), valueOf(current.PublishedAt)))
	} else { // The service sets the time, and possibly the address, when someone publishes the agent.
		stateChange.IsAccess = stateChange.IsAccess || isNewAddress
		c.add(stateChange, append(state, address...)...)
	}
	sharing := access("agent sharing")
	sharing.IsAccess = old.IsShared != nil || valueOf(current.IsShared) || current.ShareRules != nil
	c.add(sharing, valuePart("", old.Sharing(), current.Sharing()), settingsPart("rules", old.ShareRules, current.ShareRules))
	c.add(access("agent collaborators"), settingsPart("", old.Collaborators, current.Collaborators))
	c.add(access("agent security settings"), settingsPart("", old.Security, current.Security))
	c.add(access("agent external hosts"), listPart(values("", old.ExternalHosts), values("", current.ExternalHosts)))
	if current.WorkspaceRef != nil { // Otherwise, it is the audited workspace, or unknown.
		c.add(access("agent workspace"), valuePart("", valueOf(old.WorkspaceRef), *current.WorkspaceRef))
	}
	c.add(access("agent credentials"), valuePart("", valueOf(old.CredentialsRef), valueOf(current.CredentialsRef)))
	if !old.IsOpen() && current.IsOpen() { // Nobody had to accept this when it was recorded of a closed agent.
		if i := slices.IndexFunc(c.changes[countBefore:], func(c Change) bool { return c.IsAccess }); i >= 0 {
			opened := &c.changes[countBefore+i]
			opened.After = new(*opened.After + "; " + cmp.Or(current.reach(), "no address"))
		}
	}

	// The hash covers the name and the labels. If the definition was not read, the name is
	// still known from the list of agents.
	title, revision := valuePart("name", valueOf(old.Name), valueOf(current.Name)), valuePart("revision", valueOf(old.Revision), valueOf(current.Revision))
	if before, after := old.hash(), current.hash(); before != after {
		edit := other(ChangedDefinition)
		parts := definition.Difference(valueOf(old.DefinitionParts), valueOf(current.DefinitionParts))
		if slices.Equal(parts, []string{definition.Layout}) {
			edit.What = "agent layout"
		}
		edited := part{after: "changed"}
		if len(parts) > 0 {
			edited.after += ": " + joined(parts)
		}
		c.add(edit, title, listPart(values("labels", old.LabelTexts()), values("labels", current.LabelTexts())), revision, edited)
		return
	}
	c.add(other("agent name"), title)
	if len(c.changes) == countBefore { // Otherwise, the revision repeats another change.
		c.add(other("agent revision"), revision)
	}
}

// opens reports whether a value changed, and may now be the open one. Services can omit
// values, so an unknown one may be either.
func opens(before, after *bool, open bool) bool {
	wasOpen, mayBeOpen := before != nil && *before == open, after == nil || *after == open
	return !wasOpen && mayBeOpen && (before != nil || after != nil)
}

// add adds a change for those parts of an object that differ, if any do.
func (c *comparison) add(change Change, parts ...part) {
	var texts [2][]string
	for _, p := range parts {
		for i, text := range []string{p.before, p.after} {
			if text != "" {
				texts[i] = append(texts[i], text)
			}
		}
	}
	before, after := strings.Join(texts[0], ", "), strings.Join(texts[1], ", ")
	if before+after == "" {
		return
	}
	if before == after { // Both have the same mask.
		after += " (another value)"
	}
	change.Before, change.After = &before, &after
	c.changes = append(c.changes, change)
}

// quoted puts a text in quotes if it could be taken for several values of a list.
func quoted(text string) string {
	if text != strings.TrimSpace(text) || strings.ContainsAny(text, `,"`) {
		return strconv.Quote(text)
	}
	return text
}

// union has the keys of both maps.
func union[K comparable, V any](before, after map[K]V) map[K]V {
	all := maps.Clone(after)
	maps.Copy(all, before)
	return all
}
