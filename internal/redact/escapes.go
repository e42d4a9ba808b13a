// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package redact

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// longestEscape is more than the number of bytes that can stand for one: six, each of
// them escaped by six.
const longestEscape = 40

// span is a part of a text, in bytes.
type span struct{ start, end int }

// level is a text without some characters of the level before, and where its parts come
// from. It has no parts if the two texts are equal.
type level struct {
	text  string
	parts []part
}

// part is a part of a level's text that begins at a byte of it.
type part struct {
	at       int
	span          // in the level before
	isEscape bool // the bytes of the part come from the whole span, and else each from one byte
}

// withoutEscapes returns a text, without its escapes, without those in the result, and
// then without the characters that a comparison ignores: white space, because long lines
// are wrapped, "+", which can be an escaped space, and backslashes.
func withoutEscapes(text string) []level {
	once := replace(text, `%&\`, unescape)
	twice := replace(once.text, `%&\`, unescape)
	return []level{{text: text}, once, twice, replace(twice.text, " \t\r\n+\\", func(string) (string, int) { return "", 1 })}
}

// replace returns a text without the escapes that begin with one of the characters. For
// the escape at the beginning of a text, decode returns what it stands for and its length.
func replace(text, characters string, decode func(string) (string, int)) level {
	if !strings.ContainsAny(text, characters) {
		return level{text: text}
	}
	var replaced strings.Builder
	var parts []part
	for begin := 0; begin < len(text); {
		length := strings.IndexAny(text[begin:], characters)
		if length < 0 {
			length = len(text) - begin
		}
		content, isEscape := text[begin:begin+length], length == 0
		if isEscape {
			content, length = decode(text[begin:])
		}
		if content != "" {
			parts = append(parts, part{replaced.Len(), span{begin, begin + length}, isEscape})
			replaced.WriteString(content)
		}
		begin += length
	}
	return level{replaced.String(), parts}
}

// unescape decodes the escape of a URL, of HTML or of JSON at the beginning of a text. It
// returns other characters unchanged.
func unescape(text string) (content string, length int) {
	switch text[0] {
	case '%':
		if content, err := url.PathUnescape(text[:min(3, len(text))]); err == nil {
			return content, 3
		}
	case '&':
		if end := strings.IndexByte(text[:min(10, len(text))], ';'); end > 0 {
			if content := html.UnescapeString(text[:end+1]); content != text[:end+1] && strings.LastIndexByte(text[:end], '&') == 0 {
				return content, end + 1
			}
		}
	case '\\':
		for _, length := range []int{12, 6, 2} { // A surrogate pair, another character, and one after a backslash.
			if len(text) < length || length > 2 && text[1] != 'u' || length == 12 && text[6:8] != `\u` {
				continue
			}
			if json.Unmarshal([]byte(`"`+text[:length]+`"`), &content) == nil && !strings.Contains(content, "\ufffd") {
				return content, length
			}
		}
	}
	return text[:1], 1
}

// original returns the span of the first level's source for one of the last level's text.
func original(levels []level, s span) span {
	for _, l := range slices.Backward(levels) {
		if l.parts != nil {
			s = span{l.source(s.start).start, l.source(s.end - 1).end}
		}
	}
	return s
}

// source returns where a byte of the level comes from.
func (l level) source(at int) span {
	n, isFirst := slices.BinarySearchFunc(l.parts, at, func(p part, at int) int { return cmp.Compare(p.at, at) })
	if !isFirst {
		n--
	}
	p := l.parts[n]
	if p.isEscape {
		return p.span
	}
	return span{p.start + at - p.at, p.start + at - p.at + 1}
}
