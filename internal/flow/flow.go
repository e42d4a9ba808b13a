// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package flow reads an agent's conversation as a graph, finds mistakes in the
// graph, draws it as a Mermaid diagram, and lists what differs from another
// definition. It accepts the JSON or YAML text of any definition, and takes linear
// time and memory.
//
// The API documents links, variables, and entry points, but not the shape of a
// node. Beyond the documented fields, this package makes six assumptions:
//
//  1. A node is an object with an ID that the target of a link names.
//  2. An object with an ID inside a node is an item of that node. The source of a
//     link has the ID of the node, item, or entry point that the link comes from.
//  3. A text inside a node, or in quotes or {{...}} in such a text, that equals
//     the ID of another node leads to that node.
//  4. A variable is used if its ID or its name occurs in the same way.
//  5. A text under outgoingEdgeId inside a node is the ID of a link.
//  6. A text under groupId inside a node is the ID of a node, as in the target of a
//     link. A text with {{...}} can be any node's ID or title. If an ID beside it is not
//     of this graph, the node is another agent's.
//
// They apply only to graphs in which at least one link's target is the ID of a
// node. What may be a way or a use counts as one, because a false finding is
// worse than a missing one.
package flow

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Errors of Parse. They do not quote the definition. What is wrong in its syntax follows
// ErrNotJSON and ErrNotYAML, with the number of the line.
var (
	ErrEmpty     = errors.New("the definition is empty")
	ErrNotJSON   = errors.New("the definition is not valid JSON")
	ErrNotYAML   = errors.New("the definition is not valid YAML")
	ErrNotObject = errors.New("the definition is not an object")
	ErrNoGraph   = errors.New("the definition has no graph object")
)

// Definition is that of one agent. It is not safe for concurrent use.
type Definition struct{ value value }

// graph is the conversation of one agent.
type graph struct {
	definition value
	// identifiers has the IDs and names that texts can refer to.
	identifiers map[string]*identifier
	// nodes are those without an ID and the first one of each ID, which stands for
	// all nodes with that ID. The same applies to entry points.
	nodes, entrypoints []*node
	links              []*link
	variables          []*variable
	// contained has the items of each node that links name, and undefined the names in
	// {{...}} that are not a variable's, and the nodes that use them.
	contained map[nodeItem]bool
	undefined map[string][]*node
	// itemKeys are the keys of the arrays that contain the items of nodes.
	itemKeys map[string]bool
	// agent has the IDs of the agent itself.
	agent []string
	// titles are the results of titleIn by the first token of a value, so that many
	// references to one value take linear time.
	titles map[*token]string
	// isEmpty reports that the graph has neither nodes nor links.
	isEmpty bool
	// targetsKnown and sourcesKnown report whether the assumptions about both ends
	// of a link hold at least once, and entered whether a session reaches a node.
	targetsKnown, sourcesKnown, entered bool
}

type nodeItem struct {
	node *node
	id   *identifier
}

// identifier is an ID or a name of something in the graph.
type identifier struct {
	text string
	// node and entrypoint are those with this ID, and holder is the first one that has
	// an item with it.
	node, entrypoint, holder *node
	item                     value
	// links have this ID, and exit is the first one that continues at them.
	links []*link
	exit  *exit
	// outgoing are the links whose source has this ID, and the links with this ID if an
	// exit continues at them.
	outgoing  []*link
	variables []*variable
	// isEnd reports that an end of a link names the ID, isName that a variable has this
	// name, and used that the text occurs where a variable can be used.
	isEnd, isName, used bool
	// hasNext reports that something in a node may follow an item with this ID, or an item
	// that continues at a link with this ID.
	hasNext bool
}

