// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// reader finds the contents of the values in a definition. They have one spelling of each
// number, sort unordered lists, and lack what the rules omit, what is null, and positions.
type reader struct {
	contents  map[value]hash   // hashes of the contents of objects and lists
	positions map[value]string // of the elements that have one
	parts     map[string]hash  // hashes of the contents of the parts in rules
	layout    []string         // hashes of positions, each with what it belongs to
}

type hash = [sha256.Size]byte

func newReader() *reader {
	return &reader{map[value]hash{}, map[value]string{}, map[string]hash{}, nil}
}

// read appends the content of a value. That of an object or a list is replaced by its hash,
// so that the time does not grow with the nesting.
func (d *reader) read(content []byte, v value, r *rule) []byte {
	start := len(content)
	switch v.Kind() {
	case '{':
		content = d.object(content, v, r)
	case '[':
		content = d.list(content, v, r)
	default:
		return appendLiteral(content, v)
	}
	sum := sha256.Sum256(content[start:])
	d.contents[v] = sum
	return append(append(content[:start], '#'), sum[:]...)
}

// contentOf returns the content of a value that has been read, or is absent.
func (d *reader) contentOf(v value) string {
	switch v.Kind() {
	case '{', '[':
		sum := d.contents[v]
		return string(sum[:])
	}
	return string(appendLiteral(nil, v))
}

func appendLiteral(content []byte, v value) []byte {
	switch v.Kind() {
	case '"':
		return appendText(content, '"', v.Text())
	case '0':
		return appendText(content, '0', jsonvalue.Number(v.Text()))
	}
	return append(content, byte(v.Kind())) // null, true, or false
}

// appendText appends a text so that it cannot be taken for what follows it.
func appendText(content []byte, kind byte, text string) []byte {
	content = binary.AppendUvarint(append(content, kind), uint64(len(text)))
	return append(content, text...)
}

var emptyObject = sha256.Sum256([]byte("{"))

func (d *reader) object(content []byte, object value, r *rule) []byte {
	content = append(content, '{')
	var position []byte
	for key, v := range object.Members() {
		member, start := r.member(key), len(content)
		content = appendText(content, 'k', key)
		keyEnd := len(content)
		content = d.read(content, v, member)
		switch {
		case isAbsent(v):
		case member.part != "":
			d.parts[member.part] = sha256.Sum256(content[keyEnd:])
		case member.omitted && (len(member.members) == 0 || v.Kind() != '{' || d.contents[v] == emptyObject):
		case member.position && isNumeric(v):
			position = append(position, content[start:]...)
		default:
			continue
		}
		content = content[:start] // The object's content lacks it.
	}
	if position != nil {
		d.positions[object] = string(position)
	}
	return content
}

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

func (d *reader) list(content []byte, list value, r *rule) []byte {
	content = append(content, '[')
	elements := cmp.Or(r.elements, noRule)
	seen := map[string]int{}
	var unordered []string
	for _, v := range list.Members() {
		start := len(content)
		content = d.read(content, v, elements)
		repeated := d.repeated(v, elements, seen)
		content = append(content, repeated...)
		d.addToLayout(v, elements, repeated)
		if r.unordered {
			unordered = append(unordered, string(content[start:]))
			content = content[:start]
		}
	}
	slices.Sort(unordered)
	for _, element := range unordered {
		content = append(content, element...)
	}
	return content
}

// repeated tells an element from those before it that share a key with it, because a service
// may take the first of them. It counts these in seen.
func (d *reader) repeated(element value, r *rule, seen map[string]int) string {
	text := ""
	for _, key := range r.keys {
		member := element.Member(key)
		if isAbsent(member) {
			continue
		}
		shared := key + d.contentOf(member)
		if n := seen[shared]; n > 0 {
			text += "@" + key + strconv.Itoa(n)
		}
		seen[shared]++
	}
	return text
}

// addToLayout adds the position of an element with its ID instead of its content, so that a
// new text does not change the layout.
func (d *reader) addToLayout(element value, r *rule, repeated string) {
	position, hasPosition := d.positions[element]
	if !hasPosition {
		return
	}
	identity := d.contentOf(element)
	if id := element.Member("id"); !isAbsent(id) {
		identity = d.contentOf(id)
	}
	sum := sha256.Sum256([]byte(position + r.element + identity + repeated))
	d.layout = append(d.layout, string(sum[:]))
}
