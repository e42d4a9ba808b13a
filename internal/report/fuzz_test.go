// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
	"github.com/convo/terraform-provider-convo/internal/oneline"
	"github.com/convo/terraform-provider-convo/internal/report"
)

// FuzzNames renders a report in which everything that someone can choose is the
// same text. It must be rendered as this text, in the structure of a report with
// ordinary names.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"x", "", " ", "a|b", `a\|b`, `\`, `\\|`, "`", "``a`b", "~~~", "# h", "x #", "- x", "1. x", "> x", "===", "---", "| - |", "|---|",
		"<b>", "</td></tr>", "<!--", "<script>", "<https://a.example>", "&amp;", "&#124;", "&#1;", "&lt;b&gt;", "*a*", "__a__", "~~a~~", "~a~", "==a==",
		"[a](b)", "![a](https://a.example/b.png)", "[a]", "[^1]", "[ ] a", "[[a]]", "[x]: y", "a\nb", "a\r# b", "a\r\n| b", "a\vb\fc\u0085d", "a\u2028b\u2029c",
		"@octocat", "@@octocat", "a @octocat", "ö@octocat", "(@org/team)", "-@a", "ann@example.com", "a.@b", "@", "_@a", `\@a`,
		"#12", "GH-12", "a/b#12", "!12", "&12", "$12", "%12", "%\"a\"", "%{a}", "~\"a\"", "^12", ":tada:", ":+1:", ":a:b:", "::", ":::", "a:b", "$a$", "$`a`$", "{+ a +}", "[- a -]",
		"http://a.example", "HTTPS://a.example/?b=c", "www.a.example", "WWW.a.example", "wwww.a", "mailto:a@b.example", "xmpp:a@b.example/c", "ftp://a", "//a",
		"`https://a.example`", "$https://a.example$", `\https://a.example\|b`, "See https://a.example/x?b=#1:+1:, (http://www.b.example).", "http://`", "https://https://", "www.", ":a:b:c:",
		"::error ::a", "::error file=a.go,line=1::b", "##[error]a", "###[error]", "##", "##vso[a]", "a\u200e\u200f\u061c\u202eb", "\u2066a\u2069", "a\u200bb", "@\u200b@a", ":\u200b:",
		"\x1b[31ma", "\x1b]0;a\a", "\x00", "a\x7fb", "\xff", "\ufeffa", "\ufffe", "👩\u200d💻", "🇩🇪", "Größenberatung", "مرحبا", strings.Repeat("a|", 35_000), strings.Repeat(" ", 70_000),
	} {
		f.Add(name)
	}
	ordinary := render(f, namedReport(f, "x").Markdown)
	f.Fuzz(func(t *testing.T, name string) {
		// JSON has no other bytes.
		name = strings.ToValidUTF8(name, "\ufffd")
		got := namedReport(t, name)
		rendered := render(t, got.Markdown)
		// Tables with long names have fewer rows, and long reports fewer sections.
		isCut := strings.Contains(got.Markdown, "\nThe table shows ") || strings.Contains(got.Markdown, "\nThese sections are omitted")
		if diff := cmp.Diff(ordinary.structure, rendered.structure); diff != "" && !isCut {
			t.Errorf("%q changes the structure (-want +got):\n%s\n%s", name, diff, got.Markdown)
		}
		shown, long := oneline.Text(name, 300), oneline.Text(name, 2000)
		if title := "Audit of " + orDash(shown); rendered.texts[0] != title {
			t.Errorf("the title is %q, want %q", rendered.texts[0], title)
		}
		// The level, the objects that it concerns, the message, and the key of the first finding.
		if finding := rendered.texts[8:12]; finding[2] != orDash(long) {
			t.Errorf("the finding is %q, want %q", finding, long)
		}
		lines := slices.Concat(got.Errors, got.Warnings)
		for what, texts := range map[string][]string{"report": {rendered.raw}, "line": append(lines, rendered.code)} {
			for _, text := range texts {
				if found := meaning[what].FindString(text); found != "" {
					t.Errorf("the %s contains %q:\n%s", what, found, text)
				}
				if found := unsafe.FindString(text); found != "" || !utf8.ValidString(text) {
					t.Errorf("the %s contains %q", what, found)
				}
			}
		}
		for _, line := range lines {
			line, _, _ = strings.Cut(line, "\n\n  These keys in accepted match no finding: ")
			line = strings.TrimSuffix(line, once)
			if key, found, isOneLine := strings.Cut(line, "\n  "); !strings.HasPrefix(key, "key/") || !isOneLine || strings.Contains(found, "\n") || utf8.RuneCountInString(line) > 5000 {
				t.Errorf("the message is too long, or not a key and a line: %q", line)
			}
		}
		if len(got.Markdown) > 64_000 {
			t.Errorf("the report has %d bytes", len(got.Markdown))
		}
	})
}

