// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxText is the maximum number of characters of a text in the report, and maxList that
// of a list of texts, and of a finding, which names all access of a new agent.
const (
	maxText = 300
	maxList = 2000
)

// markdown returns a text as one line of Markdown that is rendered as this text,
// in a cell of a table and elsewhere. Email addresses can become links.
func markdown(text string) string { return escape(oneline.Log(text, maxText)) }

// code returns keys as code. A key has no character that would end the code or the cell,
// but the number of further keys is a sentence.
func code(keys ...string) string {
	texts := slices.Clone(keys)
	for i, key := range keys {
		if !strings.Contains(key, " ") {
			texts[i] = "`" + key + "`"
		}
	}
	return strings.Join(texts, ", ")
}

// markdownMessage is markdown for a long text, and markdownList for a list of texts.
func markdownMessage(text string) string { return escape(oneline.Log(text, maxList)) }
func markdownList(texts []string) string { return markdownMessage(strings.Join(texts, ", ")) }

func escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '|':
			b.WriteString("&#124;") // A table ends its cells before it reads backslashes.
		case strings.ContainsRune("\\`*_[]<>&#~!$^{}", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		if hasMeaning(text[:i], r, text[i+utf8.RuneLen(r):]) {
			b.WriteString(oneline.Separator)
		}
	}
	if b.Len() == 0 {
		return "–"
	}
	return b.String()
}

// hasMeaning reports whether GitHub or GitLab give a character a meaning in the
// rendered text, where a backslash before it has no effect.
func hasMeaning(before string, r rune, rest string) bool {
	first := rest[:min(1, len(rest))]
	switch r {
	case '@': // A mention, unless it follows a letter, as in an email address.
		return before == "" || !isWord(before[len(before)-1])
	case '#', '!', '$', '%', '&', '~', '^': // A reference to an issue, or a placeholder.
		return strings.ContainsAny(first, "0123456789\"{")
	case ':': // A URL, or an emoji.
		next, _ := utf8.DecodeRuneInString(rest)
		return rest != "" && !unicode.IsSpace(next)
	case '[', '{': // A difference.
		return strings.ContainsAny(first, "+-")
	case 'w', 'W': // A URL without a scheme.
		return strings.HasPrefix(rest, ".") && len(before) >= 2 && strings.EqualFold(before[len(before)-2:], "ww")
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
