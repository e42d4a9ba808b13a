// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// checkText refuses what would end a line or change the direction of a text.
func checkText(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d' || unicode.IsSpace(r) && r != ' ' {
			t.Errorf("%q has %q", text, r)
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
}

// The whole grammar of a diagram. Of ASCII, labels have letters, digits, spaces
// and four marks, and everything else as an entity.
var (
	diagramLabel = `"((?:[A-Za-z0-9 ,?!/]|[^\x00-\x7f]|#[0-9]+;)*)"`
	diagramID    = `[enmlou]_[A-Za-z0-9_.]+`
	diagramLine  = regexp.MustCompile(`^(?:flowchart TD` +
		`|note\["[A-Za-z0-9 ,.]+"\]` +
		`|e_[A-Za-z0-9_.]+\(\[` + diagramLabel + `\]\)` +
		`|n_[A-Za-z0-9_.]+\[` + diagramLabel + `\](?::::unreachable)?` +
		`|[ml]_[A-Za-z0-9_.]+\{\{"Missing(?: link)?#58; ` + diagramLabel[1:] + `\}\}:::missing` +
		`|o_[A-Za-z0-9_.]+\{\{"Missing start#58; ` + diagramLabel[1:] + `\}\}:::orphaned` +
		`|u_[A-Za-z0-9_.]+\{\{"Unused link#58; ` + diagramLabel[1:] + `\}\}:::orphaned` +
		`|class [en]_[A-Za-z0-9_.]+ (?:added|removed|changed)` +
		`|` + diagramID + ` (?:-->|-\.->|-->\|` + diagramLabel + `\|) ` + diagramID +
		`|classDef [a-z]+ [a-z0-9#:, -]+)$`)
)

func checkDiagram(t *testing.T, diagram string) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSuffix(diagram, "\n"), "\n") {
		checkText(t, line)
		if !diagramLine.MatchString(line) || (line == "flowchart TD") != (i == 0) {
			t.Errorf("unexpected line %q", line)
		}
		for _, label := range regexp.MustCompile(`"[^"]*"`).FindAllString(line, -1) {
			if strings.Contains(label, "direction") {
				t.Errorf("unexpected word in %q", label)
			}
		}
	}
}

func draw(t *testing.T, text string) string {
	t.Helper()
	diagram := flow.Diagram(parse(t, text), definition.Definition{})
	checkDiagram(t, diagram)
	return diagram
}

const diagramClasses = "classDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:#e5534b,stroke-width:2px\nclassDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3\n"

const diagramDefinition = `{"graph": {
	"entrypoints": [{"id": "ent_start", "type": "start", "outgoingEdgeId": "l0"}, {"id": "ent_event", "opens": "n_help"}],
	"links": [
		{"id": "l0", "to": {"groupId": "n_welcome"}},
		{"id": "l1", "from": {"blockId": "b_ask", "itemId": "i_yes"}, "to": {"groupId": "n_help"}},
		{"id": "l2", "from": {"blockId": "b_ask", "itemId": "i_no"}, "to": {"groupId": "n_untitled-0123456789"}},
		{"id": "l3", "from": {"blockId": "b_ask", "itemId": "i_none"}, "to": {"groupId": "n_help"}},
		{"id": "l4", "from": {"blockId": "b_ask"}, "to": {"groupId": "n_help"}},
		{"id": "l5", "from": {"blockId": "b_dead"}, "to": {"groupId": "n_gone"}},
		{"id": "l6", "from": {"blockId": "b_gone"}, "to": {"groupId": "n_help"}}
	],
	"nodes": [
		{"id": "n_welcome", "title": "Welcome \"all\"", "blocks": [{"id": "b_ask", "items": [
			{"id": "i_yes", "content": "Yes, please!"}, {"id": "i_no", "title": "No"}, {"id": "i_none", "content": {"a": 1}}
		]}]},
		{"id": "n_help", "title": "Größe 📐"},
		{"id": "n_untitled-0123456789", "back": "n_welcome", "also": ["n_help", "n_help"]},
		{"id": "n_dead", "title": "Dead end", "blocks": [{"id": "b_dead"}], "also": ["n_help"]},
		{"title": "without an ID"}
	]
}}`

