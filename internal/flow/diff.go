// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	// Title is the title of the element as one line, and of a link those of both
	// ends. It can be empty.
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

// Diff returns what differs between two definitions, by part, ID, and path.
// Elements, and all other objects with an ID in an array, are matched by ID, and
// what else is in an array by position. The order of elements in the definition's
// own lists is ignored. The definition before is nil if there was none.
func Diff(before, after *Definition) []Change {
	d := &differ{definitions: []*Definition{after}}
	p := pair{after: after.value}
	if before != nil {
		d.definitions = append(d.definitions, before)
		found := backReferences(before.value)
		maps.Copy(found, backReferences(after.value))
		p.before, p.after = before.value.without(found), after.value.without(found)
		p.before.keepJSON()
	}
	p.after.keepJSON()
	d.fields("", p)
	slices.SortStableFunc(d.changes, func(x, y Change) int {
		if x.Part != y.Part {
			return slices.Index(parts, x.Part) - slices.Index(parts, y.Part)
		}
		return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path))
	})
	return d.changes
}

var parts = []string{"node", "link", "variable", "entrypoint", "annotation", "field"}

// lists are the parts of the arrays at a path.
var lists = map[string]string{
	"graph.nodes": "node", "graph.links": "link", "graph.memory": "variable", "graph.entrypoints": "entrypoint", "canvas.annotations": "annotation",
}

type differ struct {
	definitions []*Definition // the one after first
	graphs      [2]*graph     // those of the definitions, once a link differs
	changes     []Change
	template    Change // copied for each change of the current element or field. Its Path is that of all of it.
}

// fields compares the definition, or the objects in it that contain lists. An
// absent list counts as empty.
func (d *differ) fields(path string, p pair) {
	for _, member := range p.members() {
		memberPath := join(path, member.key)
		switch part := lists[memberPath]; {
		case member.same():
		case part != "" && member.areAbsentOr('['):
			elements := member.elements()
			d.changes = slices.Grow(d.changes, len(elements))
			for _, element := range elements {
				d.element(part, element)
			}
		case (memberPath == "graph" || memberPath == "canvas") && member.areAbsentOr('{'):
			d.fields(memberPath, member)
		default:
			d.template = Change{Part: "field"}
			d.value(memberPath, member)
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
	id, path := v.id(), ""
	if id == "" {
		path = p.key
	}
	d.template = Change{Part: part, ID: id, Title: d.title(part, v), Path: path}
	if !d.canCompareInside('{', path, p) {
		d.value(path, p)
		return
	}
	hasPosition := part == "node" || part == "entrypoint" || part == "annotation"
	var layoutBefore, layoutAfter value
	for _, member := range p.members() {
		memberPath := join(path, member.key)
		switch {
		case member.same():
		case hasPosition && isLayout(member.key, member.before) && isLayout(member.key, member.after):
			layoutBefore, layoutAfter = appendMember(layoutBefore, member.key, member.before), appendMember(layoutAfter, member.key, member.after)
		case part == "link": // An end that is moved is one change of all its IDs.
			d.add(memberPath, member)
		default:
			d.value(memberPath, member)
		}
	}
	if layoutBefore != nil || layoutAfter != nil {
		d.add(path, pair{before: enclosed('{', layoutBefore), after: enclosed('{', layoutAfter)})
		d.changes[len(d.changes)-1].IsLayout = true
	}
}

// appendMember appends a key and its value unless the value is absent.
func appendMember(members value, key string, v value) value {
	if v == nil {
		return members
	}
	return append(append(members, stringToken(key)), v...)
}

func stringToken(text string) token { return token{kind: '"', json: jsonString(text), size: 1} }

// enclosed returns an object or an array of members.
func enclosed(kind jsontext.Kind, members value) value {
	return append(value{{kind: kind, size: 1 + len(members)}}, members...)
}

func (d *differ) title(part string, v value) string {
	switch part {
	case "link":
		for i, definition := range d.definitions {
			if d.graphs[i] == nil {
				d.graphs[i] = newGraph(definition.value)
			}
			if id := d.graphs[i].identifiers[v.id()]; id != nil && id.links != nil {
				return id.links[0].title()
			}
		}
		return ""
	case "entrypoint":
		return line(v.member("type").text())
	}
	return line(v.title())
}

// title returns the titles, or else the IDs, of both ends of the link.
func (l *link) title() string {
	end := func(n *node, id string) string {
		if n == nil {
			return id
		}
		return cmp.Or(n.title, textOf(n.id))
	}
	return line(end(l.origin, l.blockID) + " → " + end(l.target, l.groupID))
}

// canCompareInside reports whether both values are of a kind, and the path to what
// is in them is not too long.
func (d *differ) canCompareInside(kind jsontext.Kind, path string, p pair) bool {
	return p.before.kind() == kind && p.after.kind() == kind && len(d.template.ID)+len(path) <= maxPath
}

func (d *differ) value(path string, p pair) {
	switch {
	case p.same():
	case d.canCompareInside('{', path, p):
		for _, member := range p.members() {
			d.value(join(path, member.key), member)
		}
	case d.canCompareInside('[', path, p):
		for _, element := range p.elements() {
			d.value(path+element.key, element)
		}
		d.order(path, p)
	default:
		d.add(path, p)
	}
}

// order adds a change if elements of both arrays are in another order.
func (d *differ) order(path string, p pair) {
	before, after := idsOf(p.before), idsOf(p.after)
	if !slices.Equal(common(before, after), common(after, before)) {
		d.add(path, pair{before: enclosed('[', before), after: enclosed('[', after)})
	}
}

// idsOf returns the IDs of an array's elements.
func idsOf(array value) value {
	var ids value
	for _, element := range array.members() {
		if id := element.id(); id != "" {
			ids = append(ids, stringToken(id))
		}
	}
	return ids
}

// common returns the IDs that are also among others, each as often as there.
func common(ids, others value) value {
	count := map[token]int{}
	for _, id := range others {
		count[id]++
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id token) bool {
		count[id]--
		return count[id] < 0
	})
}

// add adds a change of the current element or field. What is added to an element, or
// removed from it, changes the element.
func (d *differ) add(path string, p pair) {
	c := d.template
	c.Change, c.Path = "changed", path
	c.Before, c.After = jsonOf(p.before), jsonOf(p.after)
	if c.Part == "field" || path == d.template.Path {
		switch {
		case p.before == nil:
			c.Change = "added"
		case p.after == nil:
			c.Change = "removed"
		}
	}
	d.changes = append(d.changes, c)
}

// jsonOf returns the JSON of a value, and nil if it is absent.
func jsonOf(v value) *string {
	if v == nil {
		return nil
	}
	var json strings.Builder
	v.write(&json, false)
	return new(json.String())
}

// isLayout reports whether a member of an element that is not absent is part of its
// position or size.
func isLayout(key string, v value) bool {
	switch key {
	case "x", "y", "width", "height":
		return v == nil || v.kind() == '0'
	case "graphCoordinates", "position":
		for coordinate, number := range v.members() {
			if coordinate != "x" && coordinate != "y" || number.kind() != '0' {
				return false
			}
		}
		return v == nil || v.kind() == '{'
	}
	return false
}

// word is a key that needs no quotes in a path.
var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func join(path, key string) string {
	switch {
	case !word.MatchString(key):
		return path + "[" + jsonString(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
