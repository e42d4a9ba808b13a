// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
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
	changedMember     = "member"
	changedAgent      = "agent"
	changedState      = "agent state"
	changedRevision   = "agent revision"
	ChangedDefinition = "agent definition"
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
	case strings.HasPrefix(before, goneSign) && strings.HasPrefix(after, newSign):
		separator = ", "
	}
	return c.What + ": " + before + separator + after
}

// published matches the state of a published agent, of which a change names more. Of earlier changes, only
// the texts are stored.
var published = regexp.MustCompile(`^published($|[,;])`)

// comparison is what differs between two records.
type comparison struct {
	audit            *Audit
	earlier, current *record
	unknown          map[string]string // states that definitions lack, by the agent's ID
	changes          []Change
	gone             []string // IDs of agents, and what identifies members
}

// compare returns the record of an audit, and the changes since an earlier record. If that is empty,
// the only change is that the record begins.
func compare(a *Audit, earlier *record) *comparison {
	base := earlier
	id := cmp.Or(api.ValueOf(a.Workspace.ID), earlier.WorkspaceID)
	isOther := earlier.WorkspaceID != id && earlier.WorkspaceID != ""
	if isOther {
		base = &record{}
	}
	c := &comparison{audit: a, earlier: earlier}
	c.current, c.unknown = newRecord(a, base)
	switch {
	case reflect.DeepEqual(c.current, earlier):
		return c
	case isOther:
		c.begin("recorded workspace", ruleOtherWorkspace)
	case earlier.Version != recordVersion:
		c.begin("record", ruleFirstRecord)
	default:
		c.compareRecords()
	}
	c.current.RecordedAt = api.ValueOf(a.ReadAt)
	c.current.text = c.current.pack()
	return c
}

// begin adds the change that everything is recorded for the first time.
func (c *comparison) begin(what, rule string) {
	change := c.workspaceChange()
	change.What, change.IsAccess = what, true
	change.Before, change.After = c.earlier.describe(), c.current.describe()
	agents := map[string]values{}
	for id, agent := range c.current.Agents {
		agents[id] = ofAgents.access(agent)
	}
	id := cmp.Or(c.current.WorkspaceID, Unknown)
	c.add(rule, id, []Change{change}, c.current.Workspace[slugValue], c.current.Members, agents)
}

// compareRecords adds the differences between two records: those of the workspace, of members
// and of agents, each sorted by ID.
func (c *comparison) compareRecords() {
	earlier, current := c.earlier, c.current
	old := union(earlier.Workspace, values{planValue: current.Workspace[planValue]}) // A plan that becomes known is no change.
	c.compareObject(ofWorkspace, current.WorkspaceID, c.workspaceChange(), old, current.Workspace)
	for _, key := range slices.Sorted(maps.Keys(union(earlier.Members, current.Members))) {
		old, now := earlier.Members[key], current.Members[key]
		known := person{Email: cmp.Or(now.Email, old.Email), Name: cmp.Or(now.Name, old.Name)}
		change := Change{What: changedMember, ID: known.Email, Name: cmp.Or(known.Name, known.id())}
		c.compareObject(ofMembers, known.id(), change, old.values(), now.values())
	}
	for _, id := range slices.Sorted(maps.Keys(union(earlier.Agents, current.Agents))) {
		old, now := earlier.Agents[id], current.Agents[id]
		change := Change{What: changedAgent, ID: id, Name: cmp.Or(now[nameValue], old[nameValue])}
		c.compareObject(ofAgents, id, change, old, now)
	}
	if text := manyMissing(c.gone, earlier, "gone"); text != "" {
		change := c.workspaceChange()
		change.What, change.IsAccess = "removed", true
		change.Before, change.After = new(fmt.Sprintf("%d agents and members", earlier.size())), &text
		c.add(ruleRemoved, "", []Change{change}, c.gone)
	}
}

