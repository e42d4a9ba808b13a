// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package review_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/convo/terraform-provider-convo/internal/review"
)

// structure is that of the blocks of a report on an agent that changed and one that
// was deleted.
var structure = regexp.MustCompile(`^# Conversation Review
Errors: [12]\.
code text
(error: .*\n){1,2}Agents: 2\. New findings: \d+\. Earlier findings: \d+\.
(code text
([a-z_]+ in .*\n)+)?## CodeSpan
(code mermaid
flowchart TD
(([enmol]_[\w.]|note\[|class ).*\n)+(classDef .*\n)+|The report is too long for this agent's diagram\.
)(There are no changes other than to the layout\.
|Changes other than to the layout:
code diff
([-+!] .*\n)+)Findings:
code text
(No findings\.\n|((new: )?[a-z_]+: .*\n)+)## CodeSpan
The agent was deleted\.
$`)

// unsafe are control characters but for line breaks, and characters that change
// the text direction.
var unsafe = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f-\x9f\x{2028}\x{2029}\x{200e}\x{200f}\x{061c}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]`)

// FuzzTexts renders a report in which everything that an author can choose is the
// same text. It must have the structure of a report with ordinary texts.
func FuzzTexts(f *testing.F) {
	for _, name := range []string{
		"x", "", " ", "a", "`", "```", "a\n```\n# b", "a\r```\r# b", "a\u2028```\u2028# b", "\n~~~\n", "`` a", "a`b`c", "a #", "#", "\\", "\\`",
		"<!--", "</code>", "<script>", "|", "[a](b)", "![a](https://a.example/b.png)", "@octocat", "{{x}}", `{{"x"}}`, "end", "direction LR", "%%{init: {}}%%",
		"a\"]:::x\nb", "\u202eabc", "\u200b", "\x00", "\ufeff", "\x1b[31m", "start", "...", strings.Repeat("`\n", 5000), strings.Repeat("ö ", 400),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		name = strings.ToValidUTF8(name, "\ufffd") // JSON has no other bytes.
		before := object{"graph": object{
			"nodes": []any{object{"id": name, "title": name, "text": "1" + name}, object{"id": name + "removed", "title": name}},
			"links": []any{object{"id": name, "from": object{"blockId": name}, "to": object{"groupId": name + "removed"}}},
		}}
		after := object{name: name, "graph": object{
			"nodes": []any{
				object{"id": name, "title": name, "text": "2" + name, name: object{name: name}},
				object{"title": name}, object{"id": name + "added", "title": name, "items": []any{object{"id": name + "item", "text": "{{" + name + "}}", "outgoingEdgeId": name}}},
			},
			"links":       []any{object{"id": name, "from": object{"blockId": name}, "to": object{"groupId": name}}, object{"id": name + "2", "from": object{"blockId": name + "gone"}, "to": object{"groupId": name + "gone"}}},
			"entrypoints": []any{object{"id": name + "entry", "type": name}},
			"memory":      []any{object{"id": name + "variable", "name": name + "variable"}, object{"id": name + "variable", "name": name}},
		}, "canvas": object{"annotations": []any{object{"id": name, "content": name}}}}
		report := review.New(texts{name: encode(t, after), name + "broken": name + ": [", name + "list": "[]"}, texts{name: encode(t, before), name + "deleted": ""})
		if got := blocks(t, report.Markdown); !structure.MatchString(got) {
			t.Errorf("%q changes the structure:\n%s", name, got)
		}
		if found := unsafe.FindString(report.Markdown); found != "" || !utf8.ValidString(report.Markdown) {
			t.Errorf("the report contains %q", found)
		}
	})
}

type object = map[string]any

func encode(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks writes each block of the rendered report without empty lines. In headings
// and paragraphs, everything but text is written as its kind.
func blocks(t testing.TB, markdown string) string {
	t.Helper()
	source := []byte(markdown)
	var b strings.Builder
	document := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(source))
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		switch block := block.(type) {
		case *ast.Heading:
			b.WriteString(strings.Repeat("#", block.Level) + " " + inline(block, source) + "\n")
		case *ast.FencedCodeBlock:
			b.WriteString("code " + string(block.Language(source)) + "\n" + string(block.Lines().Value(source)))
		case *ast.Paragraph:
			b.WriteString(inline(block, source) + "\n")
		default:
			b.WriteString(block.Kind().String() + "\n")
		}
	}
	return b.String()
}

func inline(block ast.Node, source []byte) string {
	var b strings.Builder
	for child := block.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			b.Write(child.Value(source))
		default:
			b.WriteString(child.Kind().String())
		}
	}
	return b.String()
}
