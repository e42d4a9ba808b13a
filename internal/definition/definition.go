// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package definition says what a definition contains, by one table of rules. Its words:
//
//   - A Definition is the tree of one agent's definition.
//   - A part is what the table names, such as "links" or "layout".
//   - The content of a value is a text that is equal for equal values.
//   - A Digest describes a definition by hashes of contents, and by hosts.
//   - A Difference is one change between two definitions.
package definition

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Errors of Parse and Of. They do not quote the definition. What is wrong in its syntax
// follows ErrNotJSON and ErrNotYAML, with the number of the line. The text of a file is empty,
// too, if a configuration replaces what Terraform cannot read with "".
var (
	ErrEmpty     = errors.New("the definition is empty, or its file is not UTF-8")
	ErrNotJSON   = errors.New("the definition is not valid JSON")
	ErrNotYAML   = errors.New("the definition is not valid YAML")
	ErrNotObject = errors.New("the definition is not an object. Pass the text of a whole definition, such as definition_json of convo_agent, or file(...)")
	ErrNoGraph   = errors.New("the definition has no graph object")
)

// Definition is that of one agent: an object without the share token. The zero Definition is
// an absent one.
type Definition struct{ *jsonvalue.Value }

type value = jsonvalue.Value

// Of returns a value as a definition, and withholds the share token in it. It fails with
// ErrNotObject.
func Of(v *jsonvalue.Value) (Definition, error) {
	if v.Kind() != '{' {
		return Definition{}, ErrNotObject
	}
	v.Member("exposure", "access", "share", "token").Withhold()
	return Definition{v}, nil
}

// Parse reads the JSON or YAML text of a definition with a graph. It fails with one of the
// errors above.
func Parse(text []byte) (Definition, error) {
	v, err := parse(text)
	if err != nil {
		return Definition{}, err
	}
	d, err := Of(v)
	if err == nil && !d.HasGraph() {
		err = ErrNoGraph
	}
	return d, err
}

// parse reads a text, which is JSON if it begins like an object, and YAML otherwise.
func parse(text []byte) (*value, error) {
	start := bytes.TrimSpace(text)
	if len(start) == 0 {
		return nil, ErrEmpty
	}
	if start[0] != '{' {
		return parseYAML(text)
	}
	v, err := jsonvalue.Parse(text)
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(text[:syntax.ByteOffset], []byte("\n"))
		err = fmt.Errorf("%w: line %d: %w", ErrNotJSON, line, syntax.Err)
	}
	return v, err
}

// parseYAML reads a text with at most one document. One that has only comments is empty.
func parseYAML(text []byte) (*value, error) {
	json, err := yamlToJSON(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotYAML, err)
	case string(json) == "null":
		return nil, ErrEmpty
	}
	v, err := jsonvalue.Parse(json)
	if err != nil { // Of correct JSON, only the depth is limited.
		return nil, fmt.Errorf("%w: exceeded max depth", ErrNotYAML)
	}
	return v, nil
}

// HasGraph reports whether the definition has a graph, which can be empty. One that is null
// counts as none.
func (d Definition) HasGraph() bool { return d.Member("graph").Kind() == '{' }
