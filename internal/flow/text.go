// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"

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
func line(text string) string { return oneline.Text(text[:min(len(text), maxBlank)], maxTitle) }

func quote(text string) string { return `"` + line(text) + `"` }

// name returns the title for messages, or else the ID.
func name(title, id string) string {
	if text := cmp.Or(line(title), line(id)); text != "" {
		return quote(text)
	}
	return "without an ID"
}
