// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Default limits of Mermaid, which does not draw larger diagrams.
const (
	maxDiagramCharacters = 50_000
	maxDiagramLinks      = 500
)

// idLabel is the number of characters of an ID that replace a missing title.
const idLabel = 12

// Diagram draws the graph as a Mermaid flowchart: entry points with rounded
// ends, links with the text of the item that they come from, jumps dotted,
// unreachable nodes dashed, and missing nodes that a link names. It fails if
// the diagram would exceed the limits of Mermaid.
//
// The lines of a node depend on that node, the ends of its links and whether it
// can be reached, so that a change of one node does not change the lines of
// others.
func (g *Graph) Diagram() (string, error) {
	d := &diagram{
		Graph: g, shapes: map[shapeKey]*shape{}, labels: map[*identifier]string{}, ends: map[*identifier]*end{},
		outgoing: map[*identifier][]arrow{}, named: map[*identifier][]arrow{}, arrows: map[drawnArrow]bool{}, lines: map[drawnLine]bool{},
	}
	d.write("flowchart TD\n")
	if len(g.nodes)+len(g.entrypoints) == 0 {
		d.note("The graph is empty.")
	} else if !d.targetsKnown && len(g.nodes) > 0 {
		d.note("No link leads to the ID of a node.")
	}
	for _, e := range g.entrypoints {
		if e.id != nil && e == e.id.entrypoints[0] && !d.full() {
			d.entrypoint(e)
		}
	}
	for _, n := range g.nodes {
		if n.id != nil && n == n.id.nodes[0] && !d.full() {
			d.node(n)
		}
	}
	for _, l := range g.links {
		if source := d.missingSource(l); source != nil {
			from := d.missing(source)
			d.declare(from)
			d.draw(from, d.arrowsOf([]*link{l}, d.item))
		}
	}
	d.write("classDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:red\n")
	if d.full() {
		return "", fmt.Errorf("the diagram has more than %d links, the limit of Mermaid", maxDiagramLinks)
	}
	if d.characters > maxDiagramCharacters {
		return "", fmt.Errorf("the diagram has %d characters, more than the %d that Mermaid accepts", d.characters, maxDiagramCharacters)
	}
	return d.text.String(), nil
}

// diagram computes and draws everything once, because many nodes can share an
// item, and many links an ID.
type diagram struct {
	*Graph
	// text is the diagram as long as it has few enough characters.
	text       strings.Builder
	characters int
	count      int // of lines between shapes
	shapes     map[shapeKey]*shape
	labels     map[*identifier]string // of items
	ends       map[*identifier]*end   // of links to an ID
	outgoing   map[*identifier][]arrow
	named      map[*identifier][]arrow // of links with an ID
	arrows     map[drawnArrow]bool
	lines      map[drawnLine]bool
}

// shape is an entry point, a node, or a missing node in the diagram.
type shape struct {
	name string // in ASCII
	// declaration is written before the first line to or from a missing node.
	declaration string
	declared    bool
}

type shapeKey struct {
	kind string
	id   *identifier
}

// arrow leads to one or more shapes. It has the text "-->", with a label or
// without, or "-.->".
type arrow struct {
	text string
	to   *end
}

type end struct{ shapes []*shape }

type drawnArrow struct {
	from  *shape
	arrow arrow
}

// drawnLine has an empty text for any link.
type drawnLine struct {
	from, to *shape
	text     string
}

// once returns the value of a key and computes it if there is none.
func once[K comparable, V any](values map[K]V, key K, compute func() V) V {
	value, found := values[key]
	if !found {
		value = compute()
		values[key] = value
	}
	return value
}

func (d *diagram) note(text string) { d.write("note[\"" + text + "\"]\n") }

func (d *diagram) entrypoint(e *entrypoint) {
	from := d.shape("e", e.id)
	d.writeName(from)
	d.write("([\"" + labelOf(e.line, e.id.text) + "\"])\n")
	noLabel := func(*link) string { return "" }
	d.draw(from, d.arrowsOf(e.id.out, noLabel))
	for _, id := range e.links {
		d.draw(from, once(d.named, id, func() []arrow { return d.arrowsOf(id.links, noLabel) }))
	}
	d.jumps(from, e.inside)
}

// node draws all nodes with an ID as one, at the position of the first.
func (d *diagram) node(n *node) {
	from := d.shape("n", n.id)
	d.writeName(from)
	d.write("[\"" + labelOf(line(n.title, maxTitle), n.id.text) + "\"]")
	if d.unreachable(n.id) {
		d.write(":::unreachable")
	}
	d.write("\n")
	inside := []*identifier{n.id}
	for _, same := range n.id.nodes {
		inside = append(inside, same.inside...)
	}
	for _, id := range inside {
		d.draw(from, once(d.outgoing, id, func() []arrow { return d.arrowsOf(id.out, d.item) }))
	}
	for _, same := range n.id.nodes {
		d.jumps(from, same.jumps)
	}
}

