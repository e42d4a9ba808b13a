// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"maps"
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
	Change string `tfsdk:"change"`
	// Part is one of the parts below.
	Part string `tfsdk:"part"`
	// ID is that of the element, and empty for a field.
	ID string `tfsdk:"id"`
	// Title is the title of the element, which can be empty.
	Title string `tfsdk:"title"`
	// Path is what differs, in the element or, for a field, in the definition. It
	// is empty for an entire element, and for its position and size. Of an element
	// without an ID, it begins with the index among these, such as "[0]".
	Path string `tfsdk:"path"`
	// Before and After are JSON with sorted keys. They are nil for what is absent, and
	// lists of IDs if elements of an array are in another order.
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
	// IsLayout reports that only the position and the size of an element differ.
	IsLayout bool `tfsdk:"is_layout"`
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
	d := &differ{title: title, versions: [2]version{newVersion(before), newVersion(after)}, template: Change{Part: "field"}}
	d.value("", rules, pair{values: [2]jsonvalue.Value{before.Value, after.Value}})
	slices.SortStableFunc(d.changes, func(x, y Change) int {
		if x.Part != y.Part {
			return slices.Index(parts, x.Part) - slices.Index(parts, y.Part)
		}
		return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path))
	})
	return d.changes
}

type differ struct {
	title    func(part string, element jsonvalue.Value) string
	versions [2]version
	changes  []Change
	template Change // copied for each change of the current element or field. Its Path is that of all of it.
}

// value compares two values. If they differ, it adds at least one change.
func (d *differ) value(path string, r *rule, p pair) {
	count, differs := len(d.changes), d.versions[0].of(p.values[0]).content != d.versions[1].of(p.values[1]).content
	switch {
	case r.hasLists && p.areBoth(isObject):
		d.members(path, r, p)
	case r.elements != nil && p.areBoth(isArray):
		field := d.template
		for _, element := range d.elements(r, p) {
			d.element(r.elements, element)
		}
		d.template = field
		if differs && d.versions[0].hasRepeated && d.versions[1].hasRepeated {
			for _, key := range r.elements.keys {
				d.order(path, key, p)
			}
		}
	case len(r.members) == 0 && d.same(p):
		return
	case d.canCompareInside('{', path, p):
		d.members(path, r, p)
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
	if differs && d.versions[0].encodings != nil && !slices.ContainsFunc(d.changes[count:], func(c Change) bool { return !c.IsLayout }) {
		d.add(path, p)
	}
}

func isObject(_ int, v jsonvalue.Value) bool { return v.IsObject() }

func isArray(_ int, v jsonvalue.Value) bool { return v.Kind() == '[' }

func (d *differ) members(path string, r *rule, p pair) {
	for _, member := range p.members() {
		d.value(join(path, member.key), r.member(member.key), member)
	}
}

// element compares a node or another element of a list. Without an ID, its path
// is its position.
func (d *differ) element(r *rule, p pair) {
	v := p.values[1]
	if v.Kind() == 0 {
		v = p.values[0]
	}
	id, path := idOf(v), ""
	if id == "" {
		path = p.key
	}
	d.template = Change{Part: r.element, ID: id, Title: d.title(r.element, v), Path: path}
	if !d.canCompareInside('{', path, p) {
		d.add(path, p)
		return
	}
	var layout [2][]string
	isPosition := func(side int, v jsonvalue.Value) bool { return d.versions[side].of(v).isPosition }
	for _, member := range p.members() {
		switch {
		case d.same(member):
		case r.member(member.key).position && member.areBoth(isPosition):
			for side, v := range member.values {
				if v.Kind() != 0 {
					layout[side] = append(layout[side], jsonvalue.Quote(member.key)+":"+v.JSON())
				}
			}
		case r.element == "link": // An end that is moved is one change of all its IDs.
			d.add(join(path, member.key), member)
		default:
			d.value(join(path, member.key), content, member)
		}
	}
	if layout[0] != nil || layout[1] != nil {
		d.addJSON(path, "{", layout, "}")
		d.changes[len(d.changes)-1].IsLayout = true
	}
}

func idOf(v jsonvalue.Value) string { return v.Member("id").Text() }

// canCompareInside reports whether both values are of a kind, and the path to what
// is in them is not too long.
func (d *differ) canCompareInside(kind jsontext.Kind, path string, p pair) bool {
	return p.values[0].Kind() == kind && p.values[1].Kind() == kind && len(d.template.ID)+len(path) <= maxPath
}

// order adds a change if elements of both arrays are in another order: those with an ID or,
// for each value of a key, those that share it. An element without an ID stands for itself.
func (d *differ) order(path, key string, p pair) {
	groups := map[string][2][]string{}
	for side, array := range p.values {
		for _, element := range array.Members() {
			member, name := element.Member(key), element.Member("id")
			switch {
			case key != "" && isAbsent(member), key == "" && name.Text() == "":
				continue
			case name.Text() == "":
				name = element
			}
			value := d.versions[side].of(member).content
			group := groups[value]
			group[side] = append(group[side], name.JSON())
			groups[value] = group
		}
	}
	for _, value := range slices.Sorted(maps.Keys(groups)) {
		if group := groups[value]; !slices.Equal(common(group[0], group[1]), common(group[1], group[0])) {
			d.addJSON(path, "[", group, "]")
		}
	}
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

// addJSON adds a change of the current element or field, between objects or arrays of texts.
func (d *differ) addJSON(path, start string, members [2][]string, end string) {
	c := d.template
	c.Change, c.Path = "changed", path
	c.Before, c.After = new(start+strings.Join(members[0], ",")+end), new(start+strings.Join(members[1], ",")+end)
	d.changes = append(d.changes, c)
}

// add adds a change of the current element or field. What is added to an element, or
// removed from it, changes the element.
func (d *differ) add(path string, p pair) {
	c := d.template
	isWhole := c.Part == "field" || path == c.Path
	c.Change, c.Path = "changed", path
	for side, json := range []**string{&c.Before, &c.After} {
		if p.values[side].Kind() != 0 {
			*json = new(p.values[side].JSON())
		} else if isWhole {
			c.Change = []string{"added", "removed"}[side]
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
