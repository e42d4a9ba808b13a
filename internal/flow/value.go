// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a JSON value.
type value struct {
	kind jsontext.Kind
	// text is that of a string or a number, and empty for all others.
	text string
	// members are those of an object, or the elements of an array without keys. Of
	// equal keys, all members are there.
	members []member
}

type member struct {
	key   string
	value value
}

// reader reads values and keeps the first error.
type reader struct {
	json *jsontext.Decoder
	err  error
}

func newReader(document []byte) *reader {
	return &reader{json: jsontext.NewDecoder(bytes.NewBuffer(document), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// parseValue fails with ErrNotJSON.
func parseValue(document []byte) (value, error) {
	r := newReader(document)
	v := r.value()
	return v, r.end()
}

// parseMember parses the last member with a key, and nothing if there is none.
// It fails with ErrNotJSON.
func parseMember(document []byte, key string) (value, error) {
	r := newReader(document)
	var v value
	if r.json.PeekKind() != '{' {
		return v, nil
	}
	for r.token(); r.more(); {
		if r.token().text == key {
			v = r.value()
		} else if err := r.json.SkipValue(); err != nil {
			r.err = err
		}
	}
	return v, r.end()
}

// end fails if there was an error, or if anything but white space follows.
func (r *reader) end() error {
	if r.err == nil {
		if _, err := r.json.ReadToken(); err == io.EOF {
			return nil
		}
	}
	return ErrNotJSON
}

func (r *reader) value() value {
	v := r.token()
	switch v.kind {
	case '{':
		for r.more() {
			v.members = append(v.members, member{r.token().text, r.value()})
		}
	case '[':
		for r.more() {
			v.members = append(v.members, member{value: r.value()})
		}
	}
	return v
}

// token reads the next token as a value without members.
func (r *reader) token() value {
	token, err := r.json.ReadToken()
	if err != nil {
		if r.err == nil {
			r.err = err
		}
		return value{}
	}
	v := value{kind: token.Kind()}
	if v.kind == '"' || v.kind == '0' {
		v.text = token.String()
	}
	return v
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
