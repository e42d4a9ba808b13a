// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package markdown writes texts of strangers and tables as Markdown, in which no text changes
// the structure.
package markdown

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxText and maxLongText are the maximum numbers of characters of a text.
const maxText, maxLongText = 300, 2000

// Text returns a text as one line of Markdown that is rendered as this text, in a cell of a
// table and elsewhere. It is a dash if there is none. Email addresses can become links. A URL is
// code, which is no link, and can be copied.
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

// meanings are pairs of characters to which GitHub or GitLab give a meaning in the rendered text,
// where a backslash has no effect.
var meanings = []*regexp.Regexp{
	regexp.MustCompile(`(\B@)()`),              // a mention, unless it follows a letter, as in an email address
	regexp.MustCompile(`(:)([\w+-]+:|//)`),     // an emoji, or a URL with other characters than in url
	regexp.MustCompile(`(:)([\w+-]+:)`),        // an emoji that begins where another one ends
	regexp.MustCompile(`([\[{])([+-])`),        // a difference
	regexp.MustCompile(`([#!$%&~^])([0-9"{])`), // a reference to an issue, or a variable
}

// special matches characters that Markdown and HTML give a meaning.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<>&#~!$^{}]")

// url matches a URL, or a host that would become one, up to what ends or changes code, or a sentence.
var url = regexp.MustCompile("(?i)(https?://|www\\.)[^\\s`|\\\\,;\"<>()]*[^\\s`|\\\\,;\"<>().:!?]")

func escape(text string) string { return cmp.Or(plain(text), "–") }

func plain(text string) string {
	if at := url.FindStringIndex(text); at != nil {
		return plain(text[:at[0]]) + Code(text[at[0]:at[1]]) + plain(text[at[1]:])
	}
	for _, meaning := range meanings {
		text = meaning.ReplaceAllString(text, "$1"+oneline.Separator+"$2")
	}
	text = special.ReplaceAllString(text, `\$0`)
	// A table ends its cells before it reads backslashes.
	return strings.ReplaceAll(text, "|", "&#124;")
}

// Code returns a text as one line of code, in which only backticks have a meaning.
func Code(text string) string {
	return "`" + strings.ReplaceAll(oneline.Log(text, maxLongText), "`", "'") + "`"
}
