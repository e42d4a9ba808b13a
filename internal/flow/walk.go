// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"unicode"
)

// contents visits everything that can name something in the graph. Nodes are
// first, so that it is known then what belongs to a node.
func (r *reader) contents() {
	w := &walk{index: &r.index, numericIDs: r.numericIDs, objects: r.objects}
	i, n, e := 0, (*node)(nil), (*entrypoint)(nil)
	inNode := func(at int, isID bool) {
		switch p := &r.places[at]; {
		case at == n.id:
		case p.nodes != 0:
			r.add(&n.jumps, at)
		case isID && !r.endsWith(p.holders, i):
			r.add(&p.holders, i)
			r.add(&n.inside, at)
		case p.links != 0 && !r.endsWith(p.namedBy, i):
			r.add(&p.namedBy, i)
			r.add(&n.inside, at)
		}
	}
	for i = range r.nodes {
		n = &r.nodes[i]
		n.start = w.walk(n.content, inNode)
	}
	inEntrypoint := func(at int, _ bool) {
		switch p := &r.places[at]; {
		case p.entrypoint == i+1:
		case p.links != 0:
			p.entrypoint = i + 1
			r.add(&e.links, at)
		case r.inNode(at):
			p.entrypoint = i + 1
			r.add(&e.inside, at)
		}
	}
	for i = range r.entrypoints {
		e = &r.entrypoints[i]
		w.walk(e.content, inEntrypoint)
	}
	for _, value := range r.outsideContents {
		w.walk(value, func(at int, _ bool) { r.outside = append(r.outside, at) })
	}
	for _, value := range r.usesOnly {
		w.walk(value, func(int, bool) {})
	}
	r.objects = w.objects
}

// walk finds known texts in values.
type walk struct {
	*index
	cursor
	numericIDs bool
	// found is called for each known text.
	found func(at int, isID bool)
	// objects are those that the cursor is in.
	objects []object
	// start reports that something has the type of an entry point.
	start bool
}

// object has the place of its ID, or none, and its label.
type object struct {
	id    int
	label label
}

// walk calls a function for each known text in a value, and stores the labels
// of objects with known IDs. It reports whether something in the value has the
// type of an entry point.
func (w *walk) walk(value []byte, found func(at int, isID bool)) (start bool) {
	w.cursor, w.found, w.start = cursor{data: value}, found, false
	var key []byte // of the next value, if it has one
	for w.pos < len(value) {
		switch b := value[w.pos]; {
		case b == '"':
			text := w.text()
			if !w.isKey() {
				w.value(key, text)
				continue
			}
			key = text
			if at := w.find(key); w.places[at].isID {
				w.use(at, false)
			}
			continue
		case isNumber(b):
			if number := w.skip(); w.numericIDs || string(key) == "id" {
				w.look(key, number)
			}
			continue
		case b == ',' || b == '[':
			key = nil
		case b == '{':
			w.objects = append(w.objects, object{})
			key = nil
		case b == '}':
			last := len(w.objects) - 1
			if o := &w.objects[last]; o.id != none && w.places[o.id].label == nil {
				w.places[o.id].label = o.label.text
			}
			w.objects = w.objects[:last]
		}
		w.pos++
	}
	return w.start
}

// value takes a text that has a key if it is in an object.
func (w *walk) value(key, text []byte) {
	at := w.look(key, text)
	if key == nil {
		return
	}
	o := &w.objects[len(w.objects)-1]
	o.label.add(key, text)
	switch {
	case string(key) == "id" && at != none:
		o.id = at
	case string(key) == "type" && string(text) == "start":
		w.start = true
	}
}

// look looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes. It returns the place of the whole text, or
// none.
func (w *walk) look(key, text []byte) int {
	at := w.find(text)
	isID := string(key) == "id"
	w.use(at, isID)
	if !isID && hasParts(text) {
		w.parts(text, func(r rune) bool { return r == '"' || r == '\'' || r == '`' || r == '\\' })
		w.templates(text)
	}
	return at
}

// hasParts reports whether a text can have parts in quotes or braces.
func hasParts(text []byte) bool {
	for _, b := range text {
		switch b {
		case '"', '\'', '`', '{':
			return true
		}
	}
	return false
}

func (w *walk) templates(text []byte) {
	for {
		_, rest, ok := bytes.Cut(text, []byte("{{"))
		if !ok {
			return
		}
		var inside []byte
		inside, text, _ = bytes.Cut(rest, []byte("}}"))
		w.use(w.find(bytes.TrimSpace(inside)), false)
		// {{= first name + 1 =}} has a name of two words.
		w.parts(inside, func(r rune) bool { return r != ' ' && r != '-' && !isWord(r) })
		w.parts(inside, func(r rune) bool { return !isWord(r) })
	}
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func (w *walk) parts(text []byte, between func(rune) bool) {
	for part := range bytes.FieldsFuncSeq(text, between) {
		w.use(w.find(bytes.TrimSpace(part)), false)
	}
}

func (w *walk) use(at int, isID bool) {
	if at != none {
		w.places[at].used = true
		w.found(at, isID)
	}
}
