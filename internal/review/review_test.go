// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/review"
)

type texts = map[string]string

// The conversation has a start and two nodes, and other members can be added to it.
const conversation = `{
	"graph": {
		"entrypoints": [{"id": "start", "type": "start"}],
		"links": [{"id": "l1", "from": {"blockId": "start"}, "to": {"groupId": "a"}}, {"id": "l2", "from": {"blockId": "a1"}, "to": {"groupId": "b"}}],
		"nodes": [{"id": "a", "title": "Hello", "x": 1, "items": [{"id": "a1", "text": "Hi"}]}, {"id": "b", "title": "Bye"}]
	},
	"ref": {"revision": "1"}, "telemetry": {"tables": {"order": ["x"]}}, "timestamps": {"updated": "2026-01-01"}
}`

const (
	diagram = "```mermaid\nflowchart TD\n" + `e_start(["start"])
e_start --> n_a
n_a["Hello"]
n_a --> n_b
n_b["Bye"]
` + classes + "```\n"
	classes = "classDef unreachable stroke-dasharray:5 5\nclassDef missing stroke:#e5534b,stroke-width:2px\n" +
		"classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3\n"
	comparedClasses = "classDef added stroke:#2da44e,stroke-width:4px\nclassDef removed stroke:#e5534b,stroke-width:4px,stroke-dasharray:8 4\n" +
		"classDef changed stroke:#bf8700,stroke-width:4px\n"
	noFindings = "Findings:\n\n```text\nNo findings.\n```\n"
)

func edited(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(conversation) }

func TestComparison(t *testing.T) {
	t.Parallel()
	compared := strings.Replace(diagram, classes, classes+comparedClasses, 1)
	const one = "Agents: 1. New findings: 0. Earlier findings: 0.\n"
	// What a service changes when an author only opens the agent, or moves a node.
	saved := []string{`"2026-01-01"`, `"2026-01-02"`, `"revision": "1"`, `"revision": "2"`, `["x"]`, `["x", "y"]`}
	tests := map[string]struct {
		definitions, before texts
		want                string
	}{
		"no comparison": {texts{"bot": conversation}, nil, one + "\n## `bot`\n\n" + diagram + "\n" + noFindings},
		"new":           {texts{"bot": conversation}, texts{}, one + "\n## `bot`\n\n" + diagram + "\nThe agent is new.\n\n" + noFindings},
		"under another name": {texts{"bot.yaml": conversation}, texts{"bot": conversation}, "Agents: 2. New findings: 0. Earlier findings: 0.\n" +
			"\n## `bot`\n\nThe agent was deleted.\n\n## `bot.yaml`\n\n" + diagram + "\nThe agent is new.\n\n" + noFindings},
		"deleted":                      {texts{}, texts{"bot": conversation}, one + "\n## `bot`\n\nThe agent was deleted.\n"},
		"deleted after it was invalid": {texts{}, texts{"bot": ""}, one + "\n## `bot`\n\nThe agent was deleted.\n"},
		"repaired": {texts{"bot": conversation}, texts{"bot": ""},
			one + "\n## `bot`\n\n" + diagram + "\nThe earlier definition is invalid, so changes are unknown.\n\n" + noFindings},
		"unchanged": {texts{"bot": conversation}, texts{"bot": conversation}, "There is nothing to review.\n"},
		"saved":     {texts{"bot": edited(saved...)}, texts{"bot": conversation}, "There is nothing to review.\n"},
		"without timestamps": {texts{"bot": conversation}, texts{"bot": edited(`, "timestamps": {"updated": "2026-01-01"}`, "")},
			"There is nothing to review.\n"},
		"moved": {texts{"bot": edited(append(saved, `"x": 1`, `"x": 2`)...)}, texts{"bot": conversation},
			one + "\n## `bot`\n\n" + compared + "\nThere are no changes other than to the layout.\n\n" + noFindings},
		"edited": {texts{"bot": edited(append(saved, `"x": 1`, `"x": 2`, `"Bye"`, `"Goodbye"`, `"ref"`, `"refs": 1, "ref"`, `"nodes"`, `"memory": [{"id": "v", "name": "name"}], "nodes"`)...)}, texts{"bot": conversation},
			one + "\n## `bot`\n\n" + strings.Replace(compared, "n_b[\"Bye\"]\n", "n_b[\"Goodbye\"]\nclass n_b changed\n", 1) +
				"\nChanges other than to the layout:\n\n```diff\n! node b Goodbye title\n- \"Bye\"\n+ \"Goodbye\"\n+ variable v name\n+ field refs\n+ 1\n```\n\n" + noFindings},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := review.New(test.definitions, test.before)
			if diff := cmp.Diff(&review.Report{Markdown: "# Conversation Review\n\n" + test.want, Findings: []review.Finding{}, Errors: []string{}}, got); diff != "" {
				t.Errorf("unexpected report (-want +got):\n%s", diff)
			}
		})
	}
}

