// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
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
		for key, member := range v.sorted() {
			c.json.WriteString(separator)
			c.quote(key)
			c.json.WriteByte(':')
			c.write(member)
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

// maxZeros is the number of zeros that a number with an exponent is written out
// with.
const maxZeros = 20

// canonicalNumber returns the same text for equal numbers, without an exponent
// unless the number is very large or very small.
func canonicalNumber(text string) string {
	if len(text) <= maxZeros && !strings.ContainsAny(text, ".eE") && text != "-0" {
		return text
	}
	unsigned, negative := strings.CutPrefix(strings.ToLower(text), "-")
	mantissa, exponent, _ := strings.Cut(unsigned, "e")
	shift, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	if err != nil {
		return text
	}
	// The number is 0.DIGITS times ten to the power of point.
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	point := len(digits) - len(fraction) + int(shift)
	digits = strings.TrimRight(digits, "0")
	sign := ""
	if negative {
		sign = "-"
	}
	switch zeros := point - len(digits); {
	case digits == "":
		return "0"
	case zeros > maxZeros || point < -maxZeros:
		return sign + digits + "e" + strconv.Itoa(zeros)
	case zeros >= 0:
		return sign + digits + strings.Repeat("0", zeros)
	case point > 0:
		return sign + digits[:point] + "." + digits[point:]
	default:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
}
