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
	arrowHead    = "->" // of all arrows, and in no text
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
	drawing := &diagram{graph: newGraph(d), drawn: map[string]bool{}, changes: map[string]string{}}
	drawing.graphs = []*graph{drawing.graph}
	classes := diagramClasses
	if before.Kind() != 0 {
		drawing.graphs = append(drawing.graphs, newGraph(before))
		classes += changeClasses
		for _, c := range Diff(before, d) {
			// The diagram does not show a layout.
			if !c.IsLayout {
				drawing.changes[diagramID(c.Part[:1], c.ID)] = c.Change
			}
		}
	}
	drawing.draw()
	text := diagramStart + drawing.text.String() + classes
	size := len(utf16.Encode([]rune(text))) // JavaScript counts the units of UTF-16.
	if strings.Count(text, arrowHead) > maxDiagramArrows || size > maxDiagramCharacters {
		note := fmt.Sprintf("note[\"The flow, with %d nodes and %d links, is too large for a diagram.\"]\n", len(drawing.nodes), len(drawing.links))
		return diagramStart + note + classes
	}
	return text
}

type diagram struct {
	*graph
	graphs []*graph // this one and the one before, if any
	// drawn has the IDs of shapes, and arrows. Changes has the kinds of changes by ID of a shape.
	drawn   map[string]bool
	changes map[string]string
	text    strings.Builder
}

func (d *diagram) draw() {
	if !d.targetsKnown && len(d.nodes) > 0 {
		d.text.WriteString(`note["No link leads to the ID of a node."]` + "\n")
	}
	for _, g := range d.graphs {
		for _, n := range slices.Concat(g.entrypoints, g.nodes) {
			if n.id != "" && d.isNew(n.shape()) {
				d.drawNode(g, n)
				d.drawArrows(g, n)
			}
		}
	}
	if len(d.drawn) == 0 {
		d.text.Reset()
		d.text.WriteString(`note["The graph is empty."]` + "\n")
	}
	d.drawUnusedLinks()
}

// isNew reports whether a shape or an arrow is to be drawn, which happens once.
func (d *diagram) isNew(drawn string) bool {
	wasDrawn := d.drawn[drawn]
	d.drawn[drawn] = true
	return !wasDrawn
}

// shape returns the ID of a node or an entry point in a diagram.
func (n *node) shape() string {
	if n.isEntrypoint {
		return diagramID("e", n.id)
	}
	return diagramID("n", n.id)
}

// drawNode draws an entry point or a node.
func (d *diagram) drawNode(g *graph, n *node) {
	id, title := n.shape(), cmp.Or(n.title, oneline.Text(n.id, idLabel))
	shape := `["` + escape(title) + `"]`
	switch {
	case n.isEntrypoint:
		shape = "(" + shape + ")"
	case g.isLost(n.sections[0]):
		shape += ":::unreachable"
	}
	d.text.WriteString(id + shape + "\n")
	if change := d.changes[id]; change != "" {
		d.text.WriteString("class " + id + " " + change + "\n")
	}
}

// drawArrows draws what leads away from a node or an entry point.
func (d *diagram) drawArrows(g *graph, n *node) {
	id := n.shape()
	for _, s := range n.sections {
		for _, l := range s.links {
			if g.targetsKnown && l.toGroup != "" {
				d.drawArrow(id, labeled(g.label(n, l)), d.target(l.toGroup))
			}
		}
	}
	first := n.sections[0]
	for _, m := range first.missingLinks {
		label := ""
		if m.itemID != n.id {
			label = titleIn(m.object)
		}
		d.drawArrow(id, labeled(label), d.hexagon("l", "Missing link", m.id, "missing"))
	}
	for _, s := range n.sections {
		for _, to := range s.jumps {
			d.drawArrow(id, jumpArrow, to.shape())
		}
	}
	for _, m := range first.missingJumps {
		d.drawArrow(id, jumpArrow, d.target(m.id))
	}
}

// label returns the text of the item in a node that a link comes from. A block has no text of its
// own.
func (g *graph) label(n *node, l *link) string {
	if n.isEntrypoint {
		return ""
	}
	var exit, item value
	if l.exit != nil && l.exit.itemID != l.fromBlock {
		exit = l.exit.object
	}
	if l.isFromItem && l.source != l.fromBlock {
		item = g.items[l.source][0].object
	}
	return cmp.Or(titleIn(exit), titleIn(item))
}

// target returns the shape of a node, which can be a removed one, or of what is missing.
func (d *diagram) target(id string) string {
	for _, g := range d.graphs {
		if n := g.nodesByID[id]; n != nil {
			return n.shape()
		}
	}
	return d.hexagon("m", "Missing", id, "missing")
}

// drawUnusedLinks draws the links that no session uses.
func (d *diagram) drawUnusedLinks() {
	for _, l := range d.links {
		start := ""
		switch {
		case l.target == nil:
			continue
		case l.unfollowed:
			start = d.hexagon("u", "Unused link", l.id, "orphaned")
		case d.isOrphaned(l):
			start = d.hexagon("o", "Missing start", l.source, "orphaned")
		default:
			continue
		}
		d.drawArrow(start, labeled(""), l.target.shape())
	}
}

// hexagon draws what is not in the graph, and returns its shape.
func (d *diagram) hexagon(kind, what, missing, class string) string {
	id := diagramID(kind, missing)
	if d.isNew(id) {
		d.text.WriteString(id + `{{"` + escape(what+": "+line(missing)) + `"}}:::` + class + "\n")
	}
	return id
}

func (d *diagram) drawArrow(from, line, to string) {
	if arrow := from + line + to; d.isNew(arrow) {
		d.text.WriteString(arrow + "\n")
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
