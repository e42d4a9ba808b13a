// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// What a Change is about.
const (
	PartNode       = "node"
	PartLink       = "link"
	PartVariable   = "variable"
	PartEntrypoint = "entrypoint"
	PartAnnotation = "annotation"
	PartField      = "field"
)

// What happened to the part.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

const (
	// maxChanges is the maximum number of changes of one element or field. If there
	// are more, one change has all of it.
	maxChanges = 100
	// maxPath is the number of characters of a path from which on a change has all
	// that is in a value.
	maxPath = 500
)

// Change is a difference between two definitions.
type Change struct {
	// Change is Added, Removed, or Changed. It is about the part, so that an item
	// that is added to a node changes the node.
	Change string
	Part   string
	// ID is that of the element, and empty for PartField.
	ID string
	// Title is the title of the element as one line, and of a link those of both
	// ends. It can be empty.
	Title string
	// Path is what differs, in the element or, for PartField, in the definition. It
	// is empty for an entire element, and for coordinates and sizes.
	Path string
	// Before and After are JSON with sorted keys. They are nil for what is absent, and
	// lists of IDs if elements of an array are in another order.
	Before, After *string
	// IsLayout reports that only coordinates and sizes of an element differ.
	IsLayout bool
}

// Diff returns what differs between two definitions, by part, ID, and path.
// Elements, and all other objects with an ID in an array, are matched by ID, and
// what else is in an array by position. Those with the same ID are matched in
// order, after those that are equal. The order of elements in the definition's
// own lists is ignored. The definition before is nil if there was none.
func Diff(before, after *Definition) []Change {
	d := &differ{definitions: []*Definition{after}}
	p := pair{after: after.value}
	if before != nil {
		d.definitions = append(d.definitions, before)
		p.before = before.value
	}
	for _, definition := range d.definitions {
		var c canonicalizer
		c.json.Grow(definition.size)
		c.write(definition.value)
	}
	d.fields("", p)
	slices.SortStableFunc(d.changes, func(x, y Change) int {
		if x.Part != y.Part {
			return slices.Index(parts, x.Part) - slices.Index(parts, y.Part)
		}
		return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path))
	})
	return d.changes
}

var parts = []string{PartNode, PartLink, PartVariable, PartEntrypoint, PartAnnotation, PartField}

// lists are the parts of the arrays at a path.
var lists = map[string]string{
	"graph.nodes": PartNode, "graph.links": PartLink, "graph.memory": PartVariable, "graph.entrypoints": PartEntrypoint,
	"canvas.annotations": PartAnnotation,
}

type differ struct {
	definitions []*Definition // the one after first
	graphs      [2]*graph     // those of the definitions, once a link differs
	changes     []Change
	// part has the values of all changes of the current part, which begin at first.
	part  Change
	first int
}

// fields compares the definition, or the objects in it that contain lists. An
// absent list counts as empty.
func (d *differ) fields(path string, p pair) {
	for p := range membersOf(p) {
		path := join(path, p.key)
		switch part := lists[path]; {
		case p.same():
		case part != "" && p.areAll('['):
			for element := range elementsOf(p) {
				d.element(part, element)
			}
		case (path == "graph" || path == "canvas") && p.areAll('{'):
			d.fields(path, p)
		default:
			d.begin(Change{Part: PartField})
			d.value(path, p)
			d.end(path, p)
		}
	}
}

// element compares a node or another element of a list. Without an ID, its path
// is its position.
func (d *differ) element(part string, p pair) {
	v := p.after
	if v == nil {
		v = p.before
	}
	c := Change{Part: part, ID: v.id(), Title: d.title(part, v)}
	path := ""
	if c.ID == "" {
		path = p.key
	}
	d.begin(c)
	switch {
	case p.before == nil || p.after == nil:
		d.add(path, jsonOf(p.before), jsonOf(p.after), true)
		return
	case p.before.kind() != '{' || p.after.kind() != '{':
		d.value(path, p)
		return
	}
	var before, after []string
	for member := range membersOf(p) {
		switch {
		case member.same():
		case member.isLayout():
			before, after = appendMember(before, member.key, member.before), appendMember(after, member.key, member.after)
		case part == PartLink: // An end that is moved is one change of all its IDs.
			d.add(join(path, member.key), jsonOf(member.before), jsonOf(member.after), false)
		default:
			d.value(join(path, member.key), member)
		}
	}
	d.end(path, p)
	if before != nil || after != nil {
		d.add(path, enclosed("{", before, "}"), enclosed("{", after, "}"), false)
		d.changes[len(d.changes)-1].IsLayout = true
	}
}

