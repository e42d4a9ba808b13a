// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Default limits of Mermaid, which does not draw larger diagrams.
const (
	maxDiagramCharacters = 50_000
	maxDiagramArrows     = 500
)

// maxArrows is the number of links and jumps that are searched for changes. Many
// nodes can share the links of an item.
const maxArrows = 10_000

// idLabel is the number of characters of an ID that replace a missing title.
const idLabel = 12

// The styles have no fill, and strokes that are visible on light and on dark
// backgrounds.
const (
	diagramClasses = "classDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:#e5534b,stroke-width:2px\n" +
		"classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3\n"
	changeClasses = "classDef added stroke:#2da44e,stroke-width:4px\nclassDef removed stroke:#e5534b,stroke-width:4px,stroke-dasharray:8 4\n" +
		"classDef changed stroke:#bf8700,stroke-width:4px\n"
)

// Diagram draws the graph as a Mermaid flowchart: entry points with rounded
// ends, links with the text of the item that they come from, jumps dotted,
// unreachable nodes dashed, and the missing ends of links as hexagons. With a
// definition before, it also draws the nodes that were removed, and marks those
// that were added, removed or changed. If that exceeds the limits of Mermaid, it
// draws only a note.
//
// The lines of a node depend on that node, the ends of its links and whether it
// can be reached, so that a change of one node does not change the lines of
// others.
func (d *Definition) Diagram(before *Definition) string {
	g := &diagram{graph: newGraph(d.value), shapes: map[string]*shape{}}
	g.addElements(g.graph)
	if before != nil {
		g.before = newGraph(before.value)
		g.addElements(g.before)
		g.mark(Diff(before, d))
	}
	for _, s := range g.elements {
		g.addArrows(s)
	}
	g.addOrphanedLinks()
	return g.text()
}

type diagram struct {
	*graph
	before *graph // nil if changes are not drawn
	// elements are the shapes of entry points and nodes, followed by those of deleted
	// sources of links. What is in both graphs has one shape.
	elements []*shape
	shapes   map[string]*shape // by ID in the diagram
	arrows   int
}

// shape is an entry point, a node, or what is missing.
type shape struct {
	id, declaration string
	// node is in the graph, and both are nil for what is missing.
	node   *node
	graph  *graph
	change string // kind of change, if any
	arrows []arrow
}

// arrow is a link, perhaps with a label, or a jump.
type arrow struct {
	to   *shape
	line string
}

const linkLine, jumpLine = " --> ", " -.-> "

func labeled(text string) string {
	if label := escape(line(text)); label != "" {
		return " -->|\"" + label + "\"| "
	}
	return linkLine
}

// shape returns the shape with an ID and adds it if necessary.
func (d *diagram) shape(id, declaration string) *shape {
	s := d.shapes[id]
	if s == nil {
		s = &shape{id: id, declaration: id + declaration + "\n"}
		d.shapes[id] = s
	}
	return s
}

// hexagon returns the shape of what is not in the graph.
func (d *diagram) hexagon(kind, title, id, class string) *shape {
	return d.shape(diagramID(kind, id), "{{\""+title+"#58; "+escape(line(id))+"\"}}:::"+class)
}

// addElements adds the entry points and nodes that have no shape yet.
func (d *diagram) addElements(g *graph) {
	for _, n := range slices.Concat(g.entrypoints, g.nodes) {
		if n.id == nil {
			continue
		}
		kind, left, right := "n", "[\"", "\"]"
		switch {
		case n.isEntrypoint:
			kind, left, right = "e", "([\"", "\"])"
		case g.unreachable(n):
			right += ":::unreachable"
		}
		n.shape = d.shape(diagramID(kind, n.id.text), left+escape(cmp.Or(n.title, shorten(n.id.text, idLabel)))+right)
		if n.shape.node == nil {
			n.shape.graph, n.shape.node = g, n
			d.elements = append(d.elements, n.shape)
		}
	}
}

// mark marks what is not only moved.
func (d *diagram) mark(changes []Change) {
	prefixes := map[string]string{PartNode: "n", PartEntrypoint: "e"}
	for _, c := range changes {
		if s := d.shapes[diagramID(prefixes[c.Part], c.ID)]; s != nil && !c.IsLayout {
			s.change = c.Change
		}
	}
}

// addArrows adds what leads from an entry point or a node.
func (d *diagram) addArrows(s *shape) {
	for _, source := range s.node.sources {
		for _, l := range source.links {
			if d.arrows > maxArrows {
				return
			}
			label := ""
			if !s.node.isEntrypoint {
				label = l.label()
			}
			d.add(s, arrow{d.target(s.graph, l), labeled(label)})
		}
	}
	for _, m := range s.node.missing {
		label := ""
		if m.itemID != s.node.id.text {
			label = m.label
		}
		d.add(s, arrow{d.hexagon("l", "Missing link", m.link, "missing"), labeled(label)})
	}
	for _, to := range s.node.jumps {
		d.add(s, arrow{to.shape, jumpLine})
	}
}

