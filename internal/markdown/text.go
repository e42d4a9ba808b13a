// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package markdown writes texts of strangers and tables as Markdown, in which no text changes
// the structure.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxText and maxLongText are the maximum numbers of characters of a text.
const maxText, maxLongText = 300, 2000

// Text returns a text as one line of Markdown that is rendered as this text, in a cell of a
// table and elsewhere. It is a dash if there is none. Email addresses can become links.
func Text(text string) string {
	return escape(oneline.Log(text, maxText))
}

// LongText is Text with a higher limit, because a finding names all access of a new agent.
func LongText(text string) string {
	return escape(oneline.Log(text, maxLongText))
}

// List returns texts as LongText.
func List(texts []string) string {
	return LongText(strings.Join(texts, ", "))
}

func escape(text string) string {
	if text == "" {
		return "–"
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '|':
			b.WriteString("&#124;") // A table ends its cells before it reads backslashes.
		case strings.ContainsRune("\\`*_[]<>&#~!$^{}", r):
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteRune(r)
		}
		if hasMeaning(text[:i], r, text[i+utf8.RuneLen(r):]) {
			b.WriteString(oneline.Separator)
		}
	}
	return b.String()
}

// hasMeaning reports whether GitHub or GitLab give a character a meaning in the
// rendered text, where a backslash before it has no effect.
func hasMeaning(before string, r rune, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '@': // A mention, unless it follows a letter, as in an email address.
		return !isWord(last)
	case '#', '!', '$', '%', '&', '~', '^': // A reference to an issue, or a variable.
		return strings.ContainsRune("0123456789\"{", next)
	case ':': // A URL, or an emoji.
		return rest != "" && !unicode.IsSpace(next)
	case '[', '{': // A difference.
		return next == '+' || next == '-'
	case 'w', 'W': // A URL without a scheme.
		return next == '.' && strings.HasSuffix(strings.ToLower(before), "ww")
	}
	return false
}

func isWord(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Code returns a line as code, in which only backticks have a meaning.
func Code(line string) string {
	return "`" + strings.ReplaceAll(line, "`", "'") + "`"
}

// Block returns a code block. No line of the text may begin with backticks.
func Block(language, text string) string {
	return "```" + language + "\n" + text + "\n```\n"
}
