// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	// maxTitle is the maximum number of characters of a title.
	maxTitle = 60
	// maxBlank is the number of bytes of a text that are searched for a title, so that
	// many references to a long text take linear time.
	maxBlank = 500
)

// line prepares a text for a message or a diagram.
func line(text string) string {
	if len(text) > maxBlank {
		text = strings.ToValidUTF8(text[:maxBlank], "") // Without the beginning of a character.
	}
	return oneline.Text(text, maxTitle)
}

// quoted is a text in a message. Like the other parts of messages, it is prepared only
// if the message is written, because a definition can have a million mistakes.
type quoted string

func (q quoted) String() string { return `"` + line(string(q)) + `"` }

// named is what messages call something with a title and an ID.
type named struct{ title, id string }

// String returns the title, or else the ID.
func (n named) String() string {
	if text := cmp.Or(line(n.title), line(n.id)); text != "" {
		return quoted(text).String()
	}
	return "without an ID"
}
