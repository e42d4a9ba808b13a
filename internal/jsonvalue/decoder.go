// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package jsonvalue turns a JSON document into a Terraform value, guided by
// the Terraform type. It is the only place where the two meet: the schema is
// the model, and attribute names follow from the document's by rule.
//
//   - snake_case attributes take camelCase keys: is_past_due takes isPastDue.
//   - A string attribute with the suffix _json takes the value of the key
//     without it, whatever its shape, as canonical JSON: nodes_json takes nodes.
//   - A number attribute with the suffix _count takes the length of the array
//     under the key without it: nodes_count takes nodes.
//   - null and an absent key are null; "" and [] are what they are.
//   - A string attribute takes any JSON; what is no string arrives as its text.
//   - Keys that the type does not name are passed over.
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

// Options say what the type alone does not.
type Options struct {
	// Required are the paths of values that must be there and not be null, in
	// the document's own names: "workspace.isPastDue".
	Required []string
	// SortBy names lists whose order means nothing and is made stable: by the
	// path of the list, the paths of the strings within an element that it is
	// sorted by, all in the document's own names.
	SortBy map[string][]string
	// Withheld are the paths of secrets, in the document's own names:
	// "agent.exposure.access.share.token". Wherever an attribute takes a value
	// as JSON text, the secrets inside it are null, whatever they are. A typed
	// attribute at the path itself gets the value. Arrays on the way do not
	// count, and the type need not have the path.
	Withheld []string
}

// node is what the decoder knows about one place in the type.
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
// type. It fails for a type with a part that JSON has no counterpart for here
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
		// Sorted, so that problems come in the same order every time, and a
		// typed attribute before its twin with the suffix.
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

// withhold tells each node what its JSON text must not show.
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
		if n == nil || len(n.fields[key]) == 0 {
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

// Decode turns a document into a value of the decoder's type. It also returns
// the members of the document that the type does not name, with their values as
// they stand there: a list that continues elsewhere shows in a key beside it,
// and the one pass through the document passes these keys anyway.
//
// Decode returns a *SyntaxError for what is not JSON, a *MismatchError that
// names every place where the document is not as the type or the options
// require, and the context's error if the context ends first.
func (d *Decoder) Decode(ctx context.Context, document []byte) (tftypes.Value, map[string]json.RawMessage, error) {
	i := &interrupt{ctx: ctx}
	start, err := check(i, document)
	if err != nil {
		return tftypes.Value{}, nil, err
	}
	document = document[start:]
	if !utf8.Valid(document) {
		// As encoding/json does: each byte that is not UTF-8 becomes the
		// replacement character. It can only stand inside strings.
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
