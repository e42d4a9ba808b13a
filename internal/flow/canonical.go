// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// writeCanonical writes compact JSON with sorted keys, which is the same for equal
// values, and keeps that of each object and array in its token. jsontext would keep
// all of equal keys, and copy an object once per level to sort its keys.
func (v value) writeCanonical(json *strings.Builder) {
	start, separator := json.Len(), ""
	switch v.kind() {
	case '{':
		json.WriteByte('{')
		members := pair{after: v}.contents()
		for i, member := range members {
			if i+1 < len(members) && members[i+1].key == member.key {
				continue // Of equal keys, the last one counts.
			}
			json.WriteString(separator)
			json.WriteString(quoted(member.key))
			json.WriteByte(':')
			member.value.writeCanonical(json)
			separator = ","
		}
		json.WriteByte('}')
		v[0].text = json.String()[start:]
	case '[':
		json.WriteByte('[')
		for _, element := range v.members() {
			json.WriteString(separator)
			element.writeCanonical(json)
			separator = ","
		}
		json.WriteByte(']')
		v[0].text = json.String()[start:]
	default:
		json.WriteString(v.json())
	}
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

// equal reports whether two values are equal once their JSON is written.
func (v value) equal(other value) bool {
	return v[0].kind == other[0].kind && v[0].text == other[0].text
}

func quoted(text string) string {
	json, _ := jsontext.AppendQuote(make([]byte, 0, len(text)+2), text) // It fails only if the text is not UTF-8.
	return string(json)
}

// canonicalNumber returns the same text for equal numbers. Integers keep every
// digit, and numbers with a fraction or an exponent have the precision of a float64.
func canonicalNumber(text string) string {
	if strings.ContainsAny(text, ".eE") || text == "-0" {
		if number, err := strconv.ParseFloat(text, 64); err == nil { // Otherwise, the number is too large.
			return strconv.FormatFloat(number+0, 'f', -1, 64) // -0 + 0 is 0.
		}
	}
	return text
}
