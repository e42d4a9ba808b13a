// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"fmt"
	"slices"
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
	d := &diagram{Graph: g, drawn: map[string]bool{}, arrowsDrawn: map[arrowKey]bool{}}
	d.b.WriteString("flowchart TD\n")
	if len(g.nodes)+len(g.entrypoints) == 0 {
		d.note("The graph is empty.")
	} else if !d.targetsKnown && len(g.nodes) > 0 {
		d.note("No link leads to the ID of a node.")
	}
	for i := range g.entrypoints {
		d.entrypoint(i)
	}
	for i := range g.nodes {
		d.node(i)
	}
	for i := range g.links {
		if at := d.missingSource(&g.links[i]); at != none {
			d.link(d.missing(at), d.item(i), i)
		}
	}
	d.b.WriteString("classDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:red\n")
	if d.full() {
		return "", fmt.Errorf("the diagram has more than %d links, the limit of Mermaid", maxDiagramLinks)
	}
	text := d.b.String()
	if n := len(utf16.Encode([]rune(text))); n > maxDiagramCharacters {
		return "", fmt.Errorf("the diagram has %d characters, more than the %d that Mermaid accepts", n, maxDiagramCharacters)
	}
	return text, nil
}

type diagram struct {
	*Graph
	b strings.Builder
	// drawn are the lines of links and of missing nodes, so that duplicates are
	// drawn once.
	drawn map[string]bool
	// arrowsDrawn are the same before it is known how many ends an arrow has.
	arrowsDrawn map[arrowKey]bool
	// count is the number of links.
	count int
}

type arrowKey struct {
	from, arrow string
	at          int
}

func (d *diagram) note(text string) { fmt.Fprintf(&d.b, "note[\"%s\"]\n", text) }

func (d *diagram) entrypoint(i int) {
	e := &d.entrypoints[i]
	p := &d.places[e.id]
	if !d.beginsWith(p.entrypoints, i) || d.full() {
		return
	}
	from := diagramID("e", p.text)
	fmt.Fprintf(&d.b, "%s([\"%s\"])\n", from, labelOf(e.kind, p.text))
	for l := range d.all(p.out) {
		d.link(from, "", l)
	}
	for at := range d.all(e.links) {
		for l := range d.all(d.places[at].links) {
			d.link(from, "", l)
		}
	}
	for at := range d.all(e.inside) {
		d.jump(from, at)
	}
}

// node draws all nodes with an ID as one, at the position of the first.
func (d *diagram) node(i int) {
	n := &d.nodes[i]
	p := &d.places[n.id]
	if !d.beginsWith(p.nodes, i) || d.full() {
		return
	}
	class := ""
	if d.unreachable(n.id) {
		class = ":::unreachable"
	}
	from := diagramID("n", p.text)
	fmt.Fprintf(&d.b, "%s[\"%s\"]%s\n", from, labelOf(n.title, p.text), class)
	inside := []int{n.id}
	for same := range d.all(p.nodes) {
		inside = slices.AppendSeq(inside, d.all(d.nodes[same].inside))
	}
	seen := map[int]bool{}
	for _, at := range inside {
		if seen[at] {
			continue
		}
		seen[at] = true
		for l := range d.all(d.places[at].out) {
			d.link(from, d.item(l), l)
		}
	}
	for same := range d.all(p.nodes) {
		for at := range d.all(d.nodes[same].jumps) {
			d.jump(from, at)
		}
	}
}

// full reports whether nothing more can be drawn.
func (d *diagram) full() bool { return d.count > maxDiagramLinks }

// item returns the label of the item that a link comes from, if it has one.
func (d *diagram) item(l int) string {
	return labelOf(d.places[d.links[l].itemID].label, nil)
}

// link draws a link to every node with its target's ID.
func (d *diagram) link(from, text string, l int) {
	arrow := "-->"
	if text != "" {
		arrow = "-->|\"" + text + "\"|"
	}
	if at := d.links[l].target; at != none {
		d.arrows(from, arrow, at)
		return
	}
	if at := d.missingTarget(&d.links[l]); at != none {
		d.line(from + " " + arrow + " " + d.missing(at))
	}
}

// missing draws a node that a link names but the graph does not contain, once.
func (d *diagram) missing(at int) string {
	text := d.places[at].text
	id := diagramID("m", text)
	if !d.drawn[id] {
		d.drawn[id] = true
		fmt.Fprintf(&d.b, "%s{{\"Missing#58; %s\"}}:::missing\n", id, labelOf(nil, text))
	}
	return id
}

// jump draws a jump unless there is a link.
func (d *diagram) jump(from string, at int) { d.arrows(from, "-.->", at) }

func (d *diagram) arrows(from, arrow string, at int) {
	key := arrowKey{from, arrow, at}
	if d.arrowsDrawn[key] || d.full() {
		return
	}
	d.arrowsDrawn[key] = true
	var ends []string
	switch p := &d.places[at]; {
	case p.nodes != 0:
		ends = append(ends, diagramID("n", p.text))
	case p.holders != 0:
		for n := range d.all(p.holders) {
			if id := d.nodes[n].id; id != none {
				ends = append(ends, diagramID("n", d.places[id].text))
			}
		}
	default:
		ends = append(ends, diagramID("e", p.text))
	}
	for _, to := range ends {
		if arrow != "-.->" {
			d.drawn[from+" "+to] = true
		} else if d.drawn[from+" "+to] {
			continue
		}
		d.line(from + " " + arrow + " " + to)
	}
}

func (d *diagram) line(text string) {
	if d.drawn[text] || d.full() {
		return
	}
	d.drawn[text] = true
	d.count++
	d.b.WriteString(text)
	d.b.WriteByte('\n')
}

// diagramID converts an ID of the graph to an ID of the diagram, which is a
// word of ASCII letters, digits, underscores and periods. Different IDs remain
// different.
func diagramID(kind string, id []byte) string {
	var b strings.Builder
	b.WriteString(kind)
	b.WriteByte('_')
	for _, c := range id {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, ".%02x", c)
		}
	}
	return b.String()
}

// labelOf returns the title, or else the first characters of the ID.
func labelOf(title, id []byte) string {
	text := line(title, maxTitle)
	if text == "" {
		text = line(id, idLabel)
	}
	return escape(text)
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
