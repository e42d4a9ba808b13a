// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package flow reads an agent's conversation as a graph, finds mistakes in the
// graph and draws it as a Mermaid diagram. It accepts the JSON text of any
// definition, and takes linear time.
//
// The API documents links, variables and entry points, but not the shape of a
// node. This package is therefore based on assumptions:
//
//  1. A node is an object with an ID that the target of a link names.
//  2. An object with an ID inside a node belongs to that node. A link comes
//     from the node that its source belongs to.
//  3. A text inside a node that equals the ID of another node leads to that
//     node.
//  4. A variable is used if its ID or its name occurs as a whole text, in
//     {{...}} or in quotes.
//
// An assumption is applied only to graphs in which it holds at least once.
// Everything that may be a way or a use counts as one, because a false finding
// is worse than a missing one.
package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Errors of Parse. They do not quote the definition.
var (
	ErrNotJSON   = errors.New("the definition is not valid JSON")
	ErrNotObject = errors.New("the definition is not a JSON object")
	ErrNoGraph   = errors.New("the definition has no graph object")
)

// Graph is the conversation of one agent. It is safe for concurrent use.
type Graph struct {
	nodes       []node
	links       []link
	entrypoints []entrypoint
	variables   []variable
	// places are the texts that can be targets or be used, and index contains
	// their positions.
	places []place
	index  map[string]int
	// outside are the places that the definition names outside the graph.
	outside []int
	// unexpected reports that nodes or links are not an array.
	unexpected bool
}

// node is an element of the array of nodes.
type node struct {
	id, title string
	// place is the node's ID, or none.
	place int
	// inside are the IDs that belong to the node, and the IDs of links that
	// occur in it.
	inside []int
	// jumps are the IDs of other nodes that occur in the node.
	jumps []int
	// start reports that something in the node has the type of an entry point.
	start bool
}

type link struct {
	id string
	// place is the link's ID, or none.
	place int
	// from and to are the IDs on both sides, the most specific first.
	from, to []int
	// source, item and target are the documented IDs of the link's origin and of
	// the node that it leads to, or none.
	source, item, target int
}

type entrypoint struct {
	id, kind string
	// place is the entry point's ID, or none.
	place int
	// names are the places that occur in the entry point.
	names []int
}

type variable struct {
	id, name string
	// places are the variable's ID and name, if it has them.
	places []int
}

// place is an ID or a name of something in the graph.
type place struct {
	text string
	// nodes have this ID, and holders have something with this ID inside.
	nodes, holders []int
	// namedBy are the nodes that have the text inside, if it is a link's ID.
	namedBy []int
	// entrypoints and links have this ID.
	entrypoints, links []int
	// label is the text of the item with this ID.
	label string
	// isID reports that the text is more than a name, because a name can also be
	// an unrelated key of an object.
	isID bool
	// used reports that the text occurs where a variable can be used.
	used bool
}

const none = -1

// Parse reads the graph of a definition. It fails with ErrNotJSON,
// ErrNotObject or ErrNoGraph. A graph that is null counts as none, an empty
// object as an empty graph.
func Parse(definition []byte) (*Graph, error) {
	if !json.Valid(definition) {
		return nil, ErrNotJSON
	}
	return parse(definition)
}

// ParseMember reads the graph of the definition under a key of an object, such
// as a response of the API. The document must be valid JSON, because a caller
// that has decoded it has checked it. It fails like Parse, and with ErrNotObject
// if there is no such key.
func ParseMember(document []byte, key string) (*Graph, error) {
	c := &cursor{data: bytes.TrimPrefix(document, []byte("\uFEFF"))}
	if c.peek() != '{' {
		return nil, ErrNotObject
	}
	var definition []byte
	c.object(func(name []byte) {
		value := c.raw()
		if string(name) == key {
			definition = value // The last of equal keys counts, as in encoding/json.
		}
	})
	if definition == nil {
		return nil, ErrNotObject
	}
	return parse(definition)
}

// parse reads the graph of a definition that is valid JSON.
func parse(definition []byte) (*Graph, error) {
	if !utf8.Valid(definition) {
		// As in encoding/json, bytes that are not UTF-8 become the replacement
		// character. Only strings can contain such bytes.
		definition = []byte(string([]rune(string(definition))))
	}
	root := &cursor{data: definition}
	if root.peek() != '{' {
		return nil, ErrNotObject
	}
	// The approximate number of places in definitions of this size.
	size := len(definition) / 100
	r := &reader{Graph: &Graph{index: make(map[string]int, size), places: make([]place, 0, size)}}
	if !r.structure(root) {
		return nil, ErrNoGraph
	}
	r.contents()
	return r.Graph, nil
}

// putID returns the place of an ID and adds it if necessary. An empty text is
// not an ID.
func (g *Graph) putID(text string) int {
	at := g.putName(text)
	if at != none {
		g.places[at].isID = true
	}
	return at
}

func (g *Graph) putName(text string) int {
	if text == "" {
		return none
	}
	at, ok := g.index[text]
	if !ok {
		at = len(g.places)
		g.index[text] = at
		g.places = append(g.places, place{text: text})
	}
	return at
}
