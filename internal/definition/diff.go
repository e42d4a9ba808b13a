// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Difference is a change between two definitions.
type Difference struct {
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

// parts are those of changes in their order. All but the last one are elements.
var parts = []string{"node", "link", "variable", "entrypoint", "annotation", "field"}

// Diff returns what differs between two definitions, by part, ID, and path. Values are
// compared as in a Digest, so that nothing differs if and only if the digests are equal,
// except in groups that a digest leaves out, and in positions of elements with the same ID.
// Elements, and all other objects with an ID in an array, are matched by ID, and
// what else is in an array by position. The definition before is absent if there was none.
// The function title returns the title of an element of a part.
func Diff(before, after Definition, title func(part string, element *jsonvalue.Value) string) []Difference {
	d := &differ{
		contents: newContents(),
		title:    title,
		isNew:    before.Value == nil,
		changes:  []Difference{},
	}
	d.contents.add(nil, before.Value, root)
	d.contents.add(nil, after.Value, root)
	d.value(Difference{Part: "field"}, root, pair{"", before.Value, after.Value})
	slices.SortStableFunc(d.changes, func(x, y Difference) int {
		return cmp.Or(
			slices.Index(parts, x.Part)-slices.Index(parts, y.Part),
			strings.Compare(x.ID, y.ID), strings.Compare(x.Path, y.Path),
		)
	})
	return d.changes
}

type differ struct {
	contents *contents // of both definitions
	title    func(part string, element value) string
	isNew    bool // whether there is no definition before
	changes  []Difference
}

// value compares two values, which are a part's or in it at its Path. If they differ, it adds
// at least one change.
func (d *differ) value(at Difference, s *shape, p pair) {
	count := len(d.changes)
	switch {
	case p.bothAre('{'), s.memberwise && p.bothCanBe('{'):
		for _, member := range p.members() {
			d.value(at.member(member.key), s.member(member.key), member)
		}
	case s.hasElements() && p.bothCanBe('['):
		for _, element := range d.matched(p) {
			d.element(s.elements, element)
		}
	case p.bothAre('['):
		for _, element := range d.matched(p) {
			place := at
			place.Path += element.key
			d.value(place, plain, element)
		}
		d.order(at, p)
	case !d.same(p):
		d.addPair(at, p)
	}
	// What differs can be an empty array in place of none, the place of elements without an
	// ID among others, or the order of elements with the same ID.
	isFound := slices.ContainsFunc(d.changes[count:], func(c Difference) bool { return !c.IsLayout })
	if !isFound && !d.isNew && d.contents.of(p.before) != d.contents.of(p.after) {
		d.addPair(at, p)
	}
}

// element compares a node or another element of a list. Without an ID, its path
// is its position.
func (d *differ) element(s *shape, p pair) {
	v := cmp.Or(p.after, p.before)
	at := Difference{
		Part:  s.element,
		ID:    idOf(v),
		Title: d.title(s.element, v),
	}
	if at.ID == "" {
		at.Path = p.key
	}
	if !p.bothAre('{') {
		d.addPair(at, p)
		return
	}
	at.Change = "changed"      // also by what is added to the element, or removed from it
	var before, after []string // members that are positions
	for _, member := range p.members() {
		switch {
		case d.same(member):
		case s.member(member.key).part == Layout && isNumeric(member.before) && isNumeric(member.after):
			before = appendMember(before, member.key, member.before)
			after = appendMember(after, member.key, member.after)
		default:
			d.value(at.member(member.key), plain, member)
		}
	}
	if before != nil || after != nil {
		at.IsLayout = true
		d.add(at, joined("{", before, "}"), joined("{", after, "}"))
	}
}

func idOf(v value) string { return v.Member("id").Text() }

func appendMember(members []string, key string, v value) []string {
	if v == nil {
		return members
	}
	return append(members, jsonvalue.Quote(key)+":"+v.JSON())
}

// order adds a change if elements with an ID are in another order.
func (d *differ) order(at Difference, p pair) {
	before, after := idsIn(p.before), idsIn(p.after)
	if !slices.Equal(common(before, after), common(after, before)) {
		d.add(at, joined("[", before, "]"), joined("[", after, "]"))
	}
}

// idsIn returns the IDs of an array's elements as JSON.
func idsIn(array value) []string {
	var ids []string
	for _, element := range array.Members() {
		if idOf(element) != "" {
			ids = append(ids, element.Member("id").JSON())
		}
	}
	return ids
}

// common returns the texts that are also among others.
func common(texts, others []string) []string {
	isOther := map[string]bool{}
	for _, text := range others {
		isOther[text] = true
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !isOther[text] })
}

// joined returns members or elements as JSON.
func joined(begin string, texts []string, end string) *string {
	return new(begin + strings.Join(texts, ",") + end)
}

func (d *differ) addPair(at Difference, p pair) { d.add(at, jsonOf(p.before), jsonOf(p.after)) }

// jsonOf returns the JSON of a value, and nil for an absent one.
func jsonOf(v value) *string {
	if v == nil {
		return nil
	}
	return new(v.JSON())
}

func (d *differ) add(at Difference, before, after *string) {
	at.Before, at.After = before, after
	switch {
	case at.Change != "":
	case before == nil:
		at.Change = "added"
	case after == nil:
		at.Change = "removed"
	default:
		at.Change = "changed"
	}
	d.changes = append(d.changes, at)
}

// unquoted is a key that needs no quotes in a path.
var unquoted = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// member returns the place of a member of the object at a place.
func (at Difference) member(key string) Difference {
	switch {
	case !unquoted.MatchString(key):
		at.Path += "[" + jsonvalue.Quote(key) + "]"
	case at.Path == "":
		at.Path = key
	default:
		at.Path += "." + key
	}
	return at
}