func TestDiagram(t *testing.T) {
	t.Parallel()
	want := `flowchart TD
e_ent_start(["start"])
e_ent_start --> n_n_welcome
e_ent_event(["ent#95;event"])
e_ent_event -.-> n_n_help
n_n_welcome["Welcome #34;all#34;"]
n_n_welcome --> n_n_help
n_n_welcome -->|"Yes, please!"| n_n_help
n_n_welcome -->|"No"| n_n_untitled.2d0123456789
n_n_help["Größe 📐"]
n_n_untitled.2d0123456789["n#95;untitled#45;0…"]
n_n_untitled.2d0123456789 -.-> n_n_help
n_n_untitled.2d0123456789 -.-> n_n_welcome
n_n_dead["Dead end"]:::unreachable
m_n_gone{{"Missing#58; n#95;gone"}}:::missing
n_n_dead --> m_n_gone
n_n_dead -.-> n_n_help
o_b_gone{{"Missing start#58; b#95;gone"}}:::orphaned
o_b_gone --> n_n_help
` + diagramClasses
	if diff := cmp.Diff(want, draw(t, diagramDefinition)); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}

// No title, item or ID is anything but text. All of these were also drawn by
// Mermaid itself, and nothing came of them but their text.
func TestDiagramOfHostileTexts(t *testing.T) {
	t.Parallel()
	hostile := map[string]string{
		`a"] --> b["x`:                         `a#34;#93; #45;#45;#62; b#91;#34;x`,
		"a\n%%{init: {'theme':'dark'}}%%":      `a #37;#37;#123;init#58; #123;#39;theme#39;#58;#39;dark#39;#125;#125;#37;#37;`,
		"```\n</pre>":                          `#96;#96;#96; #60;/pre#62;`,
		`click n_a "javascript:alert(1)"`:      `click n#95;a #34;javascript#58;alert#40;1#41;#34;`,
		`<img src=x onerror=alert(1)>`:         `#60;img src#61;x onerror#61;alert#40;1#41;#62;`,
		`[a](https://evil.example)`:            `#91;a#93;#40;https#58;//evil#46;example#41;`,
		`&lt; #35; fa:fa-ban $$x$$`:            `#38;lt#59; #35;35#59; fa#58;fa#45;ban #36;#36;x#36;#36;`,
		`1. **a** _b_ ~c~`:                     `1#46; #42;#42;a#42;#42; #95;b#95; #126;c#126;`,
		`redirection LR`:                       `red#105;rection LR`,
		"\u202eevil\u2066\u200b\x00\x1b\u007f": `evil`,
		"👩\u200d🚒 \u2028 عربي":                 "👩\u200d🚒 عربي",
		strings.Repeat("💥", 70):                strings.Repeat("💥", 60) + "…",
		strings.Repeat("a", 58) + " b":         strings.Repeat("a", 58) + " b",
		strings.Repeat("a", 59) + " b":         strings.Repeat("a", 59) + "…",
		"\\n":                                  `#92;n`,
	}
	for title, want := range hostile {
		quoted := fmt.Sprintf("%q", title)
		quoted = regexp.MustCompile(`\\x(..)`).ReplaceAllString(quoted, `\u00$1`)
		definition := graph(`, {"id": "l2", "from": {"itemId": "i"}, "to": {"groupId": `+quoted+`}}`,
			`, {"id": `+quoted+`, "title": `+quoted+`}, {"id": "n1", "blocks": [{"id": "i", "content": `+quoted+`}]}`, ``)
		diagram := draw(t, definition)
		for _, part := range []string{`["` + want + `"]`, `-->|"` + want + `"| n_`} {
			if !strings.Contains(diagram, part) {
				t.Errorf("no %s in\n%s", part, diagram)
			}
		}
	}
	// Different IDs stay different.
	ids := map[string]bool{}
	for _, id := range []string{"a-b", "a.2db", "a_b", "a b", "a.b", "é", "ab", "end"} {
		diagram := draw(t, graph(``, `, {"id": "`+id+`", "title": "here"}`, ``))
		ids[regexp.MustCompile(`(n_\S+)\["here"\]`).FindStringSubmatch(diagram)[1]] = true
	}
	if len(ids) != 8 {
		t.Errorf("got the IDs %v", ids)
	}
}

func TestDiagramsThatSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ graph, want string }{
		"empty":          {`{}`, "note[\"The graph is empty.\"]\n"},
		"fresh":          {`{"entrypoints": [{"id": "e", "type": "start"}]}`, "e_e([\"start\"])\n"},
		"not understood": {`{"nodes": [{"id": "n"}], "links": [{"id": "l", "from": {"blockId": "n"}, "to": {"groupId": "m"}}]}`, "note[\"No link leads to the ID of a node.\"]\nn_n[\"n\"]\n"},
		"duplicates": {`{"nodes": [{"id": "n", "title": "One"}, {"id": "n", "title": "Two", "b": {"id": "b"}}], "links": [{"id": "l", "from": {"blockId": "b"}, "to": {"groupId": "n"}}]}`,
			"n_n[\"One\"]\nn_n --> n_n\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff("flowchart TD\n"+test.want+diagramClasses, draw(t, `{"graph": `+test.graph+`}`)); diff != "" {
				t.Errorf("unexpected diagram (-want +got):\n%s", diff)
			}
		})
	}
}

// chain is a graph of so many nodes with titles, each linked to the next.
func chain(nodes int, title string) string {
	var list, links []string
	for i := range nodes {
		list = append(list, fmt.Sprintf(`{"id": "n%d", "title": %q, "blocks": [{"id": "b%d"}]}`, i, title, i))
		links = append(links, fmt.Sprintf(`{"id": "l%d", "from": {"blockId": "b%d"}, "to": {"groupId": "n%d"}}`, i, i, (i+1)%nodes))
	}
	return `{"graph": {"nodes": [` + strings.Join(list, ",") + `], "links": [` + strings.Join(links, ",") + `]}}`
}

// The limits are those of Mermaid, which counts as JavaScript does.
func TestDiagramLimits(t *testing.T) {
	t.Parallel()
	if diagram := draw(t, chain(500, "")); strings.Count(diagram, "-->") != 500 {
		t.Errorf("got %.200s", diagram)
	}
	want := "flowchart TD\nnote[\"The flow, with 501 nodes and 501 links, is too large for a diagram.\"]\n" + diagramClasses
	if diff := cmp.Diff(want, draw(t, chain(501, ""))); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
	if got := flow.Diagram(parse(t, chain(501, "New")), parse(t, chain(501, ""))); !strings.HasPrefix(got, want) {
		t.Errorf("got %.200s", got)
	}
	// A title is cut off, but an ID is not. An emoji counts as two characters.
	node := func(length int) string {
		return `{"graph":{"nodes":[{"title":"💥","id":"` + strings.Repeat("a", length) + `"}]}}`
	}
	characters := func(text string) int { return len(utf16.Encode([]rune(text))) }
	longest := 50_000 - characters(draw(t, node(100))) + 100
	if n := characters(draw(t, node(longest))); n != 50_000 {
		t.Errorf("the diagram has %d characters, want 50,000", n)
	}
	want = "flowchart TD\nnote[\"The flow, with 1 nodes and 0 links, is too large for a diagram.\"]\n" + diagramClasses
	if diff := cmp.Diff(want, draw(t, node(longest+1))); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}

