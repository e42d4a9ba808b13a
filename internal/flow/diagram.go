// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
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
// graph before, it also draws the nodes that were removed, and marks those that
// were added, removed or changed. It fails if the diagram would exceed the limits
// of Mermaid.
//
// The lines of a node depend on that node, the ends of its links and whether it
// can be reached, so that a change of one node does not change the lines of
// others.
func (definition *Definition) Diagram(before *Definition) (string, error) {
	g := newGraph(definition.value)
	d := &diagram{graph: g, arrows: map[*source][]arrow{}, lines: map[string]bool{}, changes: map[string]string{}}
	d.write("flowchart TD\n")
	if len(g.nodes)+len(g.entrypoints) == 0 {
		d.write("note[\"The graph is empty.\"]\n")
	} else if !g.targetsKnown && len(g.nodes) > 0 {
		d.write("note[\"No link leads to the ID of a node.\"]\n")
	}
	if before != nil {
		for _, c := range Diff(before, definition) {
			switch {
			case c.IsLayout:
			case c.Part == PartNode:
				d.changes[diagramID("n", c.ID)] = c.Change
			case c.Part == PartEntrypoint:
				d.changes[diagramID("e", c.ID)] = c.Change
			}
		}
	}
	d.elements()
	for _, l := range g.links {
		if source := g.missingSource(l); source != nil && l.target != nil && l.target.id != nil {
			from := diagramID("o", source.text)
			d.declare(from + "{{\"Deleted#58; " + escape(line(source.text)) + "\"}}:::orphaned\n")
			d.line(from, arrow{to: l.target.diagramID()})
		}
	}
	if before != nil {
		d.graph = newGraph(before.value)
		d.elements()
	}
	d.write(diagramClasses)
	if before != nil {
		d.write(changeClasses)
	}
	if d.count > maxDiagramLinks {
		return "", fmt.Errorf("the diagram has more than %d links, the limit of Mermaid", maxDiagramLinks)
	}
	if d.characters > maxDiagramCharacters {
		return "", fmt.Errorf("the diagram has more than %d characters, the limit of Mermaid", maxDiagramCharacters)
	}
	return d.text.String(), nil
}

type diagram struct {
	graph      *graph
	text       strings.Builder
	characters int // as JavaScript counts them
	count      int // of lines between shapes
	// arrows has the different arrows of the links from each source, because many
	// nodes can share one.
	arrows map[*source][]arrow
	// lines has the lines that are drawn, and the shapes that a link connects.
	lines map[string]bool
	// changes has the kinds of changes by the ID in the diagram.
	changes map[string]string
}

// arrow leads to a shape. Its declaration is that of what is missing.
type arrow struct{ label, to, declaration string }

// full reports whether nothing more can be drawn.
func (d *diagram) full() bool {
	return d.count > maxDiagramLinks || d.characters > maxDiagramCharacters
}

// elements draws all that is not drawn yet.
func (d *diagram) elements() {
	for _, e := range d.graph.entrypoints {
		if e.id != nil && e == e.id.entrypoints[0] {
			d.element(e, "([\"", "\"])", "")
		}
	}
	for _, n := range d.graph.nodes {
		if n.id == nil {
			continue
		}
		class := ""
		if d.graph.unreachable(n) {
			class = ":::unreachable"
		}
		d.element(n, "[\"", "\"]", class)
	}
}

// element draws an entry point or a node, and what leads from it.
func (d *diagram) element(n *node, left, right, class string) {
	name := n.diagramID()
	if d.full() || d.lines[name] {
		return
	}
	d.lines[name] = true
	d.write(name + left + escape(cmp.Or(n.title, shorten(n.id.text, idLabel))) + right + class + "\n")
	if change := d.changes[name]; change != "" {
		d.write("class " + name + " " + change + "\n")
	}
	for _, s := range n.sources {
		if d.full() {
			return
		}
		for _, a := range d.arrowsOf(s, n.isEntrypoint) {
			d.line(name, a)
		}
	}
	for _, m := range n.missing {
		to := diagramID("l", m.link)
		label := m.label
		if m.itemID == n.id.text {
			label = ""
		}
		d.line(name, arrow{escape(line(label)), to, to + "{{\"Missing link#58; " + escape(line(m.link)) + "\"}}:::missing\n"})
	}
	for _, to := range n.jumps {
		if d.full() {
			return
		}
		if to := to.diagramID(); !d.lines[name+" "+to] {
			d.lines[name+" "+to] = true
			d.count++
			d.write(name + " -.-> " + to + "\n")
		}
	}
}

// arrowsOf returns the different arrows of the links from a source that lead
// anywhere.
func (d *diagram) arrowsOf(s *source, fromEntrypoint bool) []arrow {
	arrows, found := d.arrows[s]
	if found {
		return arrows
	}
	seen := map[arrow]bool{}
	for _, l := range s.links {
		var a arrow
		if !fromEntrypoint {
			a.label = escape(line(l.label()))
		}
		if missing := d.graph.missingTarget(l); missing != nil {
			a.to = diagramID("m", missing.text)
			a.declaration = a.to + "{{\"Missing#58; " + escape(line(missing.text)) + "\"}}:::missing\n"
		} else if l.target != nil && l.target.id != nil {
			a.to = l.target.diagramID()
		}
		if a.to != "" && !seen[a] {
			seen[a] = true
			arrows = append(arrows, a)
		}
	}
	d.arrows[s] = arrows
	return arrows
}

// line draws an arrow once.
func (d *diagram) line(from string, a arrow) {
	if d.full() {
		return
	}
	text := from + " --> " + a.to + "\n"
	if a.label != "" {
		text = from + " -->|\"" + a.label + "\"| " + a.to + "\n"
	}
	if d.lines[text] {
		return
	}
	d.declare(a.declaration)
	d.lines[text], d.lines[from+" "+a.to] = true, true
	d.count++
	d.write(text)
}

// declare writes the line of a shape once.
func (d *diagram) declare(line string) {
	if !d.lines[line] {
		d.lines[line] = true
		d.write(line)
	}
}

func (d *diagram) write(text string) {
	if !d.full() {
		d.characters += len(utf16.Encode([]rune(text)))
		d.text.WriteString(text)
	}
}

// diagramID returns the ID of a node or an entry point in the diagram.
func (n *node) diagramID() string {
	if n.isEntrypoint {
		return diagramID("e", n.id.text)
	}
	return diagramID("n", n.id.text)
}

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