// target returns the shape that a link leads to, or nil if it leads nowhere.
func (d *diagram) target(g *graph, l *link) *shape {
	if l.target != nil {
		return l.target.shape
	}
	missing := g.missingTarget(l)
	if missing == nil {
		return nil
	}
	if other := d.shapes[diagramID("n", missing.text)]; other != nil {
		return other
	}
	return d.hexagon("m", "Missing", missing.text, "missing")
}

// addOrphanedLinks adds the links of which the source is not in the graph. If it
// was in a node that was removed, they come from that node.
func (d *diagram) addOrphanedLinks() {
	for _, l := range d.links {
		source := d.missingSource(l)
		if source == nil || l.target == nil || l.target.shape == nil || d.arrows > maxArrows {
			continue
		}
		from := d.removed(source.text)
		if from == nil {
			from = d.hexagon("o", "Deleted", source.text, "orphaned")
			if from.arrows == nil {
				d.elements = append(d.elements, from)
			}
		}
		if from.leadsTo(l.target.shape) {
			d.arrows++
		} else {
			d.add(from, arrow{l.target.shape, linkLine})
		}
	}
}

// removed returns the shape of the removed node that had an item with an ID.
func (d *diagram) removed(id string) *shape {
	if d.before == nil || d.before.identifiers[id] == nil {
		return nil
	}
	n := d.before.identifiers[id].at()
	if n == nil || n.shape == nil || n.shape.graph == d.graph {
		return nil
	}
	return n.shape
}

func (s *shape) leadsTo(to *shape) bool {
	return slices.ContainsFunc(s.arrows, func(a arrow) bool { return a.to == to })
}

// add adds an arrow once, and no jump along a link.
func (d *diagram) add(from *shape, a arrow) {
	d.arrows++
	if a.to == nil || d.arrows > maxArrows || slices.Contains(from.arrows, a) || a.line == jumpLine && from.leadsTo(a.to) {
		return
	}
	from.arrows = append(from.arrows, a)
}

// text returns the diagram, or only a note if Mermaid would not draw it.
func (d *diagram) text() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	switch {
	case len(d.elements) == 0:
		b.WriteString(note("The graph is empty."))
	case !d.targetsKnown && len(d.nodes) > 0:
		b.WriteString(note("No link leads to the ID of a node."))
	}
	arrows, declared := 0, map[*shape]bool{}
	for _, s := range d.elements {
		b.WriteString(s.declaration)
		if s.change != "" {
			b.WriteString("class " + s.id + " " + s.change + "\n")
		}
		for _, a := range s.arrows {
			if a.to.node == nil && !declared[a.to] {
				declared[a.to] = true
				b.WriteString(a.to.declaration)
			}
			b.WriteString(s.id + a.line + a.to.id + "\n")
			arrows++
		}
	}
	classes := diagramClasses
	if d.before != nil {
		classes += changeClasses
	}
	b.WriteString(classes)
	// JavaScript counts the units of UTF-16, each of which is at most three bytes.
	if d.arrows > maxArrows || arrows > maxDiagramArrows || b.Len() > 3*maxDiagramCharacters ||
		len(utf16.Encode([]rune(b.String()))) > maxDiagramCharacters {
		return "flowchart TD\n" + note(fmt.Sprintf("The flow, with %d nodes and %d links, is too large for a diagram.", len(d.nodes), len(d.links))) + classes
	}
	return b.String()
}

func note(text string) string { return "note[\"" + text + "\"]\n" }

// diagramID converts an ID of the graph to an ID of the diagram, which is a
// word of ASCII letters, digits, underscores and periods. Different IDs remain
// different.
func diagramID(kind, id string) string {
	id = id[:min(len(id), maxDiagramCharacters)] // With more, there is no diagram.
	var b strings.Builder
	b.WriteString(kind)
	b.WriteByte('_')
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, ".%02x", c)
		}
	}
	return b.String()
}

// escape escapes a text with Mermaid's entity codes so that Mermaid does not
// interpret any part of it. Of ASCII, only letters, digits, spaces and a few
// marks remain unchanged.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune(" ,?!/", r), r > unicode.MaxASCII,
			r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return notText.Replace(b.String())
}

// notText replaces text that Mermaid interprets even inside quotes: a whole
// line with a direction as a statement, and the ligature as the beginning of an
// entity.
var notText = strings.NewReplacer("direction", "d#105;rection", "\ufb02", "fl")
