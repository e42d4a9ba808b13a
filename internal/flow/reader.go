// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

// reader fills a graph in two passes. The first finds IDs and names, and the
// second their occurrences.
type reader struct {
	Graph
	*cursor
	// outsideContents can name nodes and variables, usesOnly just variables.
	outsideContents, usesOnly [][]byte
	// objects are those that the second pass is in.
	objects []object
	// numericIDs reports that a node's ID is a number, so that numbers count as
	// texts.
	numericIDs bool
}

// read reads and skips a definition. It keeps the memory of the last one.
func (r *reader) read(c *cursor) error {
	if c.peek() != '{' {
		c.skip()
		return ErrNotObject
	}
	r.reset()
	r.nodes, r.links, r.entrypoints, r.variables = r.nodes[:0], r.links[:0], r.entrypoints[:0], r.variables[:0]
	r.outside, r.outsideContents, r.usesOnly = r.outside[:0], r.outsideContents[:0], r.usesOnly[:0]
	r.unexpected, r.targetsKnown, r.entered, r.numericIDs = false, false, false, false
	r.cursor = c
	if !r.structure() {
		return ErrNoGraph
	}
	r.contents()
	r.analyze()
	return nil
}

// structure reports whether there is a graph.
func (r *reader) structure() (ok bool) {
	r.object(func(key []byte) {
		isObject := r.peek() == '{'
		switch name := string(key); {
		case name == "graph" && isObject:
			ok = true
			r.graph()
		case name == "canvas" && isObject:
			r.canvas()
		case name == "telemetry":
			// It lists every variable as a column.
			r.skip()
		default:
			r.outsideContents = append(r.outsideContents, r.skip())
		}
	})
	return ok
}

func (r *reader) graph() {
	r.object(func(key []byte) {
		switch string(key) {
		case "links":
			r.elements(r.link)
		case "nodes":
			r.elements(r.node)
		case "memory":
			r.elements(r.variable)
		case "entrypoints":
			r.elements(r.entrypoint)
		default:
			r.outsideContents = append(r.outsideContents, r.skip())
		}
	})
}

// canvas ignores the authors' notes, which can contain any name.
func (r *reader) canvas() {
	r.object(func(key []byte) {
		if value := r.skip(); string(key) != "annotations" {
			r.outsideContents = append(r.outsideContents, value)
		}
	})
}

// elements reads the objects of an array.
func (r *reader) elements(element func()) {
	read := func() {
		switch first := r.peek(); first {
		case '{':
			element()
		default:
			r.unexpected = r.unexpected || first != 'n'
			r.skip()
		}
	}
	if r.peek() == '[' {
		r.array(read)
		return
	}
	r.unexpected = r.unexpected || r.peek() != 'n'
	r.skip()
}

func (r *reader) link() {
	var l link
	var id []byte
	begin := r.pos
	r.object(func(key []byte) {
		switch string(key) {
		case "id":
			id = r.scalar()
		case "from":
			l.froms, l.blockID, l.itemID = r.side("blockId", "itemId")
		case "to":
			l.tos, l.groupID, _ = r.side("groupId", "blockId")
		default:
			r.skip()
		}
	})
	if l.id = r.putID(id); l.id != none {
		r.add(&r.places[l.id].links, len(r.links))
	}
	r.links = append(r.links, l)
	r.usesOnly = append(r.usesOnly, r.data[begin:r.pos])
}

// side returns the IDs on one side of a link, and the documented two of them.
// The first is first among all.
func (r *reader) side(firstKey, secondKey string) (ids list, first, second int) {
	if r.peek() != '{' {
		r.skip()
		return 0, none, none
	}
	r.object(func(key []byte) {
		id := r.putID(r.scalar())
		if id == none {
			return
		}
		r.add(&ids, id)
		switch string(key) {
		case firstKey:
			last := &r.cells[ids]
			start := &r.cells[last.next]
			start.value, last.value = last.value, start.value
			first = id
		case secondKey:
			second = id
		}
	})
	return ids, first, second
}

func (r *reader) node() {
	var n node
	var id []byte
	var title label
	begin := r.pos
	r.object(func(key []byte) {
		first := r.peek()
		switch {
		case string(key) == "id":
			id = r.scalar()
			r.numericIDs = r.numericIDs || isNumber(first)
		case first == '"':
			title.add(key, r.text())
		default:
			r.skip()
		}
	})
	n.title, n.content = title.text, r.data[begin:r.pos]
	if n.id = r.putID(id); n.id != none {
		r.add(&r.places[n.id].nodes, len(r.nodes))
	}
	r.nodes = append(r.nodes, n)
}

func (r *reader) variable() {
	var id, name []byte
	r.object(func(key []byte) {
		switch string(key) {
		case "id":
			id = r.scalar()
		case "name":
			name = r.scalar()
		default:
			r.usesOnly = append(r.usesOnly, r.skip())
		}
	})
	v := variable{r.putID(id), r.putName(name)}
	if v.id != none {
		r.add(&r.places[v.id].variables, len(r.variables))
	}
	r.variables = append(r.variables, v)
}

func (r *reader) entrypoint() {
	var e entrypoint
	var id []byte
	begin := r.pos
	r.object(func(key []byte) {
		switch string(key) {
		case "id":
			id = r.scalar()
		case "type":
			e.kind = r.scalar()
		default:
			r.skip()
		}
	})
	e.content = r.data[begin:r.pos]
	if e.id = r.putID(id); e.id != none {
		r.add(&r.places[e.id].entrypoints, len(r.entrypoints))
	}
	r.entrypoints = append(r.entrypoints, e)
}

// label is the best text of an object to call it by.
type label struct {
	text []byte
	rank int
}

func (l *label) add(key, text []byte) {
	rank := 0
	switch string(key) {
	case "title":
		rank = 5
	case "label":
		rank = 4
	case "name":
		rank = 3
	case "content":
		rank = 2
	case "text":
		rank = 1
	default:
		return
	}
	if len(text) > 0 && rank >= l.rank {
		*l = label{text, rank}
	}
}
