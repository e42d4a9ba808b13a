// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// walk is one pass through a document. Once the context has ended, all loops end,
// the cursor can be anywhere, and the result is meaningless.
type walk struct {
	*interrupt
	cursor
	path     []step
	mismatch MismatchError
	// unnamed has the members of the document without an attribute.
	unnamed map[string]json.RawMessage
	// content is the newest string. A pointer to it saves an allocation for
	// each of them.
	content string
	// Space for canonical text: the text itself, the members of the objects
	// around the cursor, and a text whose members are being sorted.
	output, unordered []byte
	members           []member
}

// step is a key of an object or, where it has none, an index of a list.
type step struct {
	key   string
	index int
}

// value decodes the value at the cursor. If its kind is not the node's, value
// records the mismatch and returns null.
func (w *walk) value(n *node) tftypes.Value {
	kind := kindOf(w.data[w.pos])
	switch {
	case kind == aNull:
		w.raw()
		return n.null
	case n.kind == aString:
		w.content = w.text(n)
		return tftypes.NewValue(n.typ, &w.content)
	case n.kind != kind:
		w.fail(fmt.Sprintf("expected %s, got %s", n.kind, kind))
		w.raw()
		return n.null
	case kind == anObject:
		return w.object(n)
	case kind == anArray:
		return w.list(n)
	case kind == aNumber:
		return w.number(n)
	default:
		return tftypes.NewValue(n.typ, w.raw()[0] == 't')
	}
}

func (w *walk) object(n *node) tftypes.Value {
	values := make(map[string]tftypes.Value, len(n.all))
	outer := w.mismatch
	var mismatches []attributeMismatch
	for w.open(); w.next(); {
		key := w.key()
		fields := n.fields[string(key)]
		w.separators()
		start := w.pos
		for _, f := range fields {
			// Two attributes can hold the same value.
			w.pos = start
			if _, present := values[f.attribute]; present {
				// Of equal keys the last one counts, and so do its mismatches.
				mismatches = slices.DeleteFunc(mismatches, func(m attributeMismatch) bool { return m.attribute == f.attribute })
			}
			w.mismatch = MismatchError{}
			values[f.attribute] = w.member(f)
			if w.mismatch.Count > 0 {
				mismatches = append(mismatches, attributeMismatch{f.attribute, w.mismatch})
			}
		}
		if len(fields) == 0 {
			w.unnamedMember(key)
		}
	}
	w.mismatch = outer
	for _, m := range mismatches {
		w.mismatch.join(m.mismatch)
	}
	for _, f := range n.all {
		if len(values) == len(n.all) {
			break
		}
		if _, present := values[f.attribute]; present {
			continue
		}
		values[f.attribute] = f.node.null
		if f.required {
			w.push(step{key: f.key})
			w.fail("required, but missing")
			w.pop()
		}
	}
	return tftypes.NewValue(n.typ, values)
}

// attributeMismatch is the mismatch in the value of an attribute.
type attributeMismatch struct {
	attribute string
	mismatch  MismatchError
}

// member decodes the value of a key for one of its attributes.
func (w *walk) member(f *field) tftypes.Value {
	w.push(step{key: f.key})
	defer w.pop()
	if f.required && w.data[w.pos] == 'n' {
		w.fail(fmt.Sprintf("expected %s, got null", f.node.kind))
	}
	return f.decode(w, f.node)
}

// unnamedMember passes over a value without an attribute. At the top of the
// document, it records the value.
func (w *walk) unnamedMember(key []byte) {
	raw := w.raw()
	if len(w.path) > 0 {
		return
	}
	if w.unnamed == nil {
		w.unnamed = map[string]json.RawMessage{}
	}
	w.unnamed[string(key)] = raw
}

func (w *walk) list(n *node) tftypes.Value {
	values := []tftypes.Value{}
	var starts []int
	for w.open(); w.next(); {
		if n.sortBy != nil {
			starts = append(starts, w.pos)
		}
		w.push(step{index: len(values)})
		values = append(values, w.value(n.element))
		w.pop()
	}
	if n.sortBy != nil {
		values = w.sorted(values, starts, n.sortBy)
	}
	return tftypes.NewValue(n.typ, values)
}

// next reports whether another key or element follows in a document that is
// still to be decoded.
func (w *walk) next() bool { return !w.ended() && w.more() }

// text returns a string's content, and of any other value its JSON text.
func (w *walk) text(n *node) string {
	if w.data[w.pos] == '"' {
		return unquote(w.raw())
	}
	withheld := n.withheld
	if withheld != nil && withheld.whole {
		// This is the secret's own attribute.
		withheld = nil
	}
	return w.canonical(withheld)
}

// verbatim returns the value at the cursor as its JSON text.
func (w *walk) verbatim(n *node) tftypes.Value {
	if text := w.canonical(n.withheld); text != "null" {
		return tftypes.NewValue(n.typ, text)
	}
	return n.null
}

// count returns the length of the array at the cursor.
func (w *walk) count(n *node) tftypes.Value {
	if kind := kindOf(w.data[w.pos]); kind != anArray {
		if kind != aNull {
			w.fail(fmt.Sprintf("expected %s, got %s", anArray, kind))
		}
		w.raw()
		return n.null
	}
	length := 0
	for w.open(); w.next(); length++ {
		w.raw()
	}
	return tftypes.NewValue(n.typ, length)
}

func (w *walk) number(n *node) tftypes.Value {
	number, ok := parseNumber(w.raw())
	if !ok {
		w.fail(fmt.Sprintf("the number has more than %d digits when written out in full", maxDigits))
		return n.null
	}
	return tftypes.NewValue(n.typ, number)
}

func (w *walk) push(s step) { w.path = append(w.path, s) }
func (w *walk) pop()        { w.path = w.path[:len(w.path)-1] }

// fail records a problem with the value at the cursor.
func (w *walk) fail(problem string) {
	w.mismatch.add(w.location(), problem)
}

// location writes the path to the cursor: agent.canvas.annotations[3].zIndex.
func (w *walk) location() string {
	var b strings.Builder
	for _, s := range w.path {
		switch {
		case s.key == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case b.Len() > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// kind is a kind of JSON value, in words.
type kind string

const (
	anObject kind = "an object"
	anArray  kind = "an array"
	aString  kind = "a string"
	aNumber  kind = "a number"
	aBool    kind = "a bool"
	aNull    kind = "null"
)

// kindOf returns the kind of the value that begins with the given byte.
func kindOf(first byte) kind {
	switch first {
	case '{':
		return anObject
	case '[':
		return anArray
	case '"':
		return aString
	case 't', 'f':
		return aBool
	case 'n':
		return aNull
	default:
		return aNumber
	}
}