// Links that are alike, and entry points with one ID are drawn once, and what belongs to a node without an ID is not drawn.
func TestNothingIsDrawnTwice(t *testing.T) {
	t.Parallel()
	diagram := draw(t, `{"graph": {
		"entrypoints": [{"id": "e", "type": "start"}, {"id": "e", "type": "event"}],
		"links": [
			{"id": "l0", "from": {"blockId": "e"}, "to": {"groupId": "n0"}}, {"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n9"}},
			{"id": "l2", "from": {"blockId": "b0"}, "to": {"groupId": "n9"}}, {"id": "l3", "from": {"blockId": "n0"}, "to": {"groupId": "n9"}},
			{"id": "l4", "from": {"blockId": "b0"}, "to": {"groupId": "n1"}}
		],
		"nodes": [{"id": "n0", "title": "\n Zero", "blocks": [{"id": "b0"}], "go": "n1"}, {"id": "n1", "title": "One"}, {"title": "no ID"}]
	}}`)
	want := strings.Join([]string{
		`flowchart TD`, `e_e(["start"])`, `e_e --> n_n0`, `n_n0["Zero"]`, `m_n9{{"Missing#58; n9"}}:::missing`, `n_n0 --> m_n9`,
		`n_n0 --> n_n1`, `n_n0 -.-> n_n1`, `n_n1["One"]`, diagramClasses,
	}, "\n")
	if diff := cmp.Diff(want, diagram); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}

// A link has the text of the very item that it leaves by, and none if it leaves
// by a block.
func TestDiagramLabels(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ from, block, want string }{
		"a block":              {`{"blockId": "b"}`, `{"id": "b", "text": "Hi", "outgoingEdgeId": "l2"}`, ``},
		"an item":              {`{"blockId": "b", "itemId": "i"}`, `{"id": "b", "text": "Hi", "items": [{"id": "i", "content": "Yes"}]}`, `Yes`},
		"a path of a card":     {`{"blockId": "b", "itemId": "i", "pathId": "p"}`, `{"id": "b", "items": [{"id": "i", "title": "Card", "paths": [{"id": "p", "text": "Buy", "outgoingEdgeId": "l2"}]}]}`, `Buy`},
		"a path of an item":    {`{"blockId": "b"}`, `{"id": "b", "items": [{"id": "i", "paths": [{"id": "p", "text": "Buy", "outgoingEdgeId": "l2"}]}]}`, `Buy`},
		"an item named higher": {`{"blockId": "b", "itemId": "i"}`, `{"id": "b", "outgoingEdgeId": "l2", "items": [{"id": "i", "content": "Yes"}]}`, `Yes`},
		"a condition":          {`{"blockId": "b", "itemId": "i"}`, `{"id": "b", "items": [{"id": "i", "content": {"comparisons": [{"variableId": "v", "comparisonOperator": "Equal to", "value": "VIP"}]}}]}`, `VIP`},
		"no text":              {`{"blockId": "b", "itemId": "i"}`, `{"id": "b", "text": "Hi", "items": [{"id": "i", "content": {"a": 1}}]}`, ``},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diagram := draw(t, graph(`, {"id": "l2", "from": `+test.from+`, "to": {"groupId": "n1"}}`, `, {"id": "n2", "blocks": [`+test.block+`]}`, ``))
			want := `n_n2 -->|"` + test.want + `"| n_n1` + "\n"
			if test.want == "" {
				want = "n_n2 --> n_n1\n"
			}
			if !strings.Contains(diagram, want) {
				t.Errorf("no %s in\n%s", want, diagram)
			}
		})
	}
}

func TestDiagramOfMissingLinks(t *testing.T) {
	t.Parallel()
	diagram := draw(t, `{"graph": {
		"entrypoints": [{"id": "e", "type": "start", "outgoingEdgeId": "l0"}, {"id": "f", "type": "event", "outgoingEdgeId": "l8"}],
		"links": [{"id": "l0", "to": {"groupId": "n0"}}, {"id": "l1", "from": {"blockId": "gone"}, "to": {"groupId": "n0"}}, {"id": "l2", "from": {"blockId": "n1"}, "to": {"groupId": "n0"}}],
		"nodes": [{"id": "n0", "title": "Zero", "items": [{"id": "i", "content": "More", "outgoingEdgeId": "l9"}]}, {"id": "n1", "title": "One", "outgoingEdgeId": "l9"}]
	}}`)
	want := `flowchart TD
e_e(["start"])
e_e --> n_n0
e_f(["event"])
l_l8{{"Missing link#58; l8"}}:::missing
e_f --> l_l8
n_n0["Zero"]
l_l9{{"Missing link#58; l9"}}:::missing
n_n0 -->|"More"| l_l9
n_n1["One"]:::unreachable
n_n1 --> n_n0
n_n1 --> l_l9
o_gone{{"Missing start#58; gone"}}:::orphaned
o_gone --> n_n0
` + diagramClasses
	if diff := cmp.Diff(want, diagram); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}

