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
	// unused are identifiers for later, because there are many.
	unused []identifier
}

// newGraph uses the memory of unused identifiers. It fails with ErrNotObject or
// ErrNoGraph.
func newGraph(definition value, unused []identifier) (*Graph, error) {
	if definition.kind() != '{' {
		return nil, ErrNotObject
	}
	b := &builder{Graph: &Graph{identifiers: make(map[string]*identifier, len(definition)/16)}, unused: unused}
	found := false
	for key, member := range definition.members() {
		isObject := member.kind() == '{'
		switch {
		case key == "graph" && isObject:
			found = true
			b.graph(member)
		case key == "canvas" && isObject:
			b.canvas(member)
		case key == "telemetry":
			// It lists every variable as a column.
		default:
			b.outsideValues = append(b.outsideValues, member)
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
	for key, member := range graph.members() {
		switch key {
		case "links":
			b.elements(member, b.link)
		case "nodes":
			b.elements(member, b.node)
		case "memory":
			b.elements(member, b.variable)
		case "entrypoints":
			b.elements(member, b.entrypoint)
		default:
			b.outsideValues = append(b.outsideValues, member)
		}
	}
}

// canvas ignores the authors' notes, which can contain any name.
func (b *builder) canvas(canvas value) {
	for key, member := range canvas.members() {
		if key != "annotations" {
			b.outsideValues = append(b.outsideValues, member)
		}
	}
}

// elements adds the objects of an array.
func (b *builder) elements(array value, add func(value)) {
	if array.kind() != '[' {
		b.unexpected = b.unexpected || array.kind() != 'n'
		return
	}
	for _, member := range array.members() {
		if member.kind() == '{' {
			add(member)
		} else {
			b.unexpected = b.unexpected || member.kind() != 'n'
		}
	}
}

func (b *builder) link(v value) {
	l := &link{value: v}
	id := ""
	for key, member := range v.members() {
		switch key {
		case "id":
			id = member.text()
		case "from":
			l.froms, l.blockID, l.itemID = b.side(member, "blockId", "itemId")
		case "to":
			l.tos, l.groupID, _ = b.side(member, "groupId", "blockId")
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
	if v.kind() != '{' {
		return nil, nil, nil
	}
	for key, member := range v.members() {
		id := b.identifier(member.text(), true)
		if id == nil {
			continue
		}
		ids = append(ids, id)
		switch key {
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
	for key, member := range v.members() {
		switch {
		case key == "id":
			id = member.text()
			b.numericIDs = b.numericIDs || member.kind() == '0'
		case member.kind() == '"':
			title.add(key, member.text())
		}
	}
	n.title = title.text
	if n.id = b.identifier(id, true); n.id != nil {
		n.id.nodes = append(n.id.nodes, n)
	}
	b.nodes = append(b.nodes, n)
}

func (b *builder) variable(v value) {
	id, title := "", ""
	for key, member := range v.members() {
		switch key {
		case "id":
			id = member.text()
		case "name":
			title = member.text()
		default:
			b.usesOnly = append(b.usesOnly, member)
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
	for key, member := range v.members() {
		switch key {
		case "id":
			id = member.text()
		case "type":
			e.kind = member.text()
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
		if len(b.unused) == 0 {
			b.unused = make([]identifier, 32)
		}
		id, b.unused = &b.unused[0], b.unused[1:]
		id.text = text
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
