// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Default limits of Mermaid, which does not draw larger diagrams.
const (
	maxDiagramCharacters = 50_000
	maxDiagramArrows     = 500
)

const (
	diagramStart = "flowchart TD\n"
	jumpArrow    = " -.-> "
)

// idLabel is the number of characters of an ID that replace a missing title.
const idLabel = 12

// The styles have no fill, and strokes that are visible on light and on dark
// backgrounds.
const (
	diagramClasses = "classDef unreachable stroke-dasharray:5 5\n" +
		"classDef missing stroke:#e5534b,stroke-width:2px\n" +
		"classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3\n"
	changeClasses = "classDef added stroke:#2da44e,stroke-width:4px\n" +
		"classDef removed stroke:#e5534b,stroke-width:4px,stroke-dasharray:8 4\n" +
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
func Diagram(d, before definition.Definition) string {
	drawing := &diagram{
		graph: newGraph(d), classes: diagramClasses, shapes: map[string]*shape{},
		arrows: map[string]bool{},
	}
	drawing.addNodes(drawing.graph)
	if before.Kind() != 0 {
		drawing.classes += changeClasses
		drawing.addNodes(newGraph(before))
		drawing.mark(Diff(before, d))
	}
	drawing.draw()
	text := drawing.text.String()
	size := len(utf16.Encode([]rune(text))) // JavaScript counts the units of UTF-16.
	if len(drawing.arrows) <= maxDiagramArrows && size <= maxDiagramCharacters {
		return text
	}
	note := fmt.Sprintf("The flow, with %d nodes and %d links, is too large for a diagram.",
		len(drawing.nodes), len(drawing.links))
	return diagramStart + `note["` + note + `"]` + "\n" + drawing.classes
}

type diagram struct {
	*graph
	// shapes are those of both graphs, by ID in the diagram, and elements those of
	// entry points and nodes.
	shapes   map[string]*shape
	elements []*shape
	arrows   map[string]bool // their lines
	classes  string
	text     strings.Builder
}

// shape is an entry point, a node, or what is missing.
type shape struct {
	id, declaration string
	// node is in the graph, and both are nil for what is missing.
	node   *node
	graph  *graph
	change string // kind of change, if any
}

// addNodes adds the entry points and nodes that have no shape yet.
func (d *diagram) addNodes(g *graph) {
	for _, n := range slices.Concat(g.entrypoints, g.nodes) {
		if n.id == nil {
			continue
		}
		kind, left, right := "n", `["`, `"]`
		switch {
		case n.isEntrypoint:
			kind, left, right = "e", `(["`, `"])`
		case g.unreachable(n):
			right = `"]:::unreachable`
		}
		id := diagramID(kind, n.id.text)
		if d.shapes[id] == nil {
			title := escape(cmp.Or(n.title, oneline.Text(n.id.text, idLabel)))
			d.shapes[id] = &shape{id: id, declaration: id + left + title + right + "\n", node: n, graph: g}
			d.elements = append(d.elements, d.shapes[id])
		}
		n.shape = d.shapes[id]
	}
}

// mark marks the entry points and nodes that changed. Others have no shape. A changed
// layout is not marked, because the diagram does not show it.
func (d *diagram) mark(changes []definition.Difference) {
	for _, c := range changes {
		if s := d.shapes[diagramID(c.Part[:1], c.ID)]; s != nil && !c.IsLayout {
			s.change = c.Change
		}
	}
}

func (d *diagram) draw() {
	d.text.WriteString(diagramStart)
	switch {
	case len(d.elements) == 0:
		d.text.WriteString(`note["The graph is empty."]` + "\n")
	case !d.targetsKnown && len(d.nodes) > 0:
		d.text.WriteString(`note["No link leads to the ID of a node."]` + "\n")
	}
	for _, s := range d.elements {
		d.text.WriteString(s.declaration)
		if s.change != "" {
			d.text.WriteString("class " + s.id + " " + s.change + "\n")
		}
		d.drawArrows(s)
	}
	d.drawOrphanedLinks()
	d.text.WriteString(d.classes)
}

// drawArrows draws what leads from an entry point or a node.
func (d *diagram) drawArrows(s *shape) {
	nodes := slices.Concat([]*node{s.node}, s.node.hidden)
	for _, n := range nodes {
		for _, source := range n.sources {
			for _, l := range source.outgoing {
				d.drawLink(s, l)
			}
		}
	}
	for _, m := range s.node.missing {
		if !m.isJump {
			d.drawMissingLink(s, m)
		}
	}
	for _, n := range nodes {
		for _, to := range n.jumps {
			d.drawArrow(s, to.shape, jumpArrow)
		}
	}
	for _, m := range s.node.missing {
		if m.isJump {
			d.drawArrow(s, d.missingNode(m.id), jumpArrow)
		}
	}
}

// drawLink draws a link if it leads anywhere.
func (d *diagram) drawLink(s *shape, l *link) {
	text := l.label()
	if s.node.isEntrypoint {
		text = ""
	}
	var to *shape
	if l.target != nil {
		to = l.target.shape
	} else if missing := s.graph.missingTarget(l); missing != "" {
		to = d.missingNode(missing)
	}
	d.drawArrow(s, to, labeled(text))
}

func (d *diagram) drawMissingLink(s *shape, m missingEnd) {
	label := ""
	if m.itemID != s.node.id.text {
		label = titleIn(m.value)
	}
	d.drawArrow(s, d.hexagon("l", "Missing link", m.id, "missing"), labeled(label))
}

// missingNode returns the shape of a node that is not in the graph, which can be that of
// a removed node.
func (d *diagram) missingNode(id string) *shape {
	if removed := d.shapes[diagramID("n", id)]; removed != nil {
		return removed
	}
	return d.hexagon("m", "Missing", id, "missing")
}

// drawOrphanedLinks draws the links that no session uses.
func (d *diagram) drawOrphanedLinks() {
	for _, l := range d.links {
		source := d.missingSource(l)
		if source == "" && !l.unfollowed || l.target == nil {
			continue
		}
		kind, what, id := "o", "Missing start", source
		if l.unfollowed {
			kind, what, id = "u", "Unused link", l.id.Text()
		}
		d.drawArrow(d.hexagon(kind, what, id, "orphaned"), l.target.shape, labeled(""))
	}
}

// hexagon returns the shape of what is not in the graph, and draws it the first
// time.
func (d *diagram) hexagon(kind, what, missing, class string) *shape {
	id := diagramID(kind, missing)
	if d.shapes[id] == nil {
		d.shapes[id] = &shape{id: id}
		d.text.WriteString(id + `{{"` + escape(what+": "+line(missing)) + `"}}:::` + class + "\n")
	}
	return d.shapes[id]
}

// drawArrow draws an arrow once.
func (d *diagram) drawArrow(from, to *shape, line string) {
	if to == nil { // A node without an ID has no shape.
		return
	}
	arrow := from.id + line + to.id + "\n"
	if !d.arrows[arrow] {
		d.arrows[arrow] = true
		d.text.WriteString(arrow)
	}
}

// labeled returns the line of a link with a text.
func labeled(text string) string {
	if label := escape(line(text)); label != "" {
		return ` -->|"` + label + `"| `
	}
	return " --> "
}

var (
	notWord = regexp.MustCompile(`[^A-Za-z0-9_]`)
	notText = regexp.MustCompile(`[^ ,?!/A-Za-z0-9\x{80}-\x{10FFFF}]`)
)

// diagramID converts an ID of the graph to an ID of the diagram, which is a
// word of ASCII letters, digits, underscores and periods. Different IDs remain
// different.
func diagramID(kind, id string) string {
	return kind + "_" + notWord.ReplaceAllStringFunc(id, func(character string) string { return fmt.Sprintf(".%x", character) })
}

// escape replaces everything that Mermaid could interpret with its entity codes.
func escape(text string) string {
	text = notText.ReplaceAllStringFunc(text, func(character string) string { return fmt.Sprintf("#%d;", character[0]) })
	// Mermaid reads a line with a direction as a statement, even inside quotes.
	return strings.ReplaceAll(text, "direction", "d#105;rection")
}
