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
//  4. A variable is used if its ID or its name occurs as an entire text, in
//     {{...}} or in quotes.
//
// An assumption is applied only to graphs in which it holds at least once.
// Everything that may be a way or a use counts as one, because a false finding
// is worse than a missing one.
package flow

import (
	"bytes"
	"errors"
	"sync"
)

// Errors of Parse. They do not quote the definition.
var (
	ErrNotJSON   = errors.New("the definition is not valid JSON")
	ErrNotObject = errors.New("the definition is not a JSON object")
	ErrNoGraph   = errors.New("the definition has no graph object")
)

// Graph is the conversation of one agent. It is safe for concurrent use.
type Graph struct {
	// identifiers has the IDs and names that texts can refer to.
	identifiers map[string]*identifier
	nodes       []*node
	links       []*link
	entrypoints []*entrypoint
	variables   []*variable
	// outside are the identifiers that the definition names outside the graph.
	outside []*identifier
	// unexpected reports that nodes or links are not an array of objects.
	unexpected bool
	// targetsKnown and sourcesKnown report whether the assumptions about both ends
	// of a link hold at least once, and entered whether an entry point leads to a
	// node.
	targetsKnown, sourcesKnown, entered bool
}

// identifier is an ID or a name of something in the graph.
type identifier struct {
	text string
	// isID reports that the text is more than a name, because a name can also be
	// an unrelated key of an object.
	isID bool
	// nodes have this ID, and holders have something with this ID inside.
	nodes, holders []*node
	// namedBy are the nodes that have the text inside, if it is a link's ID.
	namedBy []*node
	// entrypoints, links and variables have this ID.
	entrypoints []*entrypoint
	links       []*link
	variables   []*variable
	// out are the links that come from here.
	out []*link
	// label is the text of the item with this ID.
	label string
	// used reports that the text occurs where a variable can be used.
	used bool
	// entered, visited and left report how far the search for ways has come.
	entered, visited, left bool
}

// node is an element of the array of nodes.
type node struct {
	value value
	// id is nil for a node without an ID.
	id    *identifier
	title string
	// order is the position in alphabetical order.
	order int
	// inside are the IDs that belong to the node, and the IDs of links that
	// occur in it.
	inside []*identifier
	// jumps are the IDs of other nodes that occur in the node.
	jumps []*identifier
	// start reports that something in the node has the type of an entry point.
	start bool
	// reached reports that the node can be reached, if sources are known.
	reached bool
}

// link has nil for an ID that it does not have.
type link struct {
	value value
	id    *identifier
	// froms and tos are the IDs on both sides, the most specific first.
	froms, tos []*identifier
	// blockID, itemID and groupID are the documented IDs of the link's origin and
	// of the node that it leads to.
	blockID, itemID, groupID *identifier
	// source and target are the IDs on both sides that are in the graph.
	source, target *identifier
	// entering reports that the link comes from an entry point.
	entering bool
}

type entrypoint struct {
	value value
	// id is nil for an entry point without an ID.
	id   *identifier
	kind string
	// line is the kind as one line, and name what messages call the entry point.
	line, name string
	// links are the IDs of links that occur in the entry point, and inside are
	// nodes, or what belongs to one.
	links, inside []*identifier
}

// variable has nil for an ID or a name that it does not have.
type variable struct{ id, name *identifier }

// Parse reads the graph of a definition. It fails with ErrNotJSON, ErrNotObject
// or ErrNoGraph. A graph that is null counts as none, an empty object as an
// empty graph.
func Parse(definition []byte) (*Graph, error) {
	v, err := parseValue(definition, nil)
	if err != nil {
		return nil, err
	}
	return newGraph(v, nil)
}

// memory is what the graphs of FindingsIn use one after the other.
type memory struct {
	tokens      []token
	identifiers [256]identifier
}

var memories = sync.Pool{New: func() any { return &memory{} }}

// FindingsIn returns the findings of the definition under a key of an object,
// such as a response of the API. It fails like Parse, and with ErrNotObject if
// there is no such key.
func FindingsIn(document []byte, key string) ([]Finding, error) {
	m, _ := memories.Get().(*memory)
	defer memories.Put(m)
	v, err := parseValue(bytes.TrimPrefix(document, []byte("\uFEFF")), m.tokens)
	m.tokens = v
	defer clear(v)
	if err != nil {
		return nil, err
	}
	defer clear(m.identifiers[:])
	graph, err := newGraph(v.member(key), m.identifiers[:])
	if err != nil {
		return nil, err
	}
	return graph.Findings(), nil
}
