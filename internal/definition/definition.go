// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package definition says what a definition contains. Its words:
//
//   - A Definition is the tree of one agent's definition.
//   - A shape is what is known of a value, by the one table in shapes.go.
//   - A part of a definition is what a shape names, such as "links" or "layout".
//   - The content of a value is a text that is equal for equal values.
//   - A Digest describes a definition by hashes of contents, and by hosts.
//   - A Difference is one change between two definitions.
package definition

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// ErrNoGraph reports a definition without a graph.
var ErrNoGraph = errors.New("the definition has no graph object")

// Definition is that of one agent: an object without the share token. The zero Definition is
// an absent one.
type Definition struct{ *jsonvalue.Value }

type value = *jsonvalue.Value

// withoutToken returns a definition, and withholds the share token in it, which is the only
// secret that the API names in a definition.
func withoutToken(v value) Definition {
	v.Member("exposure", "access", "share", "token").Withhold()
	return Definition{v}
}

// InResponse reads the definition in the JSON text of a response (getAgent).
func InResponse(text []byte) (Definition, error) {
	v, err := jsonvalue.Parse(text)
	return withoutToken(v.Member("agent")), err
}

// Parse reads the JSON text of a definition with a graph. It fails with
// ErrNoGraph, or says what is wrong in the JSON, and where, which can quote a key.
func Parse(text []byte) (Definition, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // Some editors write it.
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return Definition{}, errors.New("the definition is not a JSON object. Pass the text of a whole definition, such as definition_json of convo_agent, or file(...). " +
			"To read YAML, use jsonencode(yamldecode(file(...)))")
	}
	v, err := jsonvalue.Parse(text)
	if err != nil {
		return Definition{}, fmt.Errorf("the definition cannot be read: %w", err)
	}
	d := withoutToken(v)
	if !d.HasGraph() {
		return d, ErrNoGraph
	}
	return d, nil
}

// HasGraph reports whether the definition has a graph, which can be empty. One that is null
// counts as none.
func (d Definition) HasGraph() bool { return d.Member("graph").Kind() == '{' }