// manyMissing says that so many objects are missing at once that the token may have lost access. It is
// "" for fewer. What a whole list lacks is gone, which is a change. What another list lacks stays
// recorded.
func manyMissing(objects []string, from *record, how string) string {
	if len(objects) <= max(2, from.size()/10) {
		return ""
	}
	return fmt.Sprintf("%d of %d recorded agents and members are %s (%s)", len(objects), from.size(), how, oneline.List(objects, maxNames))
}

// workspaceChange begins a change of the workspace.
func (c *comparison) workspaceChange() Change {
	return Change{ID: c.current.WorkspaceID, Name: api.ValueOf(c.audit.Workspace.Name)}
}

// compareObject adds the changes of an object. They begin as the given one.
func (c *comparison) compareObject(t table, id string, change Change, old, now values) {
	changes := []Change{change}
	first := &changes[0]
	switch {
	case now == nil:
		c.gone = append(c.gone, id)
		first.Before = new(t.describe(old, nil))
		first.IsAccess = change.What == changedMember
	case old == nil:
		first.After = new(t.describe(now, nil))
		first.IsAccess = t.givesAccess(now)
	case old[hashValue] == "" && now[hashValue] != "": // Nothing could be compared until now.
		first.What = "agent read for the first time"
		first.Before, first.After = new("not read"), new(t.describe(now, nil))
		first.IsAccess = true
	default:
		changes = t.differences(change, old, now)
	}
	c.add(ruleAccessChanged, id, changes, t.access(now))
}

// add adds the changes of an object, with their time, shortened texts, and the key of those of access.
// The key accepts them once, because its fingerprint contains when the earlier record was made, and
// everything about access that is recorded of the object now.
func (c *comparison) add(rule, id string, changes []Change, now ...any) {
	for _, change := range changes {
		change.ID, change.Name = oneline.Text(change.ID, maxName), oneline.Text(change.Name, maxName)
		change.Before, change.After = shortened(change.Before, maxValue), shortened(change.After, maxValue)
		change.At = api.ValueOf(c.audit.ReadAt)
		if change.IsAccess {
			change.Key = new(keyOf(rule, id, fingerprint(rule, id, c.earlier.RecordedAt, now)))
		}
		c.changes = append(c.changes, change)
	}
}

// differences returns the changes of an object. Each begins as the given one.
func (t table) differences(object Change, old, now values) []Change {
	var changes []Change
	for _, v := range t {
		what, isAccess := v.changeOf(old, now)
		isRepetition := what == changedRevision && len(changes) > 0
		if what == "" || isRepetition {
			continue
		}
		if len(changes) == 0 || changes[len(changes)-1].What != what || v.kind == nameText {
			object.What, object.Before, object.After = what, new(""), new("")
			changes = append(changes, object)
		}
		change := &changes[len(changes)-1]
		change.IsAccess = change.IsAccess || isAccess
		before, after := v.difference(old[v.name], now[v.name])
		if v.kind == digest {
			change.What, before, after = describeEdit(old[partsValue], now[partsValue])
		}
		*change.Before = joinTexts(*change.Before, before)
		*change.After = joinTexts(*change.After, after)
	}
	if !old.isOpen() && now.isOpen() {
		t.addReach(changes, old, now)
	}
	return changes
}

// describeEdit returns the kind of change of a definition, and names the parts that changed.
func describeEdit(oldParts, newParts string) (what, before, after string) {
	parts := definition.ChangedParts(oldParts, newParts)
	what = ChangedDefinition
	if slices.Equal(parts, []string{definition.Layout}) {
		what = "agent layout"
	}
	return what, "", strings.TrimSuffix("changed: "+oneline.List(parts, maxParts), ": ")
}

// addReach adds what else becomes reachable to the first change of access of an agent that was
// closed: the values beside the state that are equal before and now. Nobody had to accept them when
// they were recorded.
func (t table) addReach(changes []Change, old, now values) {
	reach := t.describe(now, func(v *property) bool {
		return v.change != changedState && v.access != never && old[v.name] == now[v.name]
	})
	first := slices.IndexFunc(changes, func(c Change) bool { return c.IsAccess }) // One of them opens the agent.
	if reach != "" {
		*changes[first].After += "; " + reach
	}
}
