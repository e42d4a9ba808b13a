// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "github.com/convo/terraform-provider-convo/internal/definition"

// member is a key in the objects under another key.
type member struct{ in, key string }

// backReferences returns the members of a definition that only repeat the ID of something
// around them. In older formats, each item has its node's ID, what is in the item has the
// item's ID, and the start of a link has the node's ID beside that of the item. Services do
// not use these IDs: in copies, they are outdated, and newer formats omit them. So they are
// neither jumps nor changes, and both newGraph and Diff leave them out. What a member is can
// be seen only in most objects of the graph.
func backReferences(d definition.Definition) map[member]bool {
	b := &repetitions{map[member]int{}, map[string]string{}}
	nodes, links := d.Member("graph", "nodes"), d.Member("graph", "links")
	elements(links, func(link value) { b.start(link.Member("from"), false) })
	elements(nodes, func(node value) { b.members(node, "", node.Member("id").Text(), node.Member("id").Text()) })
	elements(links, func(link value) { b.start(link.Member("from"), true) })
	found := map[member]bool{}
	for m, n := range b.count {
		if m.key != "" && n > 1 && 2*n > b.count[member{in: m.in}] {
			found[m] = true
		}
	}
	return found
}

// repetitions counts the members that repeat an ID from around them. An empty key counts the
// objects.
type repetitions struct {
	count map[member]int
	// nodeOf has the IDs of nodes by those of items at which links with a third ID start.
	nodeOf map[string]string
}

// start counts the members of a link's start, or notes that its item's node is needed.
func (b *repetitions) start(from value, isKnown bool) {
	item := from.Member("blockId").Text()
	for key, m := range from.Members() {
		text := m.Text()
		switch node := b.nodeOf[item]; {
		case item == "" || text == "" || key == "blockId" || key == "itemId":
		case !isKnown:
			b.nodeOf[item] = ""
		case node != "":
			b.count[member{in: "from"}]++
			if text == node {
				b.count[member{"from", key}]++
			}
		}
	}
}

// members counts the members of an object, or of the objects in an array, with the IDs of the
// node and of the innermost object around them.
func (b *repetitions) members(v value, in, node, parent string) {
	inside := parent
	if v.Kind() == '{' {
		b.count[member{in: in}]++
		if id := v.Member("id").Text(); id != "" {
			inside = id
			if _, isNeeded := b.nodeOf[id]; isNeeded {
				b.nodeOf[id] = node
			}
		}
	}
	for key, m := range v.Members() {
		switch text := m.Text(); {
		case v.Kind() == '[':
			b.members(m, in, node, parent)
		case text == "" && m.Size() > 1:
			b.members(m, key, node, inside)
		case text != "" && key != "id" && in != "" && (text == node || text == parent):
			b.count[member{in, key}]++
		}
	}
}

// without returns a definition without some members in nodes and starts of links.
func without(d definition.Definition, found map[member]bool) definition.Definition {
	if len(found) == 0 {
		return d
	}
	removed := map[int]bool{}
	elements(d.Member("graph", "nodes"), func(node value) { addMembers(removed, node, "", found) })
	elements(d.Member("graph", "links"), func(link value) {
		if link.Member("from", "blockId").Text() != "" {
			addMembers(removed, link, "", found)
		}
	})
	return definition.Definition{Value: d.Without(removed)}
}

// addMembers adds the indexes of some members of the objects in a value, and of the value
// itself if it is one or an array of them under a key.
func addMembers(indexes map[int]bool, v value, in string, found map[member]bool) {
	for key, m := range v.Members() {
		switch {
		case v.Kind() == '[':
			key = in
		case found[member{in, key}]:
			indexes[m.Index()] = true
		}
		addMembers(indexes, m, key, found)
	}
}
