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
//   - A number attribute with the suffix _count holds the length of the array
//     under the key without the suffix: nodes_count, nodes.
//   - null and an absent key become null, "" and [] do not.
//   - A string attribute accepts any JSON and holds the text of what is not a
//     string.
//   - Numbers keep their value. A number with more than 400 digits, written out
//     in full, is an error. In JSON text, numbers keep their text.
//   - Keys without an attribute are ignored, and returned if they are at the top.
//   - Of equal keys, the last one counts, and the values of the others may be
//     wrong, as in encoding/json.
//   - A byte order mark before the value is ignored. More than 10,000 levels of
//     nesting are an error.
package jsonvalue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Suffixes of attributes that hold a value as JSON text, and the length of an
// array.
const (
	jsonSuffix  = "_json"
	countSuffix = "_count"
)

// Decoder decodes documents into values of one type. It is safe for concurrent
// use.
type Decoder struct{ root *node }

// Options configure a decoder in addition to the type. Paths consist of keys,
// as they are in the document: "workspace.isPastDue".
type Options struct {
	// Required lists the paths of values that must be present and not be null.
	Required []string
	// SortBy maps the path of a list without a meaningful order to the paths,
	// within an element, of the strings by which the list is sorted.
	SortBy map[string][]string
	// Withheld lists the paths of secrets. JSON text of a value that contains a
	// secret has null in its place, whatever the secret's kind; a typed
	// attribute at the path itself holds the secret. A path leads through
	// arrays into each of their elements, and need not exist in the type.
	Withheld []string
}

// node describes one place in the type.
type node struct {
	typ     tftypes.Type
	kind    kind
	null    tftypes.Value
	element *node               // of a list
	fields  map[string][]*field // of an object, by document key
	all     []*field
	sortBy  [][]string
	// withheld is what the JSON text of a value must not show, nil if nothing.
	withheld *secret
}

// field is an attribute of an object. One key can feed several: a typed one and
// ones with suffixes.
type field struct {
	key       string
	attribute string
	required  bool
	node      *node
	decode    func(*walk, *node) tftypes.Value
}

// NewDecoder prepares a decoder for documents that are an object of the given
// type. It fails for a type with a part that no JSON is decoded into
// (sets, maps, tuples, dynamic values) and for options that name no place in
// the type.
func NewDecoder(typ tftypes.Object, options Options) (*Decoder, error) {
	root, err := compile(typ)
	if err != nil {
		return nil, err
	}
	for _, path := range options.Required {
		field, err := root.find(path)
		if err != nil {
			return nil, err
		}
		field.required = true
	}
	for path, keys := range options.SortBy {
		field, err := root.find(path)
		if err != nil {
			return nil, err
		}
		if field.node.element == nil {
			return nil, fmt.Errorf("%s: is not a list", path)
		}
		for _, key := range keys {
			if _, err := field.node.element.find(key); err != nil {
				return nil, err
			}
			field.node.sortBy = append(field.node.sortBy, strings.Split(attributeName(key), "."))
		}
	}
	if len(options.Withheld) > 0 {
		withheld := &secret{}
		for _, path := range options.Withheld {
			withheld.add(strings.Split(path, "."))
		}
		root.withhold(withheld)
	}
	return &Decoder{root: root}, nil
}

func compile(typ tftypes.Type) (*node, error) {
	n := &node{typ: typ, null: tftypes.NewValue(typ, nil)}
	switch typ := typ.(type) {
	case tftypes.Object:
		n.kind = anObject
		n.fields = make(map[string][]*field, len(typ.AttributeTypes))
		// Sorted, so that problems come in the same order every time, and a typed
		// attribute before the one with the suffix.
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
			attributeType := typ.AttributeTypes[name]
			child, err := compile(attributeType)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			f := &field{key: documentKey(name), attribute: name, node: child, decode: (*walk).value}
			if base, ok := strings.CutSuffix(name, jsonSuffix); ok {
				if !attributeType.Is(tftypes.String) {
					return nil, fmt.Errorf("%s: must be a string to hold JSON", name)
				}
				f.key, f.decode = documentKey(base), (*walk).verbatim
			}
			if base, ok := strings.CutSuffix(name, countSuffix); ok && attributeType.Is(tftypes.Number) {
				f.key, f.decode = documentKey(base), (*walk).count
			}
			n.fields[f.key] = append(n.fields[f.key], f)
			n.all = append(n.all, f)
		}
	case tftypes.List:
		element, err := compile(typ.ElementType)
		if err != nil {
			return nil, fmt.Errorf("[]: %w", err)
		}
		n.kind, n.element = anArray, element
	default:
		switch {
		case typ.Is(tftypes.String):
			n.kind = aString
		case typ.Is(tftypes.Number):
			n.kind = aNumber
		case typ.Is(tftypes.Bool):
			n.kind = aBool
		default:
			return nil, fmt.Errorf("%s cannot be decoded from JSON", typ)
		}
	}
	return n, nil
}

// withhold records what the JSON text of the node and of those in it omits.
func (n *node) withhold(withheld *secret) {
	if withheld == nil {
		return
	}
	n.withheld = withheld
	for _, f := range n.all {
		f.node.withhold(withheld.members[f.key])
	}
	if n.element != nil {
		n.element.withhold(withheld)
	}
}

// find returns the field at a path of document keys, through objects only.
func (n *node) find(path string) (*field, error) {
	var found *field
	for _, key := range strings.Split(path, ".") {
		if len(n.fields[key]) == 0 {
			return nil, fmt.Errorf("%s: the type has no such place", path)
		}
		found = n.fields[key][0]
		n = found.node
	}
	return found, nil
}

// documentKey is the key that an attribute takes: is_past_due, isPastDue.
func documentKey(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// attributeName is the attribute that takes a key: isPastDue, is_past_due.
func attributeName(key string) string {
	var b strings.Builder
	for _, r := range key {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Decode decodes a document into a value of the decoder's type. It also returns
// the document's members without an attribute, and their values as parts of the
// document, nil if there are none: a cursor or a total beside a list is one, and
// the pass through the document finds them without further cost.
//
// Decode returns a *SyntaxError for a document that is not JSON, a
// *MismatchError that names every place where the document conflicts with the
// type or the options, and the context's error if the context ends first.
func (d *Decoder) Decode(document []byte) (tftypes.Value, map[string]json.RawMessage, error) {
	i := &interrupt{ctx: context.Background()}
	start, err := check(i, document)
	if err != nil {
		return tftypes.Value{}, nil, err
	}
	document = document[start:]
	if !utf8.Valid(document) {
		// As in encoding/json, each byte that is not UTF-8 becomes the
		// replacement character. Only strings can contain such bytes.
		document = bytes.Map(func(r rune) rune { return r }, document)
	}

	w := &walk{interrupt: i, cursor: cursor{data: document}}
	value := w.value(d.root)
	if value.IsNull() && w.mismatch.Count == 0 {
		w.fail("expected an object, got null")
	}
	switch {
	case w.err != nil:
		return tftypes.Value{}, nil, w.err
	case w.mismatch.Count > 0:
		return tftypes.Value{}, nil, &w.mismatch
	}
	return value, w.unnamed, nil
}
