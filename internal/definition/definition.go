// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

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

// Definition is that of one agent: an object with a graph, and without the share token.
// The zero Definition is an absent one.
type Definition struct{ jsonvalue.Value }

// Parse reads the JSON or YAML text of a definition. It fails with one of the errors
// above.
func Parse(text []byte) (Definition, error) {
	v, err := jsonvalue.Canonical(text)
	if err != nil {
		v, err = parseYAML(text, err)
	}
	if err != nil {
		return Definition{}, err
	}
	return New(v)
}

// New returns a value as a definition. It fails with ErrNotObject or ErrNoGraph. A graph
// that is null counts as none, an empty object as an empty graph.
func New(v jsonvalue.Value) (Definition, error) {
	switch {
	case v.Kind() != '{':
		return Definition{}, ErrNotObject
	case !v.Member("graph").IsObject():
		return Definition{}, ErrNoGraph
	}
	v.Member("exposure", "access", "share", "token").Withhold()
	return Definition{v}, nil
}

// parseYAML reads a YAML text that is not JSON. Of a text that is neither, it returns
// errJSON if the text begins like JSON.
func parseYAML(text []byte, errJSON error) (jsonvalue.Value, error) {
	json, err := jsonvalue.FromYAML(text)
	var syntax *jsontext.SyntacticError
	switch start := bytes.TrimSpace(text); {
	case errors.Is(err, io.EOF):
		return jsonvalue.Value{}, ErrEmpty
	case err != nil && bytes.IndexAny(start, "{[") == 0 && errors.As(errJSON, &syntax):
		line := 1 + bytes.Count(text[:syntax.ByteOffset], []byte("\n"))
		return jsonvalue.Value{}, fmt.Errorf("%w: line %d: %w", ErrNotJSON, line, syntax.Err)
	case err != nil:
		return jsonvalue.Value{}, fmt.Errorf("%w: %w", ErrNotYAML, err)
	}
	v, err := jsonvalue.Canonical(json)
	if err != nil { // Of correct JSON, only the depth is limited.
		return jsonvalue.Value{}, fmt.Errorf("%w: it is nested too deeply", ErrNotYAML)
	}
	return v, nil
}
