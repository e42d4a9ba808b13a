// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonOf returns nil for what is absent.
func jsonOf(v value) *string {
	if v == nil {
		return nil
	}
	text := string(v.appendJSON(nil))
	return &text
}

// appendJSON appends compact JSON with sorted keys.
func (v value) appendJSON(text []byte) []byte {
	switch kind := v.kind(); kind {
	case '{':
		members := membersOf(pair{after: v})
		slices.SortFunc(members, func(x, y pair) int { return strings.Compare(x.key, y.key) })
		text = append(text, '{')
		for i, member := range members {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(appendQuoted(text, member.key), ':')
			text = member.after.appendJSON(text)
		}
		return append(text, '}')
	case '[':
		text = append(text, '[')
		for _, element := range v.members() {
			text = append(element.appendJSON(text), ',')
		}
		return append(bytes.TrimSuffix(text, []byte(",")), ']')
	case '"':
		return appendQuoted(text, v.text())
	case '0':
		return append(text, v.text()...)
	default:
		return append(text, kind.String()...)
	}
}

func appendQuoted(text []byte, s string) []byte {
	text, _ = jsontext.AppendQuote(text, s) // It fails only if the string is not UTF-8.
	return text
}

// hash stores the same hash for all values that are equal, whatever the order of
// keys and of elements with IDs.
func (d *differ) hash(v value) uint64 {
	if v == nil {
		return 0
	}
	var sum uint64
	switch v.kind() {
	case '{':
		for key, member := range v.members() {
			sum += mix(maphash.String(d.seed, key), d.hash(member))
		}
	case '[':
		position := uint64(0)
		for _, element := range v.members() {
			if element.id() != "" {
				sum += mix(0, d.hash(element))
				continue
			}
			position++
			sum += mix(position, d.hash(element))
		}
	case '0':
		sum = maphash.String(d.seed, canonicalNumber(v.text()))
	default:
		sum = maphash.String(d.seed, v.text())
	}
	v[0].hash = mix(uint64(v.kind()), sum)
	return v[0].hash
}

// mix is the mixing function of wyhash.
func mix(x, y uint64) uint64 {
	high, low := bits.Mul64(x^0xa0761d6478bd642f, y^0xe7037ed1a0b428db)
	return high ^ low
}

// canonicalNumber returns the same text for equal numbers: digits without zeros
// at both ends, and an exponent unless it is zero.
func canonicalNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") && !strings.HasSuffix(text, "0") {
		return text
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil {
		return text
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := whole + fraction
	significant := strings.TrimRight(digits, "0")
	shift += len(digits) - len(significant) - len(fraction)
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return "0"
	}
	sign := strings.TrimSuffix(mantissa, unsigned)
	if shift == 0 {
		return sign + significant
	}
	return sign + significant + "e" + strconv.Itoa(shift)
}
