// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// Diff returns what differs between two definitions, with the titles of the elements.
func Diff(before, after definition.Definition) []definition.Difference {
	graphs := []*graph{newGraph(after), newGraph(before)}
	return definition.Diff(before, after, func(part string, v value) string {
		switch part {
		case "link":
			for _, g := range graphs {
				if links := g.linksByID[v.Member("id").Text()]; links != nil {
					return links[0].title()
				}
			}
			return ""
		case "entrypoint":
			return line(v.Member("type").Text())
		}
		return line(titleOf(v))
	})
}

// title returns the titles, or else the IDs, of both ends of the link.
func (l *link) title() string {
	end := func(n *node, id string) string {
		if n == nil {
			return id
		}
		return cmp.Or(n.title, n.id)
	}
	return line(end(l.origin, l.fromBlock) + " → " + end(l.target, l.toGroup))
}
