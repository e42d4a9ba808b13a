// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalizer writes compact JSON with sorted keys, which is the same for equal
// values, and keeps that of each object and array in its token.
type canonicalizer struct {
	json   strings.Builder
	quoted []byte
}

func (c *canonicalizer) write(v value) {
	start, separator := c.json.Len(), ""
	switch v.kind() {
	case '{':
		c.json.WriteByte('{')
		members := pair{after: v}.contents()
		for i, member := range members {
			if i+1 < len(members) && members[i+1].key == member.key {
				continue // Of equal keys, the last one counts.
			}
			c.json.WriteString(separator)
			c.quote(member.key)
			c.json.WriteByte(':')
			c.write(member.value)
			separator = ","
		}
		c.json.WriteByte('}')
		v[0].text = c.json.String()[start:]
	case '[':
		c.json.WriteByte('[')
		for _, element := range v.members() {
			c.json.WriteString(separator)
			c.write(element)
			separator = ","
		}
		c.json.WriteByte(']')
		v[0].text = c.json.String()[start:]
	case '"':
		c.quote(v[0].text)
	default:
		c.json.WriteString(v.json())
	}
}

func (c *canonicalizer) quote(text string) {
	c.quoted = appendQuoted(c.quoted[:0], text)
	c.json.Write(c.quoted)
}

// json returns the canonical JSON.
func (v value) json() string {
	switch kind := v.kind(); kind {
	case '{', '[', '0':
		return v[0].text
	case '"':
		return quoted(v[0].text)
	default:
		return kind.String()
	}
}

// equal reports whether two values of canonicalized definitions are equal.
func (v value) equal(other value) bool {
	return v[0].kind == other[0].kind && v[0].text == other[0].text
}

func quoted(text string) string { return string(appendQuoted(nil, text)) }

func appendQuoted(json []byte, text string) []byte {
	json, _ = jsontext.AppendQuote(json, text) // It fails only if the text is not UTF-8.
	return json
}

// canonicalNumber returns the same text for equal numbers. Those with an exponent
// have the precision of a float64.
func canonicalNumber(text string) string {
	if strings.ContainsAny(text, "eE") {
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text // The number is too large.
		}
		text = strconv.FormatFloat(number, 'f', -1, 64)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}
