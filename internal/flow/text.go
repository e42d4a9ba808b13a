// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strings"
	"unicode"
)

const (
	// maxTitle is the maximum number of characters of a title.
	maxTitle = 60
	// maxBlank is the number of bytes of a text that are searched for a title.
	maxBlank = 4096
)

// line prepares a text for one line of a message or a diagram. It removes
// control characters and characters that change the text direction, and
// truncates to maxTitle characters.
func line(text string) string { return shorten(text, maxTitle) }

// shorten does not search a long text to its end, so that many references to one
// text take linear time.
func shorten(text string, limit int) string {
	if len(text) > maxBlank {
		text = strings.ToValidUTF8(text[:maxBlank], "")
	}
	return Line(text, limit)
}

// Line returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. Control characters and characters that change the
// text direction are removed.
func Line(text string, limit int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case r == '\u200c' || r == '\u200d':
			// They only join letters and emoji.
		case !unicode.IsGraphic(r):
			continue
		}
		space = space && count > 0
		if count >= limit || space && count+1 >= limit {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			count++
		}
		space = false
		b.WriteRune(r)
		count++
	}
	return b.String()
}

func quote(text string) string { return `"` + line(text) + `"` }

// name returns the title for messages, or else the ID.
func name(title, id string) string {
	if title := quote(title); title != `""` {
		return title
	}
	if id := quote(id); id != `""` {
		return id
	}
	return "without an ID"
}
