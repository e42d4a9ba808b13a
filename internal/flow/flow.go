// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package flow reads an agent's conversation as a graph, finds mistakes in the
// graph and draws it as a Mermaid diagram. It accepts the JSON text of any
// definition, and takes linear time.
//
// The API documents links, variables, and entry points, but not the shape of a
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
	"sync"
)

// Errors of Parse. They do not quote the definition.
var (
	ErrNotJSON   = errors.New("the definition is not valid JSON")
	ErrNotObject = errors.New("the definition is not a JSON object")
	ErrNoGraph   = errors.New("the definition has no graph object")
)

// Graph is the conversation of one agent. It is safe for concurrent use, and
// refers to the document that it was read from.
type Graph struct {
	index
	nodes       []node
	links       []link
	entrypoints []entrypoint
	variables   []variable
	// outside are the places that the definition names outside the graph.
	outside []int
	// unexpected reports that nodes or links are not an array.
	unexpected bool
	// targetsKnown and sourcesKnown report whether the assumptions about both ends
	// of a link hold at least once, and entered whether an entry point leads to a
	// node.
	targetsKnown, sourcesKnown, entered bool
}

// node is an element of the array of nodes.
type node struct {
	title []byte
	// content is the node's JSON.
	content []byte
	// id is the place of the node's ID, or none.
	id int
	// inside are the IDs that belong to the node, and the IDs of links that
	// occur in it.
	inside list
	// jumps are the IDs of other nodes that occur in the node.
	jumps list
	// start reports that something in the node has the type of an entry point.
	start bool
	// reached reports that the node can be reached, if sources are known.
	reached bool
}

type link struct {
	// id is the place of the link's ID, or none.
	id int
	// froms and tos are the IDs on both sides, the most specific first.
	froms, tos list
	// blockID, itemID and groupID are the documented IDs of the link's origin and
	// of the node that it leads to, or none.
	blockID, itemID, groupID int
	// source and target are the IDs on both sides that are in the graph, or none.
	source, target int
	// entering reports that the link comes from an entry point.
	entering bool
}

type entrypoint struct {
	kind []byte
	// content is the entry point's JSON.
	content []byte
	// id is the place of the entry point's ID, or none.
	id int
	// links are the IDs of links that occur in the entry point, and inside are
	// nodes, or what belongs to one.
	links, inside list
}

// variable has the places of its ID and its name, or none.
type variable struct{ id, name int }

// Parse reads the graph of a definition, which must not change afterwards. It
// fails with ErrNotJSON, ErrNotObject or ErrNoGraph. A graph that is null
// counts as none, an empty object as an empty graph.
func Parse(definition []byte) (*Graph, error) {
	if !json.Valid(definition) {
		return nil, ErrNotJSON
	}
	r := &reader{}
	if err := r.read(newCursor(definition)); err != nil {
		return nil, err
	}
	return &r.Graph, nil
}

// Analyzer finds mistakes in many graphs and reuses their memory. Its zero
// value is ready and safe for concurrent use.
type Analyzer struct{ readers sync.Pool }

// FindingsOf returns the findings of the definition under a key of an object,
// such as a response of the API. The document must be valid JSON, because a
// caller that has decoded it has checked it. It fails like Parse, and with
// ErrNotObject if there is no such key.
func (a *Analyzer) FindingsOf(document []byte, key string) ([]Finding, error) {
	c := newCursor(bytes.TrimPrefix(document, []byte("\uFEFF")))
	if c.peek() != '{' {
		return nil, ErrNotObject
	}
	r, _ := a.readers.Get().(*reader)
	if r == nil {
		r = &reader{}
	}
	defer a.readers.Put(r)
	err := ErrNotObject
	c.object(func(name []byte) {
		if string(name) == key {
			err = r.read(c) // The last of equal keys counts, as in encoding/json.
		} else {
			c.skip()
		}
	})
	if err != nil {
		return nil, err
	}
	return r.Findings(), nil
}