// meaning is what forges look for in the rendered text, and in the log.
var meaning = map[string]*regexp.Regexp{
	"report": regexp.MustCompile(`(?i)(^|[^a-z0-9_])@[a-z0-9]|[#!$%&~^]\d|:[a-z0-9_+-]+:|://|www\.[\p{L}\p{N}_-]|[\[{][+-]|::|##`),
	"line":   regexp.MustCompile(`::|##|#\[`),
}

// unsafe are control characters but for line breaks, and characters that change
// the text direction.
var unsafe = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f-\x9f\x{2028}\x{2029}\x{200e}\x{200f}\x{061c}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]`)

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// namedReport has the name everywhere, and at least one row in each table.
func namedReport(t testing.TB, name string) *report.Report {
	t.Helper()
	other := "+" + name
	agent := audittest.Agent(object{
		"name": name, "revision": name, "labels": list{name, other}, "domain": name, "url": name, "public_id": name, "workspace_ref": other,
		"stats": object{"last30Days": object{"total_starts": 5, "total_completed": 3, "completion_percent": 60}},
	})
	unread := audittest.UnreadAgent(nil)
	unread["name"] = name
	audited := parse(t, audittest.JSON(t, object{
		"read_at": name, "agent_ids": list{name}, "workspace": object{"id": name, "name": name, "plan": name},
		"agents":         object{name: agent, "-" + name: unread, other: audittest.Agent(object{"name": other, "domain": nil})},
		"emails_by_role": object{name: list{name}},
		"problems":       list{object{"kind": "incomplete_list", "agent_id": nil, "operation": name, "code": name, "message": name}},
	}))
	change := audit.Change{What: name, ID: name, Name: name, Before: &name, After: &other, At: name}
	access := change
	access.IsAccess = true
	finding := func(level, rule, key string) audit.Finding {
		return audit.Finding{Level: level, Rule: rule, ID: name, Name: name, Message: name, Key: key, Reason: name, IsOnce: true}
	}
	return report.New(&audit.Assessment{
		Audit: audited, HasRecord: true, History: audit.History{Changes: []audit.Change{access, change}}, NotListed: []string{name, other}, Unneeded: []string{name, other},
		Findings: []audit.Finding{
			finding("error", name, "key/1"), finding("error", name, "key/2"), finding("error", other, "key/3"), finding("error", other, "key/3"),
			finding("warning", name, "key/4"), finding("accepted", name, "key/5"),
		},
	})
}

// rendering is what a reader of a report sees.
type rendering struct {
	structure []string // of all elements but text and code
	texts     []string // of headings, paragraphs and cells
	raw       string   // the texts with separators and without code, one on each line
	code      string   // in which forges look for nothing
}

func render(t testing.TB, markdown string) rendering {
	t.Helper()
	source := []byte(markdown)
	renderer := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))
	var r rendering
	err := ast.Walk(renderer.Parser().Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		link, isLink := node.(*ast.AutoLink)
		switch {
		case !entering, node.Kind() == ast.KindText, isLink && link.AutoLinkType == ast.AutoLinkEmail:
			return ast.WalkContinue, nil
		}
		if node.Kind() == ast.KindCodeSpan {
			r.code += codeIn(node, source) + "\n"
			return ast.WalkContinue, nil
		}
		r.structure = append(r.structure, node.Kind().String())
		switch node.Kind() {
		case ast.KindHeading, ast.KindParagraph, extensionast.KindTableCell:
			r.raw += contentOf(node, source, func(ast.Node, []byte) string { return " " }) + "\n"
			r.texts = append(r.texts, strings.ReplaceAll(contentOf(node, source, codeIn), "\u200b", ""))
		case ast.KindFencedCodeBlock:
			r.structure = append(r.structure, fmt.Sprint(node.Lines().Len()))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// codeIn returns code, which has neither references nor escapes.
func codeIn(span ast.Node, source []byte) string {
	return string(span.FirstChild().(*ast.Text).Value(source))
}

// contentOf returns the text of an element, with its references and escapes resolved by the
// renderer.
func contentOf(node ast.Node, source []byte, code func(span ast.Node, source []byte) string) string {
	var b strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(util.ResolveNumericReferences(child.Value(source))))
		case *ast.AutoLink:
			b.Write(child.Label(source))
		case *ast.CodeSpan:
			b.WriteString(code(child, source))
		default:
			b.WriteString(contentOf(child, source, code))
		}
	}
	return b.String()
}
