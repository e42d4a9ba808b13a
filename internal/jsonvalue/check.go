// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import "bytes"

// maxDepth is the number of levels of nesting that encoding/json accepts.
const maxDepth = 10_000

// checker checks whether a document is JSON. Unlike encoding/json, it ends with
// the context and recognizes a document that is nested too deeply. After a
// failure, pos is the position of the first wrong byte.
type checker struct {
	*interrupt
	data []byte
	pos  int
	deep bool
}

// check returns the position of the value in the document, after any byte
// order mark and white space.
func check(i *interrupt, document []byte) (int, error) {
	c := &checker{interrupt: i, data: document}
	if bytes.HasPrefix(document, []byte("\xEF\xBB\xBF")) {
		c.pos = len("\xEF\xBB\xBF")
	}
	c.space()
	start := c.pos
	if start == len(document) {
		return 0, &SyntaxError{Ended: true}
	}
	if c.value(0) {
		if c.space(); c.pos == len(document) {
			return start, nil
		}
	}
	switch {
	case c.err != nil:
		return 0, c.err
	case c.deep:
		mismatch := &MismatchError{}
		mismatch.add("", "the document is nested more than 10,000 levels deep")
		return 0, mismatch
	case c.pos == len(document):
		return 0, &SyntaxError{Offset: int64(c.pos), Ended: true}
	default:
		return 0, &SyntaxError{Offset: int64(c.pos) + 1}
	}
}

// value passes over one value at the given depth.
func (c *checker) value(depth int) bool {
	switch c.peek() {
	case '{':
		return c.nested('}', depth+1)
	case '[':
		return c.nested(']', depth+1)
	case '"':
		return c.text()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		return c.number()
	}
}

// nested passes over an object or an array.
func (c *checker) nested(end byte, depth int) bool {
	if depth > maxDepth {
		c.deep = true
		return false
	}
	c.pos++
	if c.space(); c.take(end) {
		return true
	}
	for !c.ended() {
		if end == '}' && !c.name() || !c.value(depth) {
			return false
		}
		if c.space(); c.take(end) {
			return true
		}
		if !c.take(',') {
			return false
		}
		c.space()
	}
	return false
}

// name passes over the key of a member, and over the colon.
func (c *checker) name() bool {
	if c.peek() != '"' || !c.text() {
		return false
	}
	if c.space(); !c.take(':') {
		return false
	}
	c.space()
	return true
}

func (c *checker) text() bool {
	for c.pos++; ; c.pos++ {
		switch b := c.peek(); {
		case b == '"':
			c.pos++
			return true
		case b == '\\':
			if c.pos++; !c.escape() {
				return false
			}
		case b < ' ': // This includes the end of the document.
			return false
		}
	}
}

// escape stops at the last character of an escape sequence.
func (c *checker) escape() bool {
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			c.pos++
			switch b := c.peek(); {
			case '0' <= b && b <= '9', 'a' <= b && b <= 'f', 'A' <= b && b <= 'F':
			default:
				return false
			}
		}
		return true
	}
	return false
}

func (c *checker) word(word string) bool {
	for i := range len(word) {
		if !c.take(word[i]) {
			return false
		}
	}
	return true
}

func (c *checker) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		_ = c.take('+') || c.take('-')
		return c.digits()
	}
	return true
}

func (c *checker) digits() bool {
	start := c.pos
	for '0' <= c.peek() && c.peek() <= '9' {
		c.pos++
	}
	return c.pos > start
}

func (c *checker) space() {
	for {
		switch c.peek() {
		case ' ', '\t', '\r', '\n':
			c.pos++
		default:
			return
		}
	}
}

// take passes over a byte if it is the expected one.
func (c *checker) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.pos++
	return true
}

// peek returns the next byte, and at the end of the document 0, which JSON
// allows nowhere.
func (c *checker) peek() byte {
	if c.pos < len(c.data) {
		return c.data[c.pos]
	}
	return 0
}
