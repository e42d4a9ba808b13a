// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"unicode"
)

// reader fills a graph in two passes. The first finds IDs and names, and the
// second their occurrences.
type reader struct {
	*Graph
	// contents of the second pass. Those of a node or an entry point have its
	// index.
	nodeContents, entrypointContents [][]byte
	// outsideContents can name nodes and variables, usesOnly just variables.
	outsideContents, usesOnly [][]byte
	// numericIDs reports that a node's ID is a number, so that numbers count as
	// texts.
	numericIDs bool
}

// structure reports whether there is a graph.
func (r *reader) structure(c *cursor) (ok bool) {
	c.object(func(key []byte) {
		isObject := c.peek() == '{'
		switch name := string(key); {
		case name == "graph" && isObject:
			ok = true
			r.graph(c)
		case name == "canvas" && isObject:
			r.canvas(c)
		case name == "telemetry":
			// It lists every variable as a column.
			c.raw()
		default:
			r.outsideContents = append(r.outsideContents, c.raw())
		}
	})
	return ok
}

func (r *reader) graph(c *cursor) {
	c.object(func(key []byte) {
		switch string(key) {
		case "links":
			r.elements(c, r.link)
		case "nodes":
			r.elements(c, r.node)
		case "memory":
			r.elements(c, r.variable)
		case "entrypoints":
			r.elements(c, r.entrypoint)
		default:
			r.outsideContents = append(r.outsideContents, c.raw())
		}
	})
}

// canvas ignores the authors' notes, which can contain any name.
func (r *reader) canvas(c *cursor) {
	c.object(func(key []byte) {
		if value := c.raw(); string(key) != "annotations" {
			r.outsideContents = append(r.outsideContents, value)
		}
	})
}

// elements reads the objects of an array.
func (r *reader) elements(c *cursor, element func(*cursor)) {
	read := func() {
		switch first := c.peek(); first {
		case '{':
			element(c)
		default:
			r.unexpected = r.unexpected || first != 'n'
			c.raw()
		}
	}
	if c.peek() == '[' {
		c.array(read)
		return
	}
	r.unexpected = r.unexpected || c.peek() != 'n'
	c.raw()
}

func (r *reader) link(c *cursor) {
	begin := c.pos
	l := link{place: none, source: none, item: none, target: none}
	c.object(func(key []byte) {
		switch string(key) {
		case "id":
			l.id = c.scalar()
		case "from":
			l.from, l.source, l.item = r.side(c, "blockId", "itemId")
		case "to":
			l.to, l.target, _ = r.side(c, "groupId", "blockId")
		default:
			c.raw()
		}
	})
	if l.place = r.putID(l.id); l.place != none {
		r.places[l.place].links = append(r.places[l.place].links, len(r.links))
	}
	r.links = append(r.links, l)
	r.usesOnly = append(r.usesOnly, c.data[begin:c.pos])
}

// side returns the IDs on one side of a link, and the documented two of them.
// The first is first among all.
func (r *reader) side(c *cursor, firstKey, secondKey string) (ids []int, first, second int) {
	first, second = none, none
	if c.peek() != '{' {
		c.raw()
		return nil, none, none
	}
	c.object(func(key []byte) {
		id := r.putID(c.scalar())
		if id == none {
			return
		}
		ids = append(ids, id)
		switch string(key) {
		case firstKey:
			last := len(ids) - 1
			ids[0], ids[last] = ids[last], ids[0]
			first = id
		case secondKey:
			second = id
		}
	})
	return ids, first, second
}

func (r *reader) node(c *cursor) {
	begin := c.pos
	n := node{place: none}
	var title labels
	c.object(func(key []byte) {
		first := c.peek()
		switch {
		case string(key) == "id":
			n.id = c.scalar()
			r.numericIDs = r.numericIDs || first != '"' && n.id != ""
		case first == '"':
			title.add(key, c.text())
		default:
			c.raw()
		}
	})
	n.title = title.best()
	if n.place = r.putID(n.id); n.place != none {
		r.places[n.place].nodes = append(r.places[n.place].nodes, len(r.nodes))
	}
	r.nodes = append(r.nodes, n)
	r.nodeContents = append(r.nodeContents, c.data[begin:c.pos])
}

func (r *reader) variable(c *cursor) {
	var v variable
	c.object(func(key []byte) {
		switch string(key) {
		case "id":
			v.id = c.scalar()
		case "name":
			v.name = c.scalar()
		default:
			r.usesOnly = append(r.usesOnly, c.raw())
		}
	})
	for _, at := range []int{r.putID(v.id), r.putName(v.name)} {
		if at != none {
			v.places = append(v.places, at)
		}
	}
	r.variables = append(r.variables, v)
}

