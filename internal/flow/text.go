// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strings"
	"unicode"
)

// maxTitle is how many characters of a title are shown.
const maxTitle = 60

// line makes a text fit for one line of a message or a diagram: without control
// characters and without those that change the direction of what follows, and
// with at most so many characters.
func line(text string, limit int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case r == '\u200c' || r == '\u200d':
			// They join letters and emoji, and nothing else.
		case !unicode.IsGraphic(r):
			continue
		}
		if count >= limit {
			return b.String() + "…"
		}
		if space && count > 0 {
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

// name is how a message calls something: by its title, or else by its ID.
func name(title, id string) string {
	switch title, id = line(title, maxTitle), line(id, maxTitle); {
	case title == "" && id == "":
		return "without an ID"
	case title == "":
		return quote(id)
	}
	return quote(title)
}
