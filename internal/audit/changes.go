// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Kinds of changes that code names more than once.
const (
	changedAgent      = "agent"
	changedState      = "agent state"
	changedAddress    = "agent address"
	ChangedDefinition = "agent definition"
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

// message describes the change. A sign says what is gone or new.
func (c Change) message() string {
	before, after, separator := api.ValueOf(c.Before), api.ValueOf(c.After), " → "
	switch {
	case c.Before == nil || c.After == nil:
		before, after = cmp.Or(before, "none"), cmp.Or(after, "none")
	case before == "" || after == "":
		separator = ""
	case strings.HasPrefix(before, gone) && strings.HasPrefix(after, added):
		separator = ", "
	}
	return c.What + ": " + before + separator + after
}

// published matches the state of a published agent, of which a change names more.
var published = regexp.MustCompile(`^published($|[,;])`)

// fingerprint tells a value from all others.
func fingerprint(values ...any) string {
	text, _ := json.Marshal(values) // These can be marshaled.
	sum := sha256.Sum256(text)
	// With less, one could find two changes with the same fingerprint.
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// comparison is what differs between two records.
type comparison struct {
	audit            *Audit
	earlier, current *record
	changes          []Change
	gone             []string // IDs of agents, and what identifies members
}

// compare returns the record of an audit with its text, and the changes since an earlier record. If that
// is "", the only change is that the record begins.
func compare(a *Audit, earlierText string) (current *record, text string, changes []Change, err error) {
	earlier, err := parseRecord(earlierText)
	if err != nil {
		return nil, "", nil, err
	}
	base := earlier
	id := cmp.Or(api.ValueOf(a.Workspace.ID), earlier.WorkspaceID)
	isOther := earlier.WorkspaceID != id && earlier.WorkspaceID != ""
	if isOther {
		base = &record{}
	}
	c := &comparison{audit: a, earlier: earlier, current: newRecord(a, base)}
	switch {
	case reflect.DeepEqual(c.current, earlier):
		return earlier, earlierText, nil, nil
	case isOther:
		c.begin("recorded workspace", ruleOtherWorkspace)
	case earlier.Version != recordVersion:
		c.begin("record", ruleFirstRecord)
	default:
		c.compareRecords()
	}
	c.finish()
	c.current.RecordedAt = api.ValueOf(a.ReadAt)
	document, err := json.Marshal(c.current)
	return c.current, pack(document), c.changes, err
}

// begin adds the change that everything is recorded for the first time.
func (c *comparison) begin(what, rule string) {
	change := c.workspaceChange(what)
	change.Before, change.After = c.earlier.describe(), c.current.describe()
	c.changes = []Change{change}
	agents := map[string]values{}
	for id, agent := range c.current.Agents {
		agents[id] = agent.access()
	}
	c.setKeys(
		0,
		rule,
		cmp.Or(c.current.WorkspaceID, Unknown),
		c.current.Slug,
		c.current.Members,
		agents,
	)
}

// finish sets the time of the changes, and shortens their texts.
func (c *comparison) finish() {
	for i := range c.changes {
		change := &c.changes[i]
		change.At = api.ValueOf(c.audit.ReadAt)
		change.Before = shortened(change.Before, maxValue)
		change.After = shortened(change.After, maxValue)
		change.ID = oneline.Text(change.ID, maxName)
		change.Name = oneline.Text(change.Name, maxName)
	}
}

func shortened(value *string, limit int) *string {
	if value == nil {
		return nil
	}
	return new(oneline.Text(*value, limit))
}

// setKeys sets the key of the changes of access of an object, which are the last ones since a
// position. The key accepts them once, because its fingerprint contains when the earlier record
// was made, and everything about access that is recorded of the object now.
func (c *comparison) setKeys(first int, rule, id string, now ...any) {
	for i := range c.changes[first:] {
		if change := &c.changes[first+i]; change.IsAccess {
			change.Key = new(keyOf(rule, id) + "/" + fingerprint(rule, id, c.earlier.RecordedAt, now))
		}
	}
}

// compareRecords adds the differences between two records: those of the workspace, of members
// and of agents, each sorted by ID.
func (c *comparison) compareRecords() {
	c.compareWorkspaces()
	c.compareMembers()
	c.compareAgents()
	size := c.earlier.size()
	if !isMuch(len(c.gone), size) {
		return
	}
	change := c.workspaceChange("removed")
	change.Before = new(fmt.Sprintf("%d agents and members", size))
	change.After = new(fmt.Sprintf("%d of %d recorded agents and members are gone", len(c.gone), size))
	change.Key = new(ruleRemoved + "/" + fingerprint(c.gone, c.earlier.RecordedAt))
	c.changes = append(c.changes, change)
}

// workspaceChange is a change of access of the workspace.
func (c *comparison) workspaceChange(what string) Change {
	return Change{
		What:     what,
		ID:       c.current.WorkspaceID,
		Name:     api.ValueOf(c.audit.Workspace.Name),
		IsAccess: true,
	}
}

func (c *comparison) compareWorkspaces() {
	earlier, current := c.earlier, c.current
	var plain property
	plan := c.workspaceChange("workspace plan")
	plan.IsAccess = false
	c.add(plan, plain.part(cmp.Or(earlier.Plan, current.Plan), current.Plan))
	c.add(c.workspaceChange("workspace slug"), plain.part(earlier.Slug, current.Slug))
	c.setKeys(0, ruleAccessChanged, current.WorkspaceID, current.Slug)
}

func (c *comparison) compareMembers() {
	before, now := c.earlier.Members, c.current.Members
	for _, key := range slices.Sorted(maps.Keys(union(before, now))) {
		old, member := before[key], now[key]
		change := Change{
			What:     "member",
			ID:       cmp.Or(member.Email, old.Email),
			Name:     cmp.Or(member.Name, old.Name),
			Before:   old.summary(),
			After:    member.summary(),
			IsAccess: true,
		}
		id := cmp.Or(change.ID, change.Name, NoAddress)
		change.Name = cmp.Or(change.Name, id)
		first := len(c.changes)
		switch {
		case change.Before == nil || change.After == nil:
			c.changes = append(c.changes, change)
		case !slices.Equal(old.Roles, member.Roles):
			c.add(change, difference("", old.roles(), member.roles()))
		}
		if change.After == nil {
			c.gone = append(c.gone, id)
		} else if change.Before != nil {
			change.IsAccess = false
			c.add(change, propertyNamed(nameValue).part(old.Name, member.Name))
		}
		c.setKeys(first, ruleAccessChanged, id, key, member.Roles)
	}
}

func (c *comparison) compareAgents() {
	for _, id := range slices.Sorted(maps.Keys(union(c.earlier.Agents, c.current.Agents))) {
		old, now := c.earlier.Agents[id], c.current.Agents[id]
		first := len(c.changes)
		change := Change{What: changedAgent, ID: id, Name: cmp.Or(now[nameValue], old[nameValue])}
		switch {
		case now == nil:
			c.gone = append(c.gone, id)
			change.Before = new(old.summary())
			c.changes = append(c.changes, change)
		case old == nil:
			change.After = new(now.summary())
			change.IsAccess = now.givesAccess()
			c.changes = append(c.changes, change)
		case old[hashValue] == "" && now[hashValue] != "": // Nothing could be compared until now.
			change.What = "agent read for the first time"
			change.Before, change.After = new("not read"), new(now.summary())
			change.IsAccess = true
			c.changes = append(c.changes, change)
		default:
			c.compareValues(change, old, now)
		}
		c.setKeys(first, ruleAccessChanged, id, now.access())
	}
}

// isMuch reports whether so many objects are gone at once that the token may have lost access.
func isMuch(gone, of int) bool { return gone > max(2, of/10) }

// compareValues adds the differences between the values of an agent: a change of each kind.
func (c *comparison) compareValues(change Change, old, now values) {
	first := len(c.changes)
	var parts []part
	for _, v := range properties {
		what, isAccess := v.changeOf(old, now)
		if what == "" {
			continue
		}
		if what != change.What {
			c.add(change, parts...)
			change.What, change.IsAccess, parts = what, false, nil
		}
		change.IsAccess = change.IsAccess || isAccess
		parts = append(parts, v.part(old[v.name], now[v.name]))
	}
	c.add(change, parts...)
	if !old.isOpen() && now.isOpen() {
		c.addReach(first, old, now)
	}
	change.IsAccess = false
	c.compareDefinition(change, len(c.changes) > first, old, now)
}

// addReach adds what else becomes reachable to the first change of access of an agent that was
// closed: the values beside the state that are equal before and now. Nobody had to accept them when
// they were recorded.
func (c *comparison) addReach(first int, old, now values) {
	reach := now.describe(func(v *property) bool {
		return v.change != changedState && v.concernsAccess() && old[v.name] == now[v.name]
	})
	for _, opened := range c.changes[first:] {
		if opened.IsAccess && reach != "" {
			*opened.After += "; " + reach
			return
		}
	}
}

// compareDefinition adds the change of an agent's definition, or of a name that is only in the list.
func (c *comparison) compareDefinition(change Change, hasOthers bool, old, now values) {
	partOf := func(name string) part { return propertyNamed(name).part(old[name], now[name]) }
	if old[hashValue] == now[hashValue] {
		change.What = "agent name"
		c.add(change, partOf(nameValue))
		change.What = "agent revision"
		if !hasOthers { // Otherwise, the revision repeats another change.
			c.add(change, partOf(revisionValue))
		}
		return
	}
	change.What = ChangedDefinition
	parts := definition.ChangedParts(old[partsValue], now[partsValue])
	if slices.Equal(parts, []string{definition.Layout}) {
		change.What = "agent layout"
	}
	edit := part{after: "changed"}
	if len(parts) > 0 {
		edit.after += ": " + oneline.List(parts, maxParts)
	}
	c.add(change, partOf(nameValue), partOf("labels"), partOf(revisionValue), edit)
}

// add adds a change for those parts of an object that differ, if any do.
func (c *comparison) add(change Change, parts ...part) {
	var before, after []string
	for _, p := range parts {
		if p.before == p.after && p.before != "" { // The difference is masked.
			p.after += " (another value)"
		}
		before = append(before, p.before)
		after = append(after, p.after)
	}
	was, is := joinTexts(before...), joinTexts(after...)
	if was+is == "" {
		return
	}
	change.Before, change.After = &was, &is
	c.changes = append(c.changes, change)
}