// The link to a missing node and the name {{x}} are earlier findings, although their
// titles or nodes changed. {{y}} is new, although another finding has its ID.
func TestNewFindings(t *testing.T) {
	t.Parallel()
	before := edited(`"groupId": "b"`, `"groupId": "c"`, `"Hi"`, `"{{x}}"`, `"Bye"`, `"{{x}}"`)
	after := edited(`"groupId": "b"`, `"groupId": "c"`, `"Hello"`, `"Hallo"`, `"Bye"`, `"{{x}} {{y}}"`)
	got := review.New(texts{"bot": after, "old": before}, texts{"bot": before, "old": before})
	const (
		dangling    = `The link from the node "Hallo" leads to "c", which is not in the graph. A session may end there.`
		unreachable = `No links or jumps lead from an entry point to the node "{{x}} {{y}}", so no session reaches it.`
		x           = `No variable has exactly the name in "{{x}}", which the node "{{x}} {{y}}" uses. A session has no value for it.`
		y           = `No variable has exactly the name in "{{y}}", which the node "{{x}} {{y}}" uses. A session has no value for it.`
	)
	want := []review.Finding{
		{"bot", "dangling_link", "l2", "Hallo", dangling, false},
		{"bot", "undefined_variable", "b", "x", x, false},
		{"bot", "undefined_variable", "b", "y", y, true},
		{"bot", "unreachable_node", "b", "{{x}} {{y}}", unreachable, false},
	}
	if diff := cmp.Diff(want, got.Findings); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	start := "# Conversation Review\n\nAgents: 1. New findings: 1. Earlier findings: 3.\n\n```text\nundefined_variable in bot: " + y + "\n```\n\n## `bot`\n"
	end := "\nFindings:\n\n```text\ndangling_link: " + dangling +
		"\nundefined_variable: " + x + "\nnew: undefined_variable: " + y + "\nunreachable_node: " + unreachable + "\n```\n"
	if !strings.HasPrefix(got.Markdown, start) || !strings.HasSuffix(got.Markdown, end) {
		t.Errorf("got the report:\n%s\nwant at its beginning:\n%s\nand at its end:\n%s", got.Markdown, start, end)
	}
	for _, f := range review.New(texts{"bot": before}, nil).Findings {
		if !f.IsNew {
			t.Errorf("without a comparison, %s is not new", f.Kind)
		}
	}
}

