// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"strings"
	"unicode"
)

const (
	// maxTitle is the maximum number of characters of a title.
	maxTitle = 60
	// maxBlank is the number of bytes of a text that are searched for a title, so that
	// many references to a long text take linear time.
	maxBlank = 4096
)

// line prepares a text for a message or a diagram.
func line(text string) string { return Line(text[:min(len(text), maxBlank)], maxTitle) }

// Line returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. Control characters and characters that change the
// text direction are removed.
func Line(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r), r == '\u200c', r == '\u200d': // The last two only join letters and emoji.
			return r
		}
		return -1
	}, text)
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > limit {
		return strings.TrimSpace(string(line[:limit])) + "…"
	}
	return string(line)
}

func quote(text string) string { return `"` + line(text) + `"` }

// name returns the title for messages, or else the ID.
func name(title, id string) string {
	if text := cmp.Or(line(title), line(id)); text != "" {
		return quote(text)
	}
	return "without an ID"
}
