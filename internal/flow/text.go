// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxTitle is the maximum number of characters of a title.
const maxTitle = 60

// line prepares a text for a message or a diagram.
func line(text string) string { return oneline.Text(text, maxTitle) }

// quoted is a text in a message.
func quoted(text string) string { return `"` + line(text) + `"` }

// named is what messages call something with a title and an ID.
func named(title, id string) string {
	if text := cmp.Or(line(title), line(id)); text != "" {
		return quoted(text)
	}
	return "without an ID"
}