func (r *reader) entrypoint(c *cursor) {
	begin := c.pos
	var e entrypoint
	c.object(func(key []byte) {
		switch string(key) {
		case "id":
			e.id = c.scalar()
		case "type":
			e.kind = c.scalar()
		default:
			c.raw()
		}
	})
	if e.place = r.putID(e.id); e.place != none {
		r.places[e.place].entrypoints = append(r.places[e.place].entrypoints, len(r.entrypoints))
	}
	r.entrypoints = append(r.entrypoints, e)
	r.entrypointContents = append(r.entrypointContents, c.data[begin:c.pos])
}

// contents visits everything that can name something in the graph.
func (r *reader) contents() {
	for i, value := range r.nodeContents {
		n := &r.nodes[i]
		n.start = r.walk(value, func(at int, isID bool) {
			switch p := &r.places[at]; {
			case at == n.place:
			case len(p.nodes) > 0:
				n.jumps = append(n.jumps, at)
			case isID && !endsWith(p.holders, i):
				p.holders = append(p.holders, i)
				n.inside = append(n.inside, at)
			case len(p.links) > 0 && !endsWith(p.namedBy, i):
				p.namedBy = append(p.namedBy, i)
				n.inside = append(n.inside, at)
			}
		})
	}
	for i, value := range r.entrypointContents {
		e := &r.entrypoints[i]
		seen := map[int]bool{}
		r.walk(value, func(at int, _ bool) {
			if !seen[at] {
				seen[at] = true
				e.names = append(e.names, at)
			}
		})
	}
	for _, value := range r.outsideContents {
		r.walk(value, func(at int, _ bool) { r.outside = append(r.outside, at) })
	}
	for _, value := range r.usesOnly {
		r.walk(value, func(int, bool) {})
	}
}

func endsWith(list []int, i int) bool { return len(list) > 0 && list[len(list)-1] == i }

// walk skips a value and calls a function for each known text in it. It reports
// whether something in the value has the type of an entry point.
func (r *reader) walk(value []byte, found func(at int, isID bool)) (start bool) {
	w := &walk{reader: r, cursor: &cursor{data: value}, found: found}
	w.value(nil)
	return w.start
}

type walk struct {
	*reader
	cursor *cursor
	found  func(at int, isID bool)
	start  bool
}

// value skips a value. key is its key in an object.
func (w *walk) value(key []byte) {
	c := w.cursor
	switch b := c.peek(); {
	case b == '{':
		w.object()
	case b == '[':
		c.array(func() { w.value(nil) })
	case b == '"':
		w.text(key, c.text())
	case (b == '-' || b >= '0' && b <= '9') && (w.numericIDs || string(key) == "id"):
		w.text(key, c.raw())
	default:
		c.raw()
	}
}

// object skips an object and stores its label if it has a known ID.
func (w *walk) object() {
	c := w.cursor
	at, label := none, labels{}
	c.object(func(key []byte) {
		if at, ok := w.index[string(key)]; ok && w.places[at].isID {
			w.look(key, false)
		}
		if c.peek() != '"' {
			w.value(key)
			return
		}
		text := c.text()
		w.text(key, text)
		if string(key) == "id" {
			if known, ok := w.index[string(text)]; ok {
				at = known
			}
		}
		label.add(key, text)
	})
	if at != none && w.places[at].label == "" {
		w.places[at].label = label.best()
	}
}

// text looks up a text and its parts in quotes or braces, where code and
// templates name variables and nodes.
func (w *walk) text(key, text []byte) {
	if string(key) == "id" {
		w.look(text, true)
		return
	}
	w.start = w.start || string(key) == "type" && string(text) == "start"
	w.look(text, false)
	if bytes.ContainsAny(text, "\"'`") {
		w.parts(text, func(r rune) bool { return r == '"' || r == '\'' || r == '`' || r == '\\' })
	}
	for {
		_, rest, ok := bytes.Cut(text, []byte("{{"))
		if !ok {
			return
		}
		var inside []byte
		inside, text, _ = bytes.Cut(rest, []byte("}}"))
		w.look(bytes.TrimSpace(inside), false)
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
		w.look(bytes.TrimSpace(part), false)
	}
}

func (w *walk) look(text []byte, isID bool) {
	at, ok := w.index[string(text)]
	if !ok {
		return
	}
	w.places[at].used = true
	w.found(at, isID)
}

// labels collects the possible labels of an object.
type labels [5][]byte

func (l *labels) add(key, text []byte) {
	if len(text) == 0 {
		return
	}
	switch string(key) {
	case "title":
		l[0] = text
	case "label":
		l[1] = text
	case "name":
		l[2] = text
	case "content":
		l[3] = text
	case "text":
		l[4] = text
	}
}

func (l *labels) best() string {
	for _, text := range l {
		if len(text) > 0 {
			return string(text)
		}
	}
	return ""
}
