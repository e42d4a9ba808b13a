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
//   - A string attribute with the suffix _hash holds the SHA-256 hash of the text
//     of the members of the object under the key without the suffix: agent_hash,
//     agent. Sorting their keys first would lengthen an audit by a fifth.
//   - null and an absent key become null, "" and [] do not.
//   - A string attribute accepts any JSON and holds the text of what is not a
//     string.
//   - Numbers keep their value. A number with more than 400 digits, or with a larger
//     exponent, is an error. In JSON text, numbers keep their text.
//   - Keys without an attribute are ignored, and returned if they are at the top.
//   - Of equal keys, the last one counts, but the values of all must be right.
//   - A byte order mark before the value is ignored. More than 10,000 levels of
//     nesting are an error. Bytes that are not UTF-8 become the replacement
//     character.
package jsonvalue

import (
	"bytes"
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

// Options configure a decoder in addition to the type.
type Options struct {
	// Required is the key of the document itself that must be present and not be
	// null. It is empty if there is none.
	Required string
	// Withheld lists the paths of secrets, which consist of keys as they are in
	// the document: "agent.access.password". JSON text of a value that contains a
	// secret has null in its place, whatever the secret's kind; a typed attribute
	// at the path itself holds the secret. A path leads through arrays into each
	// of their elements, and need not exist in the type.
	Withheld []string
	// Unhashed lists the keys of members that no hash includes.
	Unhashed []string
}

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
	secrets []string            // paths that JSON text of this part withholds
	element *node               // of a list
	fields  map[string][]*field // of an object, by document key
	all     []*field            // of an object, by attribute name
}

// field is an attribute of an object. One key can feed several: a typed one and
// ones with suffixes.
type field struct {
	key       string
	attribute string
	required  bool
	node      *node
	decode    func(*reader, *node) tftypes.Value
}

// NewDecoder prepares a decoder for documents that are an object of the given
// type. It fails for a type with a part that no JSON is decoded into (sets,
// maps, tuples, dynamic values) and for a required key without an attribute.
func NewDecoder(typ tftypes.Object, options Options) (*Decoder, error) {
	root, err := compile(typ, options.Withheld)
	if err != nil {
		return nil, err
	}
	if key := options.Required; key != "" {
		if len(root.fields[key]) == 0 {
			return nil, fmt.Errorf("%s: the type has no attribute for this key", key)
		}
		root.fields[key][0].required = true
	}
	return &Decoder{root, options.Unhashed}, nil
}

func compile(typ tftypes.Type, secrets []string) (*node, error) {
	n := &node{typ: typ, null: tftypes.NewValue(typ, nil), secrets: secrets}
	switch typ := typ.(type) {
	case tftypes.Object:
		n.kind, n.fields = '{', make(map[string][]*field, len(typ.AttributeTypes))
		// Sorted, so that a typed attribute comes before the one with the suffix.
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes)) {
			f, err := compileField(name, typ.AttributeTypes[name], secrets)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			n.all = append(n.all, f)
			n.fields[f.key] = append(n.fields[f.key], f)
		}
		return n, nil
	case tftypes.List:
		element, err := compile(typ.ElementType, secrets)
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
	{"_json", tftypes.String, (*reader).jsonText}, {"_count", tftypes.Number, (*reader).count}, {"_hash", tftypes.String, (*reader).hash},
}

func compileField(name string, typ tftypes.Type, secrets []string) (*field, error) {
	f := &field{key: documentKey(name), attribute: name}
	for _, s := range suffixes {
		if base, ok := strings.CutSuffix(name, s.suffix); ok && typ.Is(s.typ) {
			f.key, f.decode = documentKey(base), s.decode
		}
	}
	secrets = under(f.key, secrets)
	if f.decode == nil {
		f.decode = (*reader).value
		// A typed attribute at the path of a secret is the secret's own.
		secrets = slices.DeleteFunc(secrets, func(path string) bool { return path == "" })
	}
	var err error
	f.node, err = compile(typ, secrets)
	return f, err
}

// under returns the rest of those paths that begin with a key. It is empty for the
// key itself.
func under(key string, paths []string) []string {
	var rest []string
	for _, path := range paths {
		if first, after, _ := strings.Cut(path, "."); first == key {
			rest = append(rest, after)
		}
	}
	return rest
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
// Decode returns a *SyntaxError for a document that is not JSON. Any other error
// lists the parts of the document that conflict with the type or the options, one
// on a line: "agent.canvas.annotations[3].zIndex: expected a number, got a string".
func (d *Decoder) Decode(document []byte) (tftypes.Value, map[string]json.RawMessage, error) {
	document = bytes.TrimPrefix(document, []byte("\uFEFF"))
	r := &reader{json: newTokenizer(document), document: document, unhashed: d.unhashed}
	value := r.value(d.root)
	end := r.json.InputOffset()
	if _, err := r.json.ReadToken(); r.err == nil && !errors.Is(err, io.EOF) {
		r.err = &jsontext.SyntacticError{ByteOffset: end}
	}
	switch {
	case r.err != nil:
		return tftypes.Value{}, nil, syntaxError(r.err, document)
	case r.mismatches.lines != nil:
		return tftypes.Value{}, nil, r.mismatches
	case value.IsNull():
		return tftypes.Value{}, nil, errors.New("expected an object, got null")
	}
	return value, r.rest, nil
}
