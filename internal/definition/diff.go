// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// maxPath is the maximum length of an element's ID and of a path in it, taken
// together, up to which values are compared inside. Beyond it, an entire value is one
// change, so that many changes do not repeat a long ID or path.
const maxPath = 500

// Change is a difference between two definitions.
type Change struct {
	// Change is added, removed, or changed. It is about the part, so that an item
	// that is added to a node changes the node.
	Change string
	// Part is one of the parts below.
	Part string
	// ID is that of the element, and empty for a field.
	ID string
	// Title is the title of the element, which can be empty.
	Title string
	// Path is what differs, in the element or, for a field, in the definition. It
	// is empty for an entire element, and for its position and size. Of an element
	// without an ID, it begins with the index among these, such as "[0]".
	Path string
	// Before and After are JSON with sorted keys. They are nil for what is absent, and
	// lists of IDs if elements of an array are in another order.
	Before, After *string
	// IsLayout reports that only the position and the size of an element differ.
	IsLayout bool
}

// parts are those of changes in their order. All but the last one are in rules.
var parts = []string{"node", "link", "variable", "entrypoint", "annotation", "field"}

// Diff returns what differs between two definitions, by part, ID, and path. Values are
// compared as in a Digest, so that nothing differs if and only if the digests are equal,
// except in groups that a digest leaves out.
// Elements, and all other objects with an ID in an array, are matched by ID, and
// what else is in an array by position. The definition before is absent if there was none.
// The function title returns the title of an element of a part.
func Diff(before, after Definition, title func(part string, element jsonvalue.Value) string) []Change {
	d := &differ{title: title, before: newVersion(before), after: newVersion(after)}
	d.template = Change{Part: "field"}
	d.value("", rules, pair{before: before.Value, after: after.Value})
	slices.SortStableFunc(d.changes, func(x, y Change) int {
		if x.Part != y.Part {
			return slices.Index(parts, x.Part) - slices.Index(parts, y.Part)
		}
		return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path))
	})
	return d.changes
}

type differ struct {
	title         func(part string, element jsonvalue.Value) string
	before, after version
	changes       []Change
	template      Change // copied for each change of the current element or field. Its Path is that of all of it.
}

// value compares two values. If they differ, it adds at least one change.
func (d *differ) value(path string, r *rule, p pair) {
	count := len(d.changes)
	switch {
	case r.hasLists && p.areAbsentOr('{'):
		for _, member := range p.members() {
			d.value(join(path, member.key), r.member(member.key), member)
		}
	case r.elements != nil && p.areAbsentOr('['):
		field := d.template
		elements := d.elements(r, p)
		d.changes = slices.Grow(d.changes, len(elements))
		for _, element := range elements {
			d.element(r.elements, element)
		}
		d.template = field
		if d.before.hasRepeated && d.after.hasRepeated {
			for _, key := range r.elements.keys {
				d.order(path, key, p)
			}
		}
	case len(r.members) == 0 && d.same(p):
		return
	case d.canCompareInside('{', path, p):
		for _, member := range p.members() {
			d.value(join(path, member.key), r.member(member.key), member)
		}
		return
	case d.canCompareInside('[', path, p):
		for _, element := range d.elements(r, p) {
			d.value(path+element.key, content, element)
		}
		d.order(path, "", p)
	case !d.same(p):
		d.add(path, p)
		return
	}
	// An empty array in place of none, or elements without an ID among others.
	isConversation := func(c Change) bool { return !c.IsLayout }
	if len(d.before.values) > 0 && !slices.ContainsFunc(d.changes[count:], isConversation) && d.before.of(p.before).content != d.after.of(p.after).content {
		d.add(path, p)
	}
}