// node is an element of the array of nodes, or an entry point.
type node struct {
	isEntrypoint bool
	// id is nil for a node without an ID.
	id *identifier
	// title is the title of a node or the type of an entry point, as one line.
	title string
	// values are more than one if nodes have the same ID.
	values []value
	// sources are what links come from: the node's own ID, those of items, and those of
	// links that the node names. Jumps are the nodes that texts in it name.
	sources []*identifier
	jumps   []*node
	missing []missingEnd
	// lostJumps are those to nodes that are not in the graph, and jumpsAnywhere reports a
	// jump to a node whose ID or title is in a variable.
	lostJumps     []missingEnd
	jumpsAnywhere bool
	// hasItems reports that an array of the node contains an object, and hasIDs that at
	// least one of these has an ID. The arrays under emptyKeys contain nothing.
	hasItems, hasIDs bool
	emptyKeys        []string
	// start reports that something in the node has the type of an entry point.
	start bool
	// reached reports that a session can reach the node.
	reached bool
	// shape is that of the node's ID in a diagram, nil without an ID.
	shape *shape
}

// link is a link of the graph. Both ends are nil if they are not in the graph.
type link struct {
	id             *identifier // nil without an ID
	origin, target *node
	// froms and tos are the IDs on both sides, the documented one first.
	froms, tos []*identifier
	// blockID and groupID are the documented IDs of both sides, and item is that of the
	// item in the target, if any.
	blockID, groupID string
	item             *identifier
	exit             *exit // the first one that continues at the link, if any
}

// exit is an object in a node or an entry point that continues at a link.
type exit struct {
	node   *node
	itemID string // ID of the object, or of the innermost object with an ID around it
	// hasNext reports that something in the node may follow.
	hasNext bool
	value   value
}

// missingEnd is an exit at a link or a node that does not exist.
type missingEnd struct {
	exit
	id string
}

// variable has nil for an ID or a name that it does not have.
type variable struct{ id, name *identifier }

// Parse reads the JSON or YAML text of a definition, without the share token. It fails
// with one of the errors above. A graph that is null counts as none, an empty object as
// an empty graph.
func Parse(definition []byte) (*Definition, error) {
	canonical, err := jsonvalue.Canonical(definition)
	if err != nil {
		canonical, err = canonicalYAML(definition, err)
	}
	if err != nil {
		return nil, err
	}
	v, err := parseValue([]byte(canonical))
	if err != nil {
		return nil, err
	}
	return newDefinition(v)
}

// canonicalYAML returns the canonical JSON of a YAML text that is not JSON. Of a text that
// is neither, it returns errJSON if the text begins like JSON.
func canonicalYAML(text []byte, errJSON error) (string, error) {
	json, err := jsonvalue.FromYAML(text)
	var syntax *jsontext.SyntacticError
	switch start := bytes.TrimSpace(text); {
	case errors.Is(err, io.EOF):
		return "", ErrEmpty
	case err != nil && bytes.IndexAny(start, "{[") == 0 && errors.As(errJSON, &syntax):
		line := 1 + bytes.Count(text[:syntax.ByteOffset], []byte("\n"))
		return "", fmt.Errorf("%w: line %d: %w", ErrNotJSON, line, syntax.Err)
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrNotYAML, err)
	}
	canonical, err := jsonvalue.Canonical(json)
	if err != nil { // Of correct JSON, only the depth is limited.
		return "", fmt.Errorf("%w: it is nested too deeply", ErrNotYAML)
	}
	return canonical, nil
}

// FindingsIn returns the findings of the definition under a key of an object,
// such as a response of the API. It fails like Parse, and with ErrNotObject if
// there is no such key.
func FindingsIn(document []byte, key string) ([]Finding, error) {
	v, err := parseValue(document)
	if err != nil {
		return nil, err
	}
	definition, err := newDefinition(v.member(key))
	if err != nil {
		return nil, err
	}
	return definition.Findings(), nil
}

// newDefinition fails with ErrNotObject or ErrNoGraph.
func newDefinition(v value) (*Definition, error) {
	switch {
	case v.kind() != '{':
		return nil, ErrNotObject
	case v.member("graph").kind() != '{':
		return nil, ErrNoGraph
	}
	v.member("exposure").member("access").member("share").member("token").withhold()
	return &Definition{v}, nil
}