// What cannot be read is listed, and all others are reviewed. A file with something
// else, a deleted one, and no files at all are different.
func TestInvalidDefinitions(t *testing.T) {
	t.Parallel()
	const broken = "graph:\n  nodes: [\n"
	definitions := texts{
		"a\nb.yaml": "", "conflict.json": "{\n<<<<<<< HEAD\n", "keys.json": `{"private_key": "secret"}`, "list.yaml": "- a", "shop/broken.yaml": broken,
		"sound.yaml": "graph:\n  links:\n  - id: l\n",
	}
	before := texts{"keys.json": "{}", "old.yaml": "{}", "gone.yaml": conversation, "shop/broken.yaml": broken, "sound.yaml": "graph: {}"}
	want := []string{
		"a b.yaml: the definition is empty, or its file is not UTF-8",
		"conflict.json: the definition is not valid JSON: line 2: invalid character '<' at start of value",
		"keys.json: the definition has no graph object",
		"list.yaml: the definition is not an object. Pass the text of a whole definition, such as definition_json of convo_agent, or file(...)",
		"shop/broken.yaml: the definition is not valid YAML: line 2: did not find expected node content",
	}
	got := review.New(definitions, before)
	if diff := cmp.Diff(want, got.Errors); diff != "" {
		t.Errorf("unexpected errors (-want +got):\n%s", diff)
	}
	start := "# Conversation Review\n\nErrors: 5.\n\n```text\nerror: " + strings.Join(want, "\nerror: ") +
		"\n```\n\nAgents: 3. New findings: 1. Earlier findings: 0.\n\n```text\ngraph_not_understood in sound.yaml: "
	if !strings.HasPrefix(got.Markdown, start) {
		t.Errorf("got the report:\n%s\nwant at its beginning:\n%s", got.Markdown, start)
	}
	for _, section := range []string{
		"\n## `gone.yaml`\n\nThe agent was deleted.\n", "\n## `old.yaml`\n\nThe agent was deleted.\n", "\n## `sound.yaml`\n\n```mermaid\n",
	} {
		if !strings.Contains(got.Markdown, section) {
			t.Errorf("got the report:\n%s\nwant in it:\n%s", got.Markdown, section)
		}
	}
	if strings.Contains(got.Markdown, "secret") {
		t.Errorf("the report shows what is not a definition:\n%s", got.Markdown)
	}
	for i := range 22 {
		definitions[fmt.Sprintf("z%02d", i)] = ""
	}
	got = review.New(definitions, nil)
	if len(got.Errors) != 27 || !strings.Contains(got.Markdown, "\nerror: z14: the definition is empty, or its file is not UTF-8\nand 7 more\n```\n") {
		t.Errorf("got the errors %q and the report:\n%.3000s", got.Errors, got.Markdown)
	}
}

func TestNoDefinitions(t *testing.T) {
	t.Parallel()
	want := &review.Report{
		Markdown: "# Conversation Review\n\nErrors: 1.\n\n```text\nerror: There are no definitions.\n```\n",
		Findings: []review.Finding{}, Errors: []string{"There are no definitions."},
	}
	for _, before := range []texts{nil, {}} {
		if diff := cmp.Diff(want, review.New(nil, before)); diff != "" {
			t.Errorf("unexpected report (-want +got):\n%s", diff)
		}
	}
}

// Only what the API documents, and what can change without an edit, is left out.
func TestGroupsWithoutEdits(t *testing.T) {
	t.Parallel()
	const before = `"telemetry": {"tables": {"order": ["x"]}}, "timestamps": {"updated": "2026-01-01"}`
	for after, want := range map[string]string{
		`"telemetry": {"tables": {"order": [], "width": {"a b": 1}, "visibility": {"x": true}}}, "timestamps": {"updated": "2026-01-02"}`: "There is nothing to review.\n",
		`"timestamps": null, "telemetry": {"tables": null}`:              "There is nothing to review.\n",
		`"telemetry": {"tables": {"order": ["x"]}, "sink": "a.example"}`: "+ field telemetry.sink\n+ \"a.example\"\n```\n",
		`"telemetry": {"tables": {"hook": 1}}`:                           "+ field telemetry.tables.hook\n+ 1\n```\n",
		`"telemetry": {"tables": {"orders": 1}}`:                         "+ field telemetry.tables.orders\n+ 1\n```\n",
		`"timestamps": {"updated": "2026-01-01", "hook": 1}`:             "+ field timestamps.hook\n+ 1\n```\n",
		`"timestamps": {"created": "2026-01-01"}`:                        "+ field timestamps.created\n+ \"2026-01-01\"\n```\n",
		`"timestamps": "2026-01-01"`:                                     "! field timestamps\n",
	} {
		if got := review.New(texts{"bot": edited(before, after)}, texts{"bot": conversation}).Markdown; !strings.Contains(got, want) {
			t.Errorf("%s: got the report:\n%s\nwant in it:\n%s", after, got, want)
		}
		without := `{"graph": {}}`
		if got := review.New(texts{"bot": `{"graph": {}, ` + after + "}"}, texts{"bot": without}).Markdown; strings.Contains(got, "field timestamps\n") != strings.HasPrefix(want, "!") {
			t.Errorf("%s: got the report:\n%s", after, got)
		}
	}
}

