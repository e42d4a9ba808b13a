// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"slices"
	"strings"
)

// builder fills a graph in two passes. The first finds IDs and names, and the
// second their occurrences.
type builder struct {
	*Graph
	// outsideValues can name nodes and variables, usesOnly just variables.
	outsideValues, usesOnly []value
	// numericIDs reports that a node's ID is a number, so that numbers count as
	// texts.
	numericIDs bool
}

// newGraph fails with ErrNotObject or ErrNoGraph.
func newGraph(definition value) (*Graph, error) {
	if definition.kind != '{' {
		return nil, ErrNotObject
	}
	b := &builder{Graph: &Graph{identifiers: map[string]*identifier{}}}
	found := false
	for _, m := range definition.members {
		isObject := m.value.kind == '{'
		switch {
		case m.key == "graph" && isObject:
			found = true
			b.graph(m.value)
		case m.key == "canvas" && isObject:
			b.canvas(m.value)
		case m.key == "telemetry":
			// It lists every variable as a column.
		default:
			b.outsideValues = append(b.outsideValues, m.value)
		}
	}
	if !found {
		return nil, ErrNoGraph
	}
	b.findUses()
	b.sortNodes()
	b.analyze()
	return b.Graph, nil
}

func (b *builder) graph(graph value) {
	for _, m := range graph.members {
		switch m.key {
		case "links":
			b.elements(m.value, b.link)
		case "nodes":
			b.elements(m.value, b.node)
		case "memory":
			b.elements(m.value, b.variable)
		case "entrypoints":
			b.elements(m.value, b.entrypoint)
		default:
			b.outsideValues = append(b.outsideValues, m.value)
		}
	}
}

// canvas ignores the authors' notes, which can contain any name.
func (b *builder) canvas(canvas value) {
	for _, m := range canvas.members {
		if m.key != "annotations" {
			b.outsideValues = append(b.outsideValues, m.value)
		}
	}
}

// elements adds the objects of an array.
func (b *builder) elements(array value, add func(value)) {
	if array.kind != '[' {
		b.unexpected = b.unexpected || array.kind != 'n'
		return
	}
	for _, m := range array.members {
		if m.value.kind == '{' {
			add(m.value)
		} else {
			b.unexpected = b.unexpected || m.value.kind != 'n'
		}
	}
}

func (b *builder) link(v value) {
	l := &link{value: v}
	id := ""
	for _, m := range v.members {
		switch m.key {
		case "id":
			id = m.value.text
		case "from":
			l.froms, l.blockID, l.itemID = b.side(m.value, "blockId", "itemId")
		case "to":
			l.tos, l.groupID, _ = b.side(m.value, "groupId", "blockId")
		}
	}
	if l.id = b.identifier(id, true); l.id != nil {
		l.id.links = append(l.id.links, l)
	}
	b.links = append(b.links, l)
	b.usesOnly = append(b.usesOnly, v)
}

// side returns the IDs on one side of a link, and the documented two of them.
// The first is first among all.
func (b *builder) side(v value, firstKey, secondKey string) (ids []*identifier, first, second *identifier) {
	if v.kind != '{' {
		return nil, nil, nil
	}
	for _, m := range v.members {
		id := b.identifier(m.value.text, true)
		if id == nil {
			continue
		}
		ids = append(ids, id)
		switch m.key {
		case firstKey:
			ids[0], ids[len(ids)-1] = id, ids[0]
			first = id
		case secondKey:
			second = id
		}
	}
	return ids, first, second
}

func (b *builder) node(v value) {
	n := &node{value: v}
	id, title := "", label{}
	for _, m := range v.members {
		switch {
		case m.key == "id":
			id = m.value.text
			b.numericIDs = b.numericIDs || m.value.kind == '0'
		case m.value.kind == '"':
			title.add(m.key, m.value.text)
		}
	}
	n.title = title.text
	n.line, n.name = line(n.title, maxTitle), name(n.title, id)
	if n.id = b.identifier(id, true); n.id != nil {
		n.id.nodes = append(n.id.nodes, n)
	}
	b.nodes = append(b.nodes, n)
}

func (b *builder) variable(v value) {
	id, title := "", ""
	for _, m := range v.members {
		switch m.key {
		case "id":
			id = m.value.text
		case "name":
			title = m.value.text
		default:
			b.usesOnly = append(b.usesOnly, m.value)
		}
	}
	added := &variable{b.identifier(id, true), b.identifier(title, false)}
	if added.id != nil {
		added.id.variables = append(added.id.variables, added)
	}
	b.variables = append(b.variables, added)
}

func (b *builder) entrypoint(v value) {
	e := &entrypoint{value: v}
	id := ""
	for _, m := range v.members {
		switch m.key {
		case "id":
			id = m.value.text
		case "type":
			e.kind = m.value.text
		}
	}
	e.line, e.name = line(e.kind, maxTitle), name(e.kind, id)
	if e.id = b.identifier(id, true); e.id != nil {
		e.id.entrypoints = append(e.id.entrypoints, e)
	}
	b.entrypoints = append(b.entrypoints, e)
}

// identifier returns the identifier with a text and adds it if necessary. An
// empty text has none.
func (b *builder) identifier(text string, isID bool) *identifier {
	if text == "" {
		return nil
	}
	id := b.identifiers[text]
	if id == nil {
		id = &identifier{text: text}
		b.identifiers[text] = id
	}
	id.isID = id.isID || isID
	return id
}

// sortNodes numbers the nodes by title and ID, so that messages name the same
// one of several whatever their order.
func (b *builder) sortNodes() {
	sorted := slices.Clone(b.nodes)
	slices.SortFunc(sorted, func(x, y *node) int {
		return cmp.Or(strings.Compare(x.title, y.title), strings.Compare(textOf(x.id), textOf(y.id)))
	})
	for i, n := range sorted {
		n.order = i
	}
}

// textOf returns the text of an identifier, or nothing for nil.
func textOf(id *identifier) string {
	if id == nil {
		return ""
	}
	return id.text
}

// labelKeys are the keys of the texts that name an object, the best one last.
var labelKeys = []string{"text", "content", "name", "label", "title"}

// label is the best text of an object to call it by.
type label struct {
	text string
	rank int
}

func (l *label) add(key, text string) {
	rank := slices.Index(labelKeys, key)
	if text != "" && rank >= 0 && rank >= l.rank {
		*l = label{text, rank}
	}
}