// full reports whether nothing more can be drawn.
func (d *diagram) full() bool { return d.count > maxDiagramLinks }

// item returns the label of the item that a link comes from, if it has one.
func (d *diagram) item(l *link) string {
	if l.itemID == nil {
		return ""
	}
	return once(d.labels, l.itemID, func() string { return labelOf(line(l.itemID.label, maxTitle), "") })
}

// arrowsOf returns the different arrows of links that lead anywhere.
func (d *diagram) arrowsOf(links []*link, labelOf func(*link) string) []arrow {
	var arrows []arrow
	seen := map[arrow]bool{}
	for _, l := range links {
		a := arrow{text: "-->"}
		if label := labelOf(l); label != "" {
			a.text = "-->|\"" + label + "\"|"
		}
		target := l.target
		if target == nil {
			target = d.missingTarget(l)
		}
		if target == nil {
			continue
		}
		if a.to = d.endOf(target); len(a.to.shapes) > 0 && !seen[a] {
			seen[a] = true
			arrows = append(arrows, a)
		}
	}
	return arrows
}

// endOf returns the shapes that the target of a link or a jump stands for.
func (d *diagram) endOf(id *identifier) *end {
	return once(d.ends, id, func() *end {
		switch {
		case id.nodes != nil:
			return &end{[]*shape{d.shape("n", id)}}
		case id.holders == nil && id.entrypoints != nil:
			return &end{[]*shape{d.shape("e", id)}}
		case id.holders == nil:
			return &end{[]*shape{d.missing(id)}}
		}
		e := &end{}
		for _, n := range id.holders {
			if n.id != nil {
				e.shapes = append(e.shapes, d.shape("n", n.id))
			}
		}
		return e
	})
}

// jumps draws jumps unless there are links.
func (d *diagram) jumps(from *shape, ids []*identifier) {
	for _, id := range ids {
		d.draw(from, []arrow{{"-.->", d.endOf(id)}})
	}
}

func (d *diagram) draw(from *shape, arrows []arrow) {
	for _, a := range arrows {
		if d.arrows[drawnArrow{from, a}] {
			continue
		}
		d.arrows[drawnArrow{from, a}] = true
		for _, to := range a.to.shapes {
			if d.full() {
				return
			}
			d.line(from, a.text, to)
		}
	}
}

func (d *diagram) line(from *shape, text string, to *shape) {
	anyLink := drawnLine{from, to, ""}
	if d.lines[drawnLine{from, to, text}] || text == "-.->" && d.lines[anyLink] {
		return
	}
	if text != "-.->" {
		d.lines[anyLink] = true
	}
	d.lines[drawnLine{from, to, text}] = true
	d.count++
	d.declare(to)
	d.writeName(from)
	d.write(" " + text + " ")
	d.writeName(to)
	d.write("\n")
}

// missing returns the shape of a node that a link names but the graph does not
// contain.
func (d *diagram) missing(id *identifier) *shape {
	s := d.shape("m", id)
	if s.declaration == "" {
		s.declaration = "{{\"Missing#58; " + labelOf(line(id.text, maxTitle), "") + "\"}}:::missing\n"
	}
	return s
}

func (d *diagram) declare(s *shape) {
	if s.declaration != "" && !s.declared {
		s.declared = true
		d.writeName(s)
		d.write(s.declaration)
	}
}

// shape returns the shape of an ID: "e" for an entry point, "n" for a node, or
// "m" for a missing node.
func (d *diagram) shape(kind string, id *identifier) *shape {
	return once(d.shapes, shapeKey{kind, id}, func() *shape { return &shape{name: diagramID(kind, id.text)} })
}

func (d *diagram) writeName(s *shape) { d.add(s.name, len(s.name)) }

func (d *diagram) write(text string) { d.add(text, len(utf16.Encode([]rune(text)))) }

// add adds a text of so many characters, as JavaScript counts them.
func (d *diagram) add(text string, characters int) {
	if d.characters += characters; d.characters <= maxDiagramCharacters {
		d.text.WriteString(text)
	}
}

// diagramID converts an ID of the graph to an ID of the diagram, which is a
// word of ASCII letters, digits, underscores and periods. Different IDs remain
// different.
func diagramID(kind, id string) string {
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

// labelOf returns a title, which is one line, or else the first characters of the
// ID.
func labelOf(title, id string) string {
	if title == "" {
		title = line(id, idLabel)
	}
	return escape(title)
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
