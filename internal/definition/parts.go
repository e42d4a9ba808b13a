// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// maxTitle is the maximum number of characters of a title in Parts.
const maxTitle = 40

// Parts has hashes that tell which parts and nodes of a definition change.
type Parts struct {
	// Parts has a short hash for each part in shapes that the definition has, and for two
	// more: "layout" covers the positions and sizes of nodes, entry points, and annotations,
	// and "other" covers what is in no other part.
	Parts map[string]string `json:"parts"`
	// Nodes has the objects in graph.nodes by ID, which can be empty. Of nodes with the same
	// ID, it has the one with the smallest hash.
	Nodes map[string]Node `json:"nodes"`
}

// Node describes a node of a graph.
type Node struct {
	// Title is the member title, or else name. It is one line.
	Title string `json:"title"`
	// Hash is a short hash of the content without the node's own position and size.
	Hash string `json:"hash"`
}

// nodes returns the nodes of a definition that was added.
func (c *contents) nodes(definition Definition) map[string]Node {
	nodes := map[string]Node{}
	for _, v := range definition.Member("graph", "nodes").Members() {
		if v.Kind() != '{' {
			continue
		}
		id, title := idOf(v), cmp.Or(v.Member("title").Text(), v.Member("name").Text())
		node := Node{oneline.Text(title, maxTitle), short(c.of(v))}
		if earlier, exists := nodes[id]; !exists || node.Hash < earlier.Hash {
			nodes[id] = node
		}
	}
	return nodes
}

// JSON returns the parts as a JSON object.
func (p Parts) JSON() string {
	text, _ := json.Marshal(p) // It fails for no strings.
	return string(text)
}

// ChangedParts names the parts and nodes in which two texts of Parts.JSON differ, such as
// "links" and "node Greeting (n1)". It returns nil if one of the texts is another one.
func ChangedParts(before, after string) []string {
	var old, current Parts
	if json.Unmarshal([]byte(before), &old) != nil || json.Unmarshal([]byte(after), &current) != nil {
		return nil
	}
	nodes := changedNodes(old.Nodes, current.Nodes)
	var changed []string
	for _, part := range keysOf(old.Parts, current.Parts) {
		if old.Parts[part] != current.Parts[part] && (part != "nodes" || nodes == nil) {
			changed = append(changed, part)
		}
	}
	return append(changed, nodes...)
}

func changedNodes(old, current map[string]Node) []string {
	var changed []string
	for _, id := range keysOf(old, current) {
		before, after := old[id], current[id]
		switch {
		case before.Hash == after.Hash:
		case before.Hash == "":
			changed = append(changed, "new node "+after.called(id))
		case after.Hash == "":
			changed = append(changed, "removed node "+before.called(id))
		default:
			changed = append(changed, "node "+after.called(id))
		}
	}
	return changed
}

// keysOf returns the sorted keys of two maps.
func keysOf[V any](x, y map[string]V) []string {
	all := map[string]V{}
	maps.Copy(all, x)
	maps.Copy(all, y)
	return slices.Sorted(maps.Keys(all))
}

// called returns the title and the ID of a node.
func (n Node) called(id string) string {
	switch {
	case id == "":
		return cmp.Or(n.Title, "without an ID")
	case n.Title == "":
		return id
	}
	return n.Title + " (" + id + ")"
}
