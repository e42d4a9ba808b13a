// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"regexp"
	"strings"
	"testing"
)

// older is a definition in a format in which each item has its node's ID, each button that of
// its item, and each link starts at a node, an item and a button. The last node is a copy, in
// which these IDs can be outdated, and no session reaches the node "lost".
func older(itemsNode, buttonsItem, linksNode string) string {
	return `{"graph": {
		"links": [
			{"id": "l1", "from": {"groupId": "a", "blockId": "a1"}, "to": {"groupId": "b"}},
			{"id": "l2", "from": {"groupId": "b", "blockId": "b1", "itemId": "i1"}, "to": {"groupId": "copy"}},
			{"id": "l3", "from": {"groupId": "` + linksNode + `", "blockId": "c1", "itemId": "i2"}, "to": {"groupId": "a"}}
		],
		"nodes": [
			{"id": "a", "blocks": [{"id": "a1", "groupId": "a", "type": "start"}]},
			{"id": "b", "blocks": [{"id": "b1", "groupId": "b", "items": [{"id": "i1", "blockId": "b1"}, {"id": "i3", "blockId": "b1"}]}]},
			{"id": "copy", "blocks": [{"id": "c1", "groupId": "` + itemsNode + `", "items": [{"id": "i2", "blockId": "` + buttonsItem + `"}]}]},
			{"id": "lost", "blocks": [{"id": "d1", "groupId": "lost"}]}
		]
	}}`
}

// An item that has the ID of a node is no jump if other items have that of their own node.
func TestBackReferences(t *testing.T) {
	t.Parallel()
	sound := older("copy", "c1", "copy")
	lost := []string{"unreachable_node lost ()"}
	samples{
		"current":           {sound, lost},
		"outdated":          {older("lost", "b1", "lost"), lost},
		"of a deleted node": {older("gone", "gone", "gone"), lost},
		"a deleted item":    {strings.Replace(sound, `"blockId": "c1", "itemId": "i2"`, `"blockId": "c9"`, 1), []string{"unreachable_node lost ()", "orphaned_link l3 ()"}},
		"a jump in an item": {strings.Replace(sound, `"id": "i1"`, `"id": "i1", "options": {"groupId": "lost"}`, 1), nil},
		"a jump to nothing": {strings.Replace(sound, `"id": "i1"`, `"id": "i1", "options": {"groupId": "gone"}`, 1), append([]string{"dangling_jump i1 ()"}, lost...)},
		// No item repeats its node's ID, so this one is a jump.
		"only in a copy": {regexp.MustCompile(`(1"), "groupId": "(a|b|lost)"`).ReplaceAllString(older("x", "c1", "copy"), `$1`), append([]string{"dangling_jump c1 ()"}, lost...)},
	}.check(t)
}
