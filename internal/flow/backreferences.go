// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "slices"

// member is a key in the objects under another key.
type member struct{ in, key string }

// backReferences returns the members of a definition that only repeat the ID of something
// around them. In older formats, each item has its node's ID, what is in the item has the
// item's ID, and the start of a link has the node's ID beside that of the item. Services do
// not use these IDs: in copies, they are outdated, and newer formats omit them. So they are
// neither jumps nor changes, and both newGraph and Diff leave them out. What a member is can
// be seen only in most objects of the graph.
func backReferences(definition value) map[member]bool {
	b := &repetitions{map[member]int{}, map[string]string{}}
	nodes, links := definition.member("graph").member("nodes"), definition.member("graph").member("links")
	elements(links, func(link value) { b.start(link.member("from"), false) })
	elements(nodes, func(node value) { b.members(node, "", node.id(), node.id()) })
	elements(links, func(link value) { b.start(link.member("from"), true) })
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
	item := from.member("blockId").text()
	for key, m := range from.members() {
		text := m.text()
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
	if v.kind() == '{' {
		b.count[member{in: in}]++
		if id := v.id(); id != "" {
			inside = id
			if _, isNeeded := b.nodeOf[id]; isNeeded {
				b.nodeOf[id] = node
			}
		}
	}
	for key, m := range v.members() {
		switch text := m.text(); {
		case v.kind() == '[':
			b.members(m, in, node, parent)
		case text == "" && len(m) > 1:
			b.members(m, key, node, inside)
		case text != "" && key != "id" && in != "" && (text == node || text == parent):
			b.count[member{in, key}]++
		}
	}
}

// without returns a definition without some members in nodes and starts of links.
func (v value) without(found map[member]bool) value {
	if len(found) == 0 {
		return v
	}
	v = slices.Clone(v)
	elements(v.member("graph").member("nodes"), func(node value) { node.remove("", found) })
	elements(v.member("graph").member("links"), func(link value) {
		if link.member("from").member("blockId").text() != "" {
			link.remove("", found)
		}
	})
	return v
}

// remove removes members from the objects in a value, and from the value itself if it is one
// or an array of them under a key.
func (v value) remove(in string, found map[member]bool) {
	for rest := v[min(1, len(v)):]; len(rest) > 0; {
		key := in
		if v.kind() == '{' {
			key = rest[0].unquoted()
			if found[member{in, key}] {
				rest[0].kind = removed
			}
			rest = rest[1:]
		}
		rest[:rest[0].size].remove(key, found)
		rest = rest[rest[0].size:]
	}
}
