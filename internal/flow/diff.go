// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"hash/maphash"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	// Before and After are JSON with sorted keys. They are nil for what is absent.
	Before, After *string
	// IsLayout reports that only coordinates and sizes of an element differ.
	IsLayout bool
}

// Diff returns what differs between two definitions, by part, ID, and path.
// Elements, and all other objects with an ID in an array, are matched by ID, and
// what else is in an array by position. Those with the same ID are matched in
// order, after those that are equal. The graph before is nil if there was none.
func Diff(before, after *Graph) []Change {
	d := &differ{seed: maphash.MakeSeed(), graphs: []*Graph{after}}
	var old value
	if before != nil {
		d.graphs = append(d.graphs, before)
		old = before.definition
	}
	d.hash(old)
	d.hash(after.definition)
	d.fields("", pair{before: old, after: after.definition})
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
	seed    maphash.Seed
	graphs  []*Graph // the one after first
	changes []Change
	// part has the values of all changes of the current part, which begin at first.
	part  Change
	first int
}

// pair is a member of both objects, or an element of both arrays. What is absent
// is nil. The key of an element begins with a bracket.
type pair struct {
	key           string
	before, after value
}

// fields compares the definition, or the objects in it that contain lists. An
// absent list counts as empty.
func (d *differ) fields(path string, p pair) {
	for _, p := range membersOf(p) {
		path := join(path, p.key)
		switch part := lists[path]; {
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

// areAll reports whether what is not absent or null has a kind.
func (p pair) areAll(kind jsontext.Kind) bool {
	for _, v := range []value{p.before, p.after} {
		if v != nil && v.kind() != 'n' && v.kind() != kind {
			return false
		}
	}
	return true
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
		d.add(path, p, true)
		return
	case p.before.kind() != '{' || p.after.kind() != '{':
		d.value(path, p)
		return
	}
	var layout []pair
	for _, member := range membersOf(p) {
		switch {
		case member.same():
		case member.isLayout():
			layout = append(layout, member)
		case part == PartLink: // An end that is moved is one change of all its IDs.
			d.add(join(path, member.key), member, false)
		default:
			d.value(join(path, member.key), member)
		}
	}
	d.end(path, p)
	if layout != nil {
		d.add(path, pair{before: objectOf(layout, func(p pair) value { return p.before }), after: objectOf(layout, func(p pair) value { return p.after })}, false)
		d.changes[len(d.changes)-1].IsLayout = true
	}
}

// objectOf returns an object with one side of members.
func objectOf(members []pair, side func(pair) value) value {
	object := value{{kind: '{'}}
	for _, p := range members {
		if v := side(p); v != nil {
			object = append(append(object, token{kind: '"', text: p.key, size: 1}), v...)
		}
	}
	object[0].size = len(object)
	return object
}

func (d *differ) title(part string, v value) string {
	switch part {
	case PartLink:
		for _, g := range d.graphs {
			if id := g.identifiers[v.id()]; id != nil && id.named.links != nil {
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
		d.add(path, p, d.part.Part == PartField)
	}
}

func (d *differ) value(path string, p pair) {
	switch {
	case p.same() || len(d.changes)-d.first > maxChanges:
	case p.before.kind() == '{' && p.after.kind() == '{' && len(path) <= maxPath:
		for _, member := range membersOf(p) {
			d.value(join(path, member.key), member)
		}
	case p.before.kind() == '[' && p.after.kind() == '[' && len(path) <= maxPath:
		for element := range elementsOf(p) {
			d.value(path+element.key, element)
		}
	default:
		d.add(path, p, d.part.Part == PartField)
	}
}

// add adds a change with all that is in two values. They can be the entire part.
func (d *differ) add(path string, p pair, entire bool) {
	c := d.part
	c.Change, c.Path, c.Before, c.After = Changed, path, jsonOf(p.before), jsonOf(p.after)
	switch {
	case entire && p.before == nil:
		c.Change = Added
	case entire && p.after == nil:
		c.Change = Removed
	}
	d.changes = append(d.changes, c)
}

func (p pair) same() bool {
	return p.before != nil && p.after != nil && p.before[0].hash == p.after[0].hash
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

// membersOf pairs the members of two objects. Of equal keys, the last one
// counts.
func membersOf(p pair) []pair {
	var pairs []pair
	index := map[string]int{}
	for i, v := range []value{p.before, p.after} {
		if v.kind() != '{' {
			continue
		}
		for key, member := range v.members() {
			at, found := index[key]
			if !found {
				at = len(pairs)
				index[key] = at
				pairs = append(pairs, pair{key: key})
			}
			if i == 0 {
				pairs[at].before = member
			} else {
				pairs[at].after = member
			}
		}
	}
	return pairs
}

// elementsOf pairs the elements of two arrays that differ.
func elementsOf(p pair) iter.Seq[pair] {
	type group struct {
		id            string
		before, after []value
	}
	var groups []group
	index := map[string]int{}
	for i, v := range []value{p.before, p.after} {
		if v.kind() != '[' {
			continue
		}
		for _, element := range v.members() {
			id := element.id()
			at, found := index[id]
			if !found {
				at = len(groups)
				index[id] = at
				groups = append(groups, group{id: id})
			}
			if i == 0 {
				groups[at].before = append(groups[at].before, element)
			} else {
				groups[at].after = append(groups[at].after, element)
			}
		}
	}
	return func(yield func(pair) bool) {
		for _, g := range groups {
			position := 0
			if g.id == "" {
				position, g.before, g.after = trim(g.before, g.after)
			} else if len(g.before) > 1 || len(g.after) > 1 {
				g.before, g.after = without(g.before, g.after), without(g.after, g.before)
			}
			for i := range max(len(g.before), len(g.after)) {
				var p pair
				if i < len(g.before) {
					p.before = g.before[i]
				}
				if i < len(g.after) {
					p.after = g.after[i]
				}
				if p.same() {
					continue
				}
				p.key = "[" + strconv.Itoa(position+i) + "]"
				if g.id != "" {
					p.key = string(append(appendQuoted([]byte("["), g.id), ']'))
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}

// trim removes the equal elements at the beginning and at the end of two arrays.
// It returns the number of those at the beginning.
func trim(before, after []value) (int, []value, []value) {
	start := 0
	for start < min(len(before), len(after)) && before[start][0].hash == after[start][0].hash {
		start++
	}
	before, after = before[start:], after[start:]
	for len(before) > 0 && len(after) > 0 && before[len(before)-1][0].hash == after[len(after)-1][0].hash {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return start, before, after
}

// without returns the values that have no equal one among others.
func without(values, others []value) []value {
	count := map[uint64]int{}
	for _, v := range others {
		count[v[0].hash]++
	}
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool {
		count[v[0].hash]--
		return count[v[0].hash] >= 0
	})
}

// id returns the ID of an object, or nothing if there is none.
func (v value) id() string { return v.member("id").text() }

// word is a key that needs no quotes in a path.
var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func join(path, key string) string {
	switch {
	case !word.MatchString(key):
		return string(append(appendQuoted([]byte(path+"["), key), ']'))
	case path == "":
		return key
	}
	return path + "." + key
}
