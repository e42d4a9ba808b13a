// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// reader is one pass through a document. After an error, all loops end, and the
// result is meaningless.
type reader struct {
	json       *jsontext.Decoder
	document   []byte
	err        error // the first one
	mismatches mismatches
	// path leads to the current value: agent.canvas.annotations[3].zIndex.
	path []byte
	// rest has the members of the document without an attribute.
	rest map[string]json.RawMessage
	// members are those of the objects that contain the current value, in canonical
	// text.
	members []member
	// unhashed are the keys of members that no hash includes, and hash is that of the
	// last hashed object.
	unhashed []string
	hash     string
}

func newTokenizer(document []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// token reads the next token, which is valid until the next read.
func (r *reader) token() jsontext.Token {
	token, err := r.json.ReadToken()
	if r.err == nil {
		r.err = err
	}
	return token
}

// raw reads the next value and returns its JSON, which is a part of the
// document.
func (r *reader) raw() []byte {
	value, err := r.json.ReadValue()
	if r.err == nil {
		r.err = err
	}
	end := int(r.json.InputOffset())
	return r.document[end-len(value) : end]
}

// more reports whether the object or array has another member or element. If it
// has not, more leaves the object or array.
func (r *reader) more() bool {
	switch r.json.PeekKind() {
	case '}', ']', 0:
		r.token()
		return false
	}
	return r.err == nil
}

// end reports anything but white space after the value as an error.
func (r *reader) end() {
	at := int(r.json.InputOffset())
	rest := bytes.TrimLeft(r.document[at:], whitespace)
	if r.err == nil && len(rest) > 0 {
		r.err = &jsontext.SyntacticError{ByteOffset: int64(len(r.document) - len(rest))}
	}
}

// value decodes the next value. If its kind is not the node's, value records the
// mismatch and returns null.
func (r *reader) value(n *node) tftypes.Value {
	kind := r.json.PeekKind()
	switch {
	case kind == 'n':
		r.raw()
		return n.null
	case n.kind == '"':
		return tftypes.NewValue(n.typ, r.string(n))
	case n.kind != kind && (n.kind != 't' || kind != 'f'):
		r.fail(fmt.Sprintf("expected %s, got %s", describe(n.kind), describe(kind)))
		r.raw()
		return n.null
	}
	switch kind {
	case '{':
		return r.object(n)
	case '[':
		return r.list(n)
	case '0':
		return r.number(n)
	default:
		r.raw()
		return tftypes.NewValue(n.typ, kind == 't')
	}
}

func (r *reader) object(n *node) tftypes.Value {
	values := make(map[string]tftypes.Value, len(n.all))
	var digest hash.Hash
	if n.hashed {
		digest = sha256.New()
	}
	for r.token(); r.more(); {
		key := unquote(r.raw())
		start := r.json.InputOffset()
		outside := r.enter(key)
		switch fields := n.fields[string(key)]; len(fields) {
		case 0:
			r.other(key, outside == 0)
		case 1:
			f := fields[0]
			values[f.attribute] = r.field(f)
			if f.hash != "" && !values[f.attribute].IsNull() {
				values[f.hash] = tftypes.NewValue(tftypes.String, r.hash)
			}
		default:
			r.several(fields, values)
		}
		r.path = r.path[:outside]
		if n.hashed && !slices.Contains(r.unhashed, string(key)) {
			_, _ = fmt.Fprintf(digest, ",%s:", key)
			digest.Write(bytes.TrimLeft(r.document[start:r.json.InputOffset()], whitespace+":"))
		}
	}
	if n.hashed {
		r.hash = hex.EncodeToString(digest.Sum(nil))
	}
	for _, f := range n.all {
		if _, present := values[f.attribute]; present {
			continue
		}
		values[f.attribute] = f.node.null
		if f.required {
			r.mismatches.add(f.key, "required, but missing")
		}
	}
	return tftypes.NewValue(n.typ, values)
}

// enter adds a key to the path and returns the length of the path before.
func (r *reader) enter(key []byte) int {
	length := len(r.path)
	if length > 0 {
		r.path = append(r.path, '.')
	}
	r.path = append(r.path, key...)
	return length
}

// field decodes the next value for an attribute.
func (r *reader) field(f *field) tftypes.Value {
	if f.required && r.json.PeekKind() == 'n' {
		r.fail(fmt.Sprintf("expected %s, got null", describe(f.node.kind)))
	}
	return f.decode(r, f.node)
}

// several decodes the next value for several attributes.
func (r *reader) several(fields []*field, values map[string]tftypes.Value) {
	tokenizer, document := r.json, r.document
	raw := r.raw()
	for _, f := range fields {
		r.json, r.document = newTokenizer(raw), raw
		values[f.attribute] = r.field(f)
	}
	r.json, r.document = tokenizer, document
}

// other reads a value without an attribute and keeps it if it is at the top.
func (r *reader) other(key []byte, atTop bool) {
	raw := r.raw()
	if !atTop {
		return
	}
	if r.rest == nil {
		r.rest = map[string]json.RawMessage{}
	}
	r.rest[string(key)] = raw
}

func (r *reader) list(n *node) tftypes.Value {
	values := []tftypes.Value{}
	outside := len(r.path)
	for r.token(); r.more(); {
		r.path = append(strconv.AppendInt(append(r.path, '['), int64(len(values)), 10), ']')
		values = append(values, r.value(n.element))
		r.path = r.path[:outside]
	}
	return tftypes.NewValue(n.typ, values)
}

// string returns a string's content, and of any other value its JSON text.
func (r *reader) string(n *node) string {
	if r.json.PeekKind() == '"' {
		return r.token().String()
	}
	return r.canonical(n.secrets)
}

// jsonText returns the next value as its JSON text.
func (r *reader) jsonText(n *node) tftypes.Value {
	if text := r.canonical(n.secrets); text != "null" {
		return tftypes.NewValue(n.typ, text)
	}
	return n.null
}

// count returns the length of the next value, an array.
func (r *reader) count(n *node) tftypes.Value {
	kind := r.json.PeekKind()
	if kind != '[' {
		if kind != 'n' {
			r.fail(fmt.Sprintf("expected an array, got %s", describe(kind)))
		}
		r.raw()
		return n.null
	}
	length := 0
	for r.token(); r.more(); length++ {
		r.raw()
	}
	return tftypes.NewValue(n.typ, length)
}

func (r *reader) number(n *node) tftypes.Value {
	number, ok := parseNumber(r.raw())
	if !ok {
		r.fail(fmt.Sprintf("the number has more than %d digits when written out in full", maxDigits))
		return n.null
	}
	return tftypes.NewValue(n.typ, number)
}

// fail records a problem with the current value.
func (r *reader) fail(problem string) { r.mismatches.add(string(r.path), problem) }

// describe names a kind of JSON value.
func describe(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a bool"
	default:
		return "null"
	}
}
