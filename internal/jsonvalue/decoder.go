// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package jsonvalue turns a JSON document into a Terraform value, guided by
// the Terraform type. It is the only place where the two meet: the schema is
// the model, and attribute names follow from the document's by rule.
//
//   - The name of an attribute is the key in snake_case: is_past_due holds the
//     value of isPastDue.
//   - A string attribute with the suffix _json holds the value of the key
//     without the suffix, of any shape, as canonical JSON: nodes_json, nodes.
//   - A number attribute with the suffix #count holds the length of the array
//     under the key without the suffix: nodes#count, nodes. No schema can have an
//     attribute of this name, so this and the next suffix are for derived values.
//   - A string attribute with the suffix #hash holds the SHA-256 hash of the text
//     of the members of the object under the key without the suffix: agent#hash,
//     agent. Sorting their keys first would lengthen an audit by a fifth.
//   - null and an absent key become null, "" and [] do not.
//   - A string attribute accepts any JSON and holds the text of what is not a
//     string.
//   - Numbers keep their value. A number with more than 400 digits, or with a larger
//     exponent, is an error. In JSON text, numbers keep their text.
//   - Keys without an attribute are ignored, and returned if they are at the top.
//   - Of equal keys, the last one counts, but the values of all must be right.
//     JSON text has all of them, in any order.
//   - More than 10,000 levels of nesting are an error. Bytes that are not UTF-8
//     become the replacement character.
package jsonvalue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ErrNotJSON reports a document that is not JSON, not even its beginning.
var ErrNotJSON = errors.New("the text is not valid JSON")

// Decoder decodes documents into values of one type. It is safe for concurrent
// use.
type Decoder struct {
	root     *node
	unhashed []string
}

// node describes one part of the type.
type node struct {
	typ     tftypes.Type
	kind    jsontext.Kind // of the JSON that is decoded into it; 't' for a bool
	null    tftypes.Value
	element *node               // of a list
	fields  map[string][]*field // of an object, by document key
	all     []*field            // of an object, by attribute name
}

// field is an attribute of an object. One key can feed several: a typed one and
// ones with suffixes.
type field struct {
	key       string
	attribute string
	node      *node
	decode    func(*reader, *node) tftypes.Value
}

// NewDecoder prepares a decoder for documents that are an object of the given
// type. No hash includes the members with the given keys. NewDecoder fails for a
// type with a part that no JSON is decoded into (sets, maps, tuples, dynamic
// values).
func NewDecoder(typ tftypes.Object, unhashed ...string) (*Decoder, error) {
	root, err := compile(typ)
	return &Decoder{root, unhashed}, err
}

func compile(typ tftypes.Type) (*node, error) {
	n := &node{typ: typ, null: tftypes.NewValue(typ, nil)}
	switch typ := typ.(type) {
	case tftypes.Object:
		n.kind, n.fields = '{', make(map[string][]*field, len(typ.AttributeTypes))
		// Sorted, so that a typed attribute comes before the one with the suffix.
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
			f, err := compileField(name, typ.AttributeTypes[name])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			n.all = append(n.all, f)
			n.fields[f.key] = append(n.fields[f.key], f)
		}
		return n, nil
	case tftypes.List:
		element, err := compile(typ.ElementType)
		if err != nil {
			return nil, fmt.Errorf("[]: %w", err)
		}
		n.kind, n.element = '[', element
		return n, nil
	}
	switch {
	case typ.Is(tftypes.String):
		n.kind = '"'
	case typ.Is(tftypes.Number):
		n.kind = '0'
	case typ.Is(tftypes.Bool):
		n.kind = 't'
	default:
		return nil, fmt.Errorf("%s cannot be decoded from JSON", typ)
	}
	return n, nil
}

// suffixes are those of attributes that do not hold the value itself.
var suffixes = []struct {
	suffix string
	typ    tftypes.Type
	decode func(*reader, *node) tftypes.Value
}{
	{"_json", tftypes.String, (*reader).jsonText}, {"#count", tftypes.Number, (*reader).count}, {"#hash", tftypes.String, (*reader).hash},
}

func compileField(name string, typ tftypes.Type) (*field, error) {
	n, err := compile(typ)
	f := &field{key: documentKey(name), attribute: name, node: n, decode: (*reader).value}
	for _, s := range suffixes {
		if base, ok := strings.CutSuffix(name, s.suffix); ok && typ.Is(s.typ) {
			f.key, f.decode = documentKey(base), s.decode
		}
	}
	return f, err
}

// documentKey is the key that an attribute holds the value of: isPastDue for
// is_past_due.
func documentKey(attribute string) string {
	parts := strings.Split(attribute, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// Decode decodes a document into a value of the decoder's type. It also returns
// the document's members without an attribute, nil if there are none: a cursor
// or a total beside a list is one.
//
// Decode returns ErrNotJSON for a document that is not JSON. Any other error is
// about its end, if that is missing, or about the first part of the document that
// conflicts with the type: "agent.canvas.annotations[3].zIndex: expected a number, got a string".
func (d *Decoder) Decode(document []byte) (tftypes.Value, map[string]json.RawMessage, error) {
	r := &reader{json: newTokenizer(document), document: document, unhashed: d.unhashed}
	value := r.value(d.root)
	if _, err := r.json.ReadToken(); r.err != nil || !errors.Is(err, io.EOF) {
		return tftypes.Value{}, nil, cmp.Or(r.err, ErrNotJSON)
	}
	if value.IsNull() {
		return tftypes.Value{}, nil, errors.New("expected an object, got null")
	}
	return value, r.rest, nil
}
