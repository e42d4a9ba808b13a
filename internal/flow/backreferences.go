// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// member is a key in the objects under another key. An empty key stands for the objects.
type member struct{ in, key string }

// backReferences returns the values in a definition that only repeat the ID of
// something around them. In older formats, each item has its node's ID, what is in the item
// has the item's ID, and the start of a link has the node's ID beside that of the item.
// Services do not use these IDs: in copies, they are outdated, and newer formats omit them.
// So they name nothing. What a member is can be seen only in most objects of the graph.
func backReferences(d definition.Definition) map[value]bool {
	count := map[member]int{}
	visitMembers(d, func(m member, _ value, isRepeated bool) {
		if isRepeated {
			count[m]++
		}
	})
	if len(count) == 0 { // Most definitions have none.
		return nil
	}
	visitMembers(d, func(m member, _ value, _ bool) {
		if m.key == "" {
			count[m]++
		}
	})
	found := map[value]bool{}
	visitMembers(d, func(m member, v value, _ bool) {
		if m.key != "" && count[m] > 1 && 2*count[m] > count[member{in: m.in}] {
			found[v] = true
		}
	})
	return found
}

// visitMembers visits what is inside of nodes, and the IDs beside blockId at the starts of
// links.
func visitMembers(d definition.Definition, visit func(m member, v value, isRepeated bool)) {
	isNode := map[string]bool{}
	elements(d.Member("graph", "nodes"), func(node value) {
		id := node.Member("id").Text()
		isNode[id] = id != ""
		visitInside(node, "", id, id, visit)
	})
	elements(d.Member("graph", "links"), func(link value) {
		if from := link.Member("from"); from.Member("blockId").Text() != "" {
			visit(member{in: "from"}, from, false)
			for key, m := range from.Members() {
				visit(member{"from", key}, m, key != "blockId" && isNode[m.Text()])
			}
		}
	})
}

// visitInside visits the members of an object, or of the objects in an array, with the IDs of
// the node and of the innermost object around them.
func visitInside(v value, in, node, parent string, visit func(m member, v value, isRepeated bool)) {
	inside := parent
	if v.Kind() == '{' {
		visit(member{in: in}, v, false)
		inside = cmp.Or(v.Member("id").Text(), parent)
	}
	for key, m := range v.Members() {
		switch text := m.Text(); {
		case v.Kind() == '[':
			visitInside(m, in, node, parent, visit)
		case text == "":
			visitInside(m, key, node, inside, visit)
		case key != "id" && in != "":
			visit(member{in, key}, m, text == node || text == parent)
		}
	}
}
