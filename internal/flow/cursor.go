// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"encoding/json"
	"unicode/utf8"
)

// cursor moves through a document that is valid JSON, so that it returns no
// errors. Texts without escapes are parts of the document and are not copied.
type cursor struct {
	data []byte
	pos  int
}

// newCursor replaces bytes that are not UTF-8, which only strings can contain,
// with the replacement character, as encoding/json does.
func newCursor(document []byte) *cursor {
	if !utf8.Valid(document) {
		document = []byte(string([]rune(string(document))))
	}
	return &cursor{data: document}
}

// peek returns the first byte of the next value, or a closing bracket.
func (c *cursor) peek() byte {
	for ; ; c.pos++ {
		if b := c.data[c.pos]; b > ' ' && b != ',' && b != ':' {
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

// skip skips the next value and returns its JSON.
func (c *cursor) skip() []byte {
	first := c.peek()
	start := c.pos
	switch first {
	case '"':
		c.pos = c.endOfString(start)
	case '{', '[':
		c.pos = c.endOfNested(start)
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

// endOfNested returns the position after the object or array that begins here.
func (c *cursor) endOfNested(pos int) int {
	for depth := 0; ; pos++ {
		switch c.data[pos] {
		case '"':
			pos = c.endOfString(pos) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return pos + 1
			}
		}
	}
}

// endOfString returns the position after the string that begins here.
func (c *cursor) endOfString(pos int) int {
	for {
		pos = c.special(pos + 1)
		if c.data[pos] == '"' {
			return pos + 1
		}
		pos++
	}
}

// special returns the position of the next quote or backslash.
func (c *cursor) special(pos int) int {
	for c.data[pos] != '"' && c.data[pos] != '\\' {
		pos++
	}
	return pos
}

// text skips a string and returns its content.
func (c *cursor) text() []byte {
	c.peek()
	start := c.pos
	end := c.special(start + 1)
	if c.data[end] == '"' {
		c.pos = end + 1
		return c.data[start+1 : end]
	}
	c.pos = c.endOfString(start)
	var text string
	// This cannot fail, because the literal is valid.
	_ = json.Unmarshal(c.data[start:c.pos], &text)
	return []byte(text)
}

// isKey reports whether the string that ends here is the key of a value.
func (c *cursor) isKey() bool {
	for pos := c.pos; pos < len(c.data); pos++ {
		if b := c.data[pos]; b > ' ' {
			return b == ':'
		}
	}
	return false
}

// scalar skips a value and returns its text if it is a string or a number, or
// else nothing.
func (c *cursor) scalar() []byte {
	switch b := c.peek(); {
	case b == '"':
		return c.text()
	case isNumber(b):
		return c.skip()
	}
	c.skip()
	return nil
}

// isNumber reports whether a number begins with a byte.
func isNumber(b byte) bool { return b == '-' || b >= '0' && b <= '9' }
