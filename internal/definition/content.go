// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// contents has the contents of values. A content is the JSON of a literal, with one spelling of
// each number, or a hash. An object or a list is hashed over the contents of what is in it, so
// that the time does not grow with the nesting. Its hash lacks what is null or another part,
// and the order of unordered lists.
type contents struct {
	hashes    map[value]string // of objects and lists
	positions map[value]string // of elements that have one
	parts     map[string]string
	layout    []string // positions, each with what it belongs to
}

func newContents() *contents {
	return &contents{map[value]string{}, map[value]string{}, map[string]string{}, nil}
}

// add appends the content of a value to a text, and adds those of everything in it.
func (c *contents) add(text []byte, v value, s *shape) []byte {
	start := len(text)
	switch v.Kind() {
	case '{':
		text = c.addMembers(append(text, '{'), v, s)
		c.hashes[v] = hashOf(text[start:])
	case '[':
		text = c.addElements(append(text, '['), v, s)
		c.hashes[v] = hashOf(text[start:])
	}
	return c.appendTo(text[:start], v)
}

// hashOf returns a hash in a form that no other content has.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "#" + string(sum[:])
}

// of returns the content of a value that was added, or is absent.
func (c *contents) of(v value) string { return string(c.appendTo(nil, v)) }

func (c *contents) appendTo(text []byte, v value) []byte {
	switch v.Kind() {
	case '{', '[':
		return append(text, c.hashes[v]...)
	case '0':
		return append(text, jsonvalue.Number(v.Text())...)
	}
	return v.AppendJSON(text)
}

// addMembers appends the members of an object that are not another part.
func (c *contents) addMembers(text []byte, object value, s *shape) []byte {
	position := ""
	for key, v := range object.Members() {
		member, start := s.member(key), len(text)
		text = append(jsonvalue.AppendQuote(text, key), ':')
		text = append(c.add(text, v, member), ',')
		switch part := c.partOf(v, member); part {
		case "":
			continue
		case omitted:
		case Layout:
			position += string(text[start:])
		default:
			c.parts[part] = c.of(v)
		}
		text = text[:start]
	}
	if position != "" {
		c.positions[object] = position
	}
	return text
}

// partOf returns the part that a member is, or "" if it belongs to the object.
func (c *contents) partOf(v value, s *shape) string {
	switch {
	case isAbsent(v):
		return omitted
	case s.part == Layout && !isNumeric(v):
		return ""
	case s.part == omitted && len(s.members) > 0 && v.Kind() == '{' && c.hashes[v] != emptyObject:
		return "" // It has members without a shape.
	}
	return s.part
}

var emptyObject = hashOf([]byte("{"))

// isAbsent reports whether a member is absent, or null, which is the same.
func isAbsent(v value) bool { return v.Kind() == 0 || v.Kind() == 'n' }

// isNumeric reports whether a value is absent, a number, or an object of numbers.
func isNumeric(v value) bool {
	for _, member := range v.Members() {
		if !isNumeric(member) {
			return false
		}
	}
	return isAbsent(v) || v.Kind() == '0' || v.Kind() == '{'
}

// addElements appends the elements of a list, sorted if their order has no meaning.
func (c *contents) addElements(text []byte, list value, s *shape) []byte {
	var unordered []string
	for _, v := range list.Members() {
		start := len(text)
		text = append(c.add(text, v, cmp.Or(s.elements, plain)), ',')
		if s.elements != nil {
			c.addToLayout(v, s.elements)
			unordered = append(unordered, string(text[start:]))
			text = text[:start]
		}
	}
	slices.Sort(unordered)
	return append(text, strings.Join(unordered, "")...)
}

// addToLayout adds the position of an element with its ID instead of its content, so that a
// new text does not change the layout.
func (c *contents) addToLayout(element value, s *shape) {
	position, hasPosition := c.positions[element]
	if !hasPosition {
		return
	}
	identity := c.of(element)
	if id := element.Member("id"); !isAbsent(id) {
		identity = c.of(id)
	}
	c.layout = append(c.layout, s.element+position+identity+",")
}
