// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"bytes"
	"encoding/json"
)

// cursor moves through a document that is known to be valid JSON, so it needs no
// error handling.
type cursor struct {
	data []byte
	pos  int
}

// separators passes over white space, commas and colons and returns the byte
// that comes then: the first of a value or of a key, or a closing bracket.
func (c *cursor) separators() byte {
	for {
		switch b := c.data[c.pos]; b {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.pos++
		default:
			return b
		}
	}
}

// open enters an object or an array.
func (c *cursor) open() { c.pos++ }

// more reports whether another key or element follows. If none does, it leaves
// the object or the array.
func (c *cursor) more() bool {
	if b := c.separators(); b == '}' || b == ']' {
		c.pos++
		return false
	}
	return true
}

// raw passes over one value and returns its text.
func (c *cursor) raw() []byte {
	start := c.pos
	switch c.data[c.pos] {
	case '"':
		c.skipString()
	case '{', '[':
		c.skipNested()
	default:
		c.skipLiteral()
	}
	return c.data[start:c.pos]
}

func (c *cursor) skipString() {
	for c.pos++; c.data[c.pos] != '"'; c.pos++ {
		if c.data[c.pos] == '\\' {
			c.pos++
		}
	}
	c.pos++
}

func (c *cursor) skipNested() {
	for depth := 0; ; {
		switch c.data[c.pos] {
		case '"':
			c.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.pos++
		if depth == 0 {
			return
		}
	}
}

func (c *cursor) skipLiteral() {
	for ; c.pos < len(c.data); c.pos++ {
		switch c.data[c.pos] {
		case ' ', '\t', '\r', '\n', ',', '}', ']':
			return
		}
	}
}

// key passes over a key and returns its content.
func (c *cursor) key() []byte {
	raw := c.raw()
	if !escaped(raw) {
		return raw[1 : len(raw)-1]
	}
	return []byte(unquote(raw))
}

// unquote returns the content of a string literal.
func unquote(raw []byte) string {
	if !escaped(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	// This cannot fail, because the literal is valid.
	_ = json.Unmarshal(raw, &text)
	return text
}

func escaped(raw []byte) bool { return bytes.IndexByte(raw, '\\') >= 0 }