// element compares a node or another element of a list. Without an ID, its path
// is its position.
func (d *differ) element(r *rule, p pair) {
	v := p.after
	if v.Kind() == 0 {
		v = p.before
	}
	id, path := idOf(v), ""
	if id == "" {
		path = p.key
	}
	d.template = Change{Part: r.element, ID: id, Title: d.title(r.element, v), Path: path}
	if !d.canCompareInside('{', path, p) {
		d.add(path, pair{before: p.before, after: p.after})
		return
	}
	var before, after []string // members of the layout
	for _, member := range p.members() {
		memberRule := r.member(member.key)
		memberPath := join(path, member.key)
		switch {
		case d.same(member):
		case memberRule.position && d.before.isPlace(member.before) && d.after.isPlace(member.after):
			before, after = appendMember(before, member.key, member.before), appendMember(after, member.key, member.after)
		case r.element == "link": // An end that is moved is one change of all its IDs.
			d.add(memberPath, member)
		default:
			d.value(memberPath, content, member)
		}
	}
	if before != nil || after != nil {
		d.addJSON(path, new(enclosed("{", before, "}")), new(enclosed("{", after, "}")))
		d.changes[len(d.changes)-1].IsLayout = true
	}
}

// isPlace reports whether a member is absent, or part of the position of an element.
func (v *version) isPlace(member jsonvalue.Value) bool {
	return isAbsent(member) || v.of(member).isPosition
}

// appendMember appends a key and its value as JSON unless the value is absent.
func appendMember(members []string, key string, v jsonvalue.Value) []string {
	if v.Kind() == 0 {
		return members
	}
	return append(members, jsonvalue.Quote(key)+":"+v.JSON())
}

func enclosed(start string, members []string, end string) string {
	return start + strings.Join(members, ",") + end
}

func idOf(v jsonvalue.Value) string { return v.Member("id").Text() }

// canCompareInside reports whether both values are of a kind, and the path to what
// is in them is not too long.
func (d *differ) canCompareInside(kind jsontext.Kind, path string, p pair) bool {
	return p.before.Kind() == kind && p.after.Kind() == kind && len(d.template.ID)+len(path) <= maxPath
}

// order adds a change if elements of both arrays are in another order: those with an ID or,
// for each value of a key, those that share it.
func (d *differ) order(path, key string, p pair) {
	groups := d.before.groups(p.before, key)
	for value, after := range d.after.groups(p.after, key) {
		before := groups[value]
		if !slices.Equal(common(before, after), common(after, before)) {
			d.addJSON(path, new(enclosed("[", before, "]")), new(enclosed("[", after, "]")))
		}
	}
}

// groups returns the IDs of an array's elements as JSON by the values of a key. An element
// without an ID stands for itself.
func (v *version) groups(array jsonvalue.Value, key string) map[string][]string {
	groups := map[string][]string{}
	for _, element := range array.Members() {
		member, id := element.Member(key), idOf(element)
		if isAbsent(member) && key != "" || key == "" && id == "" {
			continue
		}
		name := jsonvalue.Quote(id)
		if id == "" {
			name = element.JSON()
		}
		value := v.of(member).content
		groups[value] = append(groups[value], name)
	}
	return groups
}

// common returns the texts that are also among others, each as often as there.
func common(texts, others []string) []string {
	count := map[string]int{}
	for _, text := range others {
		count[text]++
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		count[text]--
		return count[text] < 0
	})
}

func (d *differ) add(path string, p pair) { d.addJSON(path, jsonOf(p.before), jsonOf(p.after)) }

// jsonOf returns the JSON of a value, and nil if it is absent.
func jsonOf(v jsonvalue.Value) *string {
	if v.Kind() == 0 {
		return nil
	}
	return new(v.JSON())
}

// addJSON adds a change of the current element or field. What is added to an element, or
// removed from it, changes the element.
func (d *differ) addJSON(path string, before, after *string) {
	c := d.template
	c.Change, c.Path, c.Before, c.After = "changed", path, before, after
	if c.Part == "field" || path == d.template.Path {
		switch {
		case before == nil:
			c.Change = "added"
		case after == nil:
			c.Change = "removed"
		}
	}
	d.changes = append(d.changes, c)
}

// unquoted is a key that needs no quotes in a path.
var unquoted = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func join(path, key string) string {
	switch {
	case !unquoted.MatchString(key):
		return path + "[" + jsonvalue.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