// A jump leads to a node of this agent, which can be missing or removed, but not to
// another agent's node of the same ID.
func TestDiagramOfJumps(t *testing.T) {
	t.Parallel()
	definition := welcome(`, {"id": "l2", "from": {"blockId": "b1"}, "to": {"groupId": "n9"}}`, `"blocks": [
		{"id": "b1", "options": {"groupId": "n9"}}, {"id": "b2", "options": {"groupId": "n2"}},
		{"id": "b3", "options": {"groupId": "n3", "agentId": "agt_2"}}, {"id": "b4", "options": {"groupId": "n4"}}
	]`, `, {"id": "n2", "title": "Menu"}, {"id": "n3", "title": "Old"}`)
	before := welcome(``, `"groupId": "n4"`, `, {"id": "n4", "title": "Removed"}`)
	want := `flowchart TD
e_e(["start"])
e_e --> n_n1
n_n1["Welcome"]
class n_n1 changed
m_n9{{"Missing#58; n9"}}:::missing
n_n1 --> m_n9
n_n1 -.-> n_n2
n_n1 -.-> m_n9
n_n1 -.-> n_n4
n_n2["Menu"]
class n_n2 added
n_n3["Old"]:::unreachable
class n_n3 added
n_n4["Removed"]
class n_n4 removed
`
	got := flow.Diagram(parse(t, definition), parse(t, before))
	checkDiagram(t, got)
	if diff := cmp.Diff(want, strings.Split(got, "classDef")[0]); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}

// With an earlier definition, the diagram also has the nodes that were removed
// since, with their links. Coordinates are no change.
func TestDiagramOfChanges(t *testing.T) {
	t.Parallel()
	const before = `{"graph": {
		"entrypoints": [{"id": "e", "type": "start", "outgoingEdgeId": "l0"}, {"id": "f", "type": "event"}],
		"links": [{"id": "l0", "to": {"groupId": "n0"}}, {"id": "l1", "from": {"blockId": "n1"}, "to": {"groupId": "n2"}}, {"id": "l2", "from": {"blockId": "n0"}, "to": {"groupId": "n1"}}],
		"nodes": [{"id": "n0", "title": "Zero"}, {"id": "n1", "title": "One"}, {"id": "n2", "title": "Two", "x": 1}]
	}}`
	const after = `{"graph": {
		"entrypoints": [{"id": "e", "type": "start", "outgoingEdgeId": "l0"}],
		"links": [{"id": "l0", "to": {"groupId": "n0"}}, {"id": "l2", "from": {"blockId": "n0"}, "to": {"groupId": "n3"}}],
		"nodes": [{"id": "n0", "title": "Null"}, {"id": "n2", "title": "Two", "x": 2}, {"id": "n3", "title": "Three"}]
	}}`
	want := `flowchart TD
e_e(["start"])
e_e --> n_n0
n_n0["Null"]
class n_n0 changed
n_n0 --> n_n3
n_n2["Two"]:::unreachable
n_n3["Three"]
class n_n3 added
e_f(["event"])
class e_f removed
n_n1["One"]
class n_n1 removed
n_n1 --> n_n2
` + diagramClasses + `classDef added stroke:#2da44e,stroke-width:4px
classDef removed stroke:#e5534b,stroke-width:4px,stroke-dasharray:8 4
classDef changed stroke:#bf8700,stroke-width:4px
`
	got := flow.Diagram(parse(t, after), parse(t, before))
	checkDiagram(t, got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected diagram (-want +got):\n%s", diff)
	}
}
