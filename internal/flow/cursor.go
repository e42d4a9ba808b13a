// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"encoding/json"
)

// cursor moves through a document that is valid JSON, so that it returns no
// errors. Texts without escapes are parts of the document and are not copied.
type cursor struct {
	data []byte
	pos  int
}

// peek returns the first byte of the next value, or a closing bracket.
func (c *cursor) peek() byte {
	for ; ; c.pos++ {
		switch b := c.data[c.pos]; b {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return b
		}
	}
}

// object calls a function for each key, which must skip the value.
func (c *cursor) object(each func(key []byte)) {
	c.peek()
	c.pos++
	for c.peek() != '}' {
		each(c.text())
	}
	c.pos++
}

// array calls a function for each element, which must skip it.
func (c *cursor) array(each func()) {
	c.peek()
	c.pos++
	for c.peek() != ']' {
		each()
	}
	c.pos++
}

// raw skips the next value and returns its JSON.
func (c *cursor) raw() []byte {
	first := c.peek()
	start := c.pos
	switch first {
	case '"':
		c.pos = c.endOfString()
	case '{', '[':
		c.skipNested()
	default:
		for c.pos < len(c.data) && !isSeparator(c.data[c.pos]) {
			c.pos++
		}
	}
	return c.data[start:c.pos]
}

func isSeparator(b byte) bool {
	switch b {
	case ' ', '\t', '\r', '\n', ',', ':', '}', ']':
		return true
	}
	return false
}

func (c *cursor) skipNested() {
	for depth := 0; ; {
		switch c.data[c.pos] {
		case '"':
			c.pos = c.endOfString()
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

// endOfString returns the position after the string that begins here.
func (c *cursor) endOfString() int {
	for i := c.pos + 1; ; i++ {
		switch c.data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
}

// text skips a string and returns its content.
func (c *cursor) text() []byte {
	c.peek()
	start := c.pos
	c.pos = c.endOfString()
	literal := c.data[start:c.pos]
	if bytes.IndexByte(literal, '\\') < 0 {
		return literal[1 : len(literal)-1]
	}
	var text string
	// This cannot fail, because the literal is valid.
	_ = json.Unmarshal(literal, &text)
	return []byte(text)
}

// scalar skips a value and returns its text if it is a string or a number, or
// else "".
func (c *cursor) scalar() string {
	switch b := c.peek(); {
	case b == '"':
		return string(c.text())
	case b == '-' || b >= '0' && b <= '9':
		return string(c.raw())
	}
	c.raw()
	return ""
}
