// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// reader is one pass through a document. After an error, all loops end, and the
// result is meaningless.
type reader struct {
	json     *jsontext.Decoder
	document []byte
	err      error // the first one
	// rest has the members of the document without an attribute.
	rest map[string]json.RawMessage
	// unhashed are the keys of members that no hash includes.
	unhashed []string
}

func newTokenizer(document []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// token reads the next token, which is valid until the next read.
func (r *reader) token() jsontext.Token {
	token, err := r.json.ReadToken()
	r.check(err)
	return token
}

func (r *reader) check(err error) {
	if err == nil || r.err != nil {
		return
	}
	r.err = ErrNotJSON
	if errors.Is(err, io.ErrUnexpectedEOF) {
		r.err = errors.New("the JSON text ends in the middle of a value")
	}
}

// raw reads the next value and returns its JSON, which is a part of the
// document.
func (r *reader) raw() []byte {
	value, err := r.json.ReadValue()
	r.check(err)
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

// value decodes the next value. If its kind is not the node's, value records the
// mismatch and returns null.
func (r *reader) value(n *node) tftypes.Value {
	kind := r.json.PeekKind()
	switch {
	case kind == 'n':
		r.raw()
		return n.null
	case n.kind == '"':
		return tftypes.NewValue(n.typ, r.string())
	case n.kind != kind && (n.kind != 't' || kind != 'f'):
		return r.mismatch(n, n.kind, kind)
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
	for r.token(); r.more(); {
		key := unquote(r.raw())
		if fields := n.fields[string(key)]; fields != nil {
			r.member(fields, values)
		} else {
			r.other(key)
		}
	}
	for _, f := range n.all {
		if _, present := values[f.attribute]; !present {
			values[f.attribute] = f.node.null
		}
	}
	return tftypes.NewValue(n.typ, values)
}

// member decodes the next value for all of its attributes.
func (r *reader) member(fields []*field, values map[string]tftypes.Value) {
	tokenizer, document, start := r.json, r.document, r.json.InputOffset()
	values[fields[0].attribute] = fields[0].decode(r, fields[0].node)
	if len(fields) == 1 {
		return
	}
	r.document = bytes.TrimLeft(document[start:tokenizer.InputOffset()], " \t\r\n:")
	for _, f := range fields[1:] {
		r.json = newTokenizer(r.document)
		values[f.attribute] = f.decode(r, f.node)
	}
	r.json, r.document = tokenizer, document
}

// other reads a value without an attribute and keeps it if it is at the top.
func (r *reader) other(key []byte) {
	raw := r.raw()
	if r.json.StackDepth() > 1 {
		return
	}
	if r.rest == nil {
		r.rest = map[string]json.RawMessage{}
	}
	r.rest[string(key)] = raw
}

func (r *reader) list(n *node) tftypes.Value {
	values := []tftypes.Value{}
	for r.token(); r.more(); {
		values = append(values, r.value(n.element))
	}
	return tftypes.NewValue(n.typ, values)
}

// string returns a string's content, and of any other value its JSON text.
func (r *reader) string() string {
	if r.json.PeekKind() == '"' {
		return r.token().String()
	}
	text, err := Canonical(r.raw())
	r.check(err)
	return text
}

// jsonText returns the next value as its JSON text.
func (r *reader) jsonText(n *node) tftypes.Value {
	if r.json.PeekKind() == 'n' {
		r.raw()
		return n.null
	}
	text, err := Canonical(r.raw())
	r.check(err)
	return tftypes.NewValue(n.typ, text)
}

// count returns the length of the next value, an array.
func (r *reader) count(n *node) tftypes.Value {
	switch kind := r.json.PeekKind(); kind {
	case '[':
	case 'n':
		r.raw()
		return n.null
	default:
		return r.mismatch(n, '[', kind)
	}
	length := 0
	for r.token(); r.more(); length++ {
		r.raw()
	}
	return tftypes.NewValue(n.typ, length)
}

// hash returns the hash of the text of the next value's members.
func (r *reader) hash(n *node) tftypes.Value {
	if r.json.PeekKind() != '{' {
		r.raw() // The mismatch is that of the object's own attribute.
		return n.null
	}
	digest := sha256.New()
	for r.token(); r.more(); {
		key, value := unquote(r.raw()), r.raw()
		if !slices.Contains(r.unhashed, string(key)) {
			_, _ = fmt.Fprintf(digest, ",%s:%s", key, value)
		}
	}
	return tftypes.NewValue(n.typ, hex.EncodeToString(digest.Sum(nil)))
}

// maxDigits limits the digits and the exponent of a number. Terraform writes every
// number out in full, so that a short text with a large exponent could fill the
// memory. The limit admits every float64.
const maxDigits = 400

// precision is the size of the mantissa with which Terraform computes, in bits.
const precision = 512

func (r *reader) number(n *node) tftypes.Value {
	text := strings.ToLower(string(r.raw()))
	_, exponent, _ := strings.Cut(text, "e")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(len(text), shift, -shift) > maxDigits {
		r.fail(r.location(), fmt.Sprintf("the number has more than %d digits, or a larger exponent", maxDigits))
		return n.null
	}
	// This cannot fail, because the text is a number.
	number, _, _ := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	return tftypes.NewValue(n.typ, number)
}

// mismatch reads the next value, which is of the wrong kind, and returns null.
func (r *reader) mismatch(n *node, expected, got jsontext.Kind) tftypes.Value {
	r.raw()
	r.fail(r.location(), fmt.Sprintf("expected %s, got %s", describe(expected), describe(got)))
	return n.null
}

// location returns the path to the value that was read last:
// .agent.canvas.annotations[3].zIndex.
func (r *reader) location() string {
	location := ""
	for key := range r.json.StackPointer().Tokens() {
		if _, err := strconv.Atoi(key); err == nil {
			location += "[" + key + "]"
		} else {
			location += "." + key
		}
	}
	return location
}

func (r *reader) fail(location, problem string) {
	if r.err == nil {
		r.err = errors.New(strings.TrimLeft(location+": "+problem, ".: "))
	}
}

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
