// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// titleKeys are the keys of the texts that name an object, the best one first.
// The value is what a condition compares with.
var titleKeys = []string{"title", "label", "name", "content", "text", "value"}

// titleOf returns the best text of an object to call it by.
func titleOf(v value) string {
	for _, key := range titleKeys {
		if member := v.Member(key); member.Kind() == '"' && member.Text() != "" {
			return member.Text()
		}
	}
	return ""
}

// titleIn returns the title of a value, or else the first title in it.
func titleIn(v value) string {
	title := titleOf(v)
	for _, member := range v.Members() {
		if title == "" {
			title = titleIn(member)
		}
	}
	return title
}

// maxTitle is the maximum number of characters of a title.
const maxTitle = 60

// line prepares a text for a message or a diagram.
func line(text string) string { return oneline.Text(text, maxTitle) }

// quoted is a text in a message.
func quoted(text string) string { return `"` + line(text) + `"` }

// named is what messages call something with a title and an ID.
func named(title, id string) string { return quoted(cmp.Or(line(title), id)) }

// String is what messages call the node or the entry point.
func (n *node) String() string {
	name := named(n.title, n.id)
	if n.isEntrypoint {
		return "the entry point " + name
	}
	return "the node " + name
}

// String is what messages call an item of a node, or the node itself.
func (p place) String() string {
	if p.itemID == p.node.id {
		return p.node.String()
	}
	return "the element " + named(titleIn(p.object), p.itemID) + " in " + p.node.String()
}

// String is what messages call the link, with its origin if that is known.
func (l *link) String() string {
	if l.origin == nil {
		return "The link"
	}
	return "The link from " + l.origin.String()
}