// appendMember appends the JSON of a member unless it is absent.
func appendMember(members []string, key string, v value) []string {
	if v == nil {
		return members
	}
	return append(members, quoted(key)+":"+v.json())
}

func (d *differ) title(part string, v value) string {
	switch part {
	case PartLink:
		for i, definition := range d.definitions {
			if d.graphs[i] == nil {
				d.graphs[i] = newGraph(definition.value)
			}
			if id := d.graphs[i].identifiers[v.id()]; id != nil && id.named.links != nil {
				return id.named.links[0].title()
			}
		}
		return ""
	case PartEntrypoint:
		return line(v.member("type").text())
	}
	return line(v.label().text)
}

// title returns the titles, or else the IDs, of both ends of the link.
func (l *link) title() string {
	end := func(n *node, id *identifier) string {
		if n == nil {
			return textOf(id)
		}
		return cmp.Or(n.title, textOf(n.id))
	}
	return line(end(l.origin(), l.blockID) + " → " + end(l.target, l.groupID))
}

func (d *differ) begin(part Change) { d.part, d.first = part, len(d.changes) }

// end replaces the changes of a part if there are too many.
func (d *differ) end(path string, p pair) {
	if len(d.changes)-d.first > maxChanges {
		d.changes = d.changes[:d.first]
		d.add(path, jsonOf(p.before), jsonOf(p.after), d.part.Part == PartField)
	}
}

func (d *differ) value(path string, p pair) {
	switch {
	case p.same() || len(d.changes)-d.first > maxChanges:
	case p.before.kind() == '{' && p.after.kind() == '{' && len(path) <= maxPath:
		for member := range membersOf(p) {
			d.value(join(path, member.key), member)
		}
	case p.before.kind() == '[' && p.after.kind() == '[' && len(path) <= maxPath:
		for element := range elementsOf(p) {
			d.value(path+element.key, element)
		}
		d.order(path, p)
	default:
		d.add(path, jsonOf(p.before), jsonOf(p.after), d.part.Part == PartField)
	}
}

// order adds a change if elements of both arrays are in another order.
func (d *differ) order(path string, p pair) {
	before, after := idsOf(p.before), idsOf(p.after)
	if !slices.Equal(common(before, after), common(after, before)) {
		d.add(path, enclosed("[", before, "]"), enclosed("[", after, "]"), false)
	}
}

// idsOf returns the IDs of an array's elements in quotes.
func idsOf(array value) []string {
	var ids []string
	for _, element := range array.members() {
		if id := element.id(); id != "" {
			ids = append(ids, quoted(id))
		}
	}
	return ids
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

// add adds a change of the part. It can be the entire part.
func (d *differ) add(path string, before, after *string, entire bool) {
	c := d.part
	c.Change, c.Path, c.Before, c.After = Changed, path, before, after
	switch {
	case entire && before == nil:
		c.Change = Added
	case entire && after == nil:
		c.Change = Removed
	}
	if len(d.changes) == cap(d.changes) {
		d.changes = slices.Grow(d.changes, len(d.changes)+1) // append alone copies more often.
	}
	d.changes = append(d.changes, c)
}

// jsonOf returns nil for what is absent.
func jsonOf(v value) *string {
	switch v.kind() {
	case 0:
		return nil
	case '{', '[', '0':
		return &v[0].text
	}
	json := v.json()
	return &json
}

// enclosed returns the JSON of an object or array.
func enclosed(left string, members []string, right string) *string {
	json := left + strings.Join(members, ",") + right
	return &json
}

// isLayout reports whether a member has only coordinates and sizes.
func (p pair) isLayout() bool {
	for _, v := range []value{p.before, p.after} {
		if v != nil && !isCoordinate(p.key, v) && (v.kind() != '{' || len(v) == 1) {
			return false
		}
		if v.kind() == '{' {
			for key, member := range v.members() {
				if !isCoordinate(key, member) {
					return false
				}
			}
		}
	}
	return true
}

func isCoordinate(key string, v value) bool {
	return v.kind() == '0' && (key == "x" || key == "y" || key == "width" || key == "height")
}

// word is a key that needs no quotes in a path.
var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func join(path, key string) string {
	switch {
	case !word.MatchString(key):
		return path + "[" + quoted(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