// The new findings fit in a comment, whatever their texts are, and diagrams leave
// space for the rest.
func TestLongReports(t *testing.T) {
	t.Parallel()
	definitions := texts{}
	title := strings.Repeat("😀", 100)
	for i := range 30 {
		nodes, links := []string{}, []string{`{"id": "start", "to": {"groupId": "n0"}}`}
		for j := range 40 {
			nodes = append(nodes, fmt.Sprintf(`{"id": "n%d", "title": "%s", "items": [{"id": "i%d", "title": "%s", "outgoingEdgeId": "%s"}]}`, j, title, j, title, title))
			links = append(links, fmt.Sprintf(`{"id": "l%d", "from": {"blockId": "n%d"}, "to": {"groupId": "n%d"}}`, j, j, (j+1)%40))
		}
		definitions[fmt.Sprintf("%02d%s", i, title)] = `{"graph": {"entrypoints": [{"id": "e", "outgoingEdgeId": "start"}], "nodes": [` + strings.Join(nodes, ",") + `], "links": [` + strings.Join(links, ",") + `]}}`
	}
	for i := range 200 {
		definitions[fmt.Sprintf("small%03d", i)] = conversation
	}
	report := review.New(definitions, nil)
	summary, sections, _ := strings.Cut(report.Markdown, "\n## ")
	if len(summary) > 65_000 || strings.Count(summary, "missing_link in ") != 50 || !strings.HasSuffix(summary, "\nand 1150 more\n```\n") {
		t.Errorf("the summary of %d bytes does not contain 50 of 1,200 findings:\n%.500s", len(summary), summary)
	}
	size := 0
	for _, section := range strings.Split(sections, "\n```mermaid\n")[1:] {
		diagram, _, _ := strings.Cut(section, "```\n")
		size += len(diagram)
	}
	if left := strings.Count(sections, "The report is too long for this agent's diagram.\n"); size < 39_000 || size > 40_000 || left < 30 || left > 199 || !strings.Contains(sections, diagram) {
		t.Errorf("the diagrams have %d bytes, and %d are missing", size, left)
	}
}

func TestLongLists(t *testing.T) {
	t.Parallel()
	var links []string
	for i := range 201 {
		link := fmt.Sprintf(`{"id": "l%d"}`, i)
		links = append(links, link, link)
	}
	definitions := texts{"bot": `{"graph": {"links": [` + strings.Join(links, ",") + `]}}`}
	report := review.New(definitions, texts{"bot": `{"graph": {}}`})
	if got := strings.Count(report.Markdown, "\n+ link l"); got != 200 || !strings.Contains(report.Markdown, "\nand 202 more\n```\n\nFindings:\n") {
		t.Errorf("the report contains %d of 402 changes", got)
	}
	if got := strings.Count(report.Markdown, "\nnew: duplicate_id: "); got != 199 || !strings.HasSuffix(report.Markdown, "\nand 2 more\n```\n") {
		t.Errorf("the report contains %d of 202 findings", got)
	}
	if len(report.Findings) != 202 {
		t.Errorf("the result has %d of 202 findings", len(report.Findings))
	}
}
