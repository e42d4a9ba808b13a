// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strings"
	"unicode"
)

// maxTitle is the maximum number of characters of a title in messages.
const maxTitle = 60

// line prepares a text for one line of a message or a diagram. It removes
// control characters and characters that change the text direction, and
// truncates to limit characters.
func line(text string, limit int) string {
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

func quote(text string) string { return `"` + line(text, maxTitle) + `"` }

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

// Line returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. Control characters and characters that change the
// text direction are removed.
func Line(text string, limit int) string { return line(text, limit) }
