// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// pair is a member of two objects, or an element of two arrays. What is absent is
// nil. The key of an element is in brackets.
type pair struct {
	key           string
	before, after value
}

func (p pair) same() bool {
	return p.before != nil && p.after != nil && p.before.equal(p.after)
}

// equal reports whether two values are equal once they can be compared.
func (v value) equal(other value) bool {
	x, y := v[0], other[0]
	return x.kind == y.kind && (x.json == y.json || x.kind == '0' && plainNumber(x.json) == plainNumber(y.json))
}

// plainNumber returns the same text for equal numbers. It has the digits and the
// exponent of a number, because a number with a large exponent could fill the memory.
// No service sends an exponent of more than 32 bits, which is compared as text.
func plainNumber(text string) string {
	number, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	number, isNegative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(number, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	shift, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	switch significant := strings.TrimRight(digits, "0"); {
	case significant == "":
		return "0"
	case err != nil:
		return text
	default:
		sign := ""
		if isNegative {
			sign = "-"
		}
		return fmt.Sprintf("%s%se%d", sign, significant, int(shift)+len(digits)-len(significant)-len(fraction))
	}
}

// areAbsentOr reports whether each value is absent, null, or of a kind.
func (p pair) areAbsentOr(kind jsontext.Kind) bool {
	for _, v := range []value{p.before, p.after} {
		if v != nil && v.kind() != 'n' && v.kind() != kind {
			return false
		}
	}
	return true
}

// keyed is a member of an object, or an element of an array with its ID.
type keyed struct {
	key     string
	value   value
	isAfter bool
}

// contents returns what is in both values, in the order of the keys. Under each
// key, what is before comes first.
func (p pair) contents() []keyed {
	var all []keyed
	for i, v := range []value{p.before, p.after} {
		for key, member := range v.members() {
			if v.kind() == '[' {
				key = member.id()
			}
			all = append(all, keyed{key, member, i == 1})
		}
	}
	slices.SortStableFunc(all, func(x, y keyed) int { return strings.Compare(x.key, y.key) })
	return all
}

// members pairs the members of objects, in the order of their keys. Of equal
// keys, the last one counts.
func (p pair) members() []pair {
	all := p.contents()
	pairs := make([]pair, 0, len(all)/2+1)
	for _, member := range all {
		if len(pairs) == 0 || pairs[len(pairs)-1].key != member.key {
			pairs = append(pairs, pair{key: member.key})
		}
		last := &pairs[len(pairs)-1]
		if member.isAfter {
			last.after = member.value
		} else {
			last.before = member.value
		}
	}
	return pairs
}

// elements pairs the elements of arrays that differ, in the order of their IDs.
// Those with the same ID, or without one, are paired in order, after equal ones at
// the beginning and the end.
func (p pair) elements() []pair {
	all := p.contents()
	pairs := make([]pair, 0, len(all)/2)
	for len(all) > 0 {
		id, split, end := all[0].key, 0, 0
		for end < len(all) && all[end].key == id {
			if !all[end].isAfter {
				split++
			}
			end++
		}
		position, before, after := trim(all[:split], all[split:end])
		all = all[end:]
		for i := range max(len(before), len(after)) {
			element := pair{key: "[" + strconv.Itoa(position+i) + "]"}
			if id != "" {
				element.key = "[" + jsonString(id) + "]"
			}
			if i < len(before) {
				element.before = before[i].value
			}
			if i < len(after) {
				element.after = after[i].value
			}
			if !element.same() {
				pairs = append(pairs, element)
			}
		}
	}
	return pairs
}

// trim removes the equal elements at the beginning and at the end of two arrays.
// It returns the number of those at the beginning.
func trim(before, after []keyed) (int, []keyed, []keyed) {
	start := 0
	for start < min(len(before), len(after)) && before[start].value.equal(after[start].value) {
		start++
	}
	before, after = before[start:], after[start:]
	for len(before) > 0 && len(after) > 0 && before[len(before)-1].value.equal(after[len(after)-1].value) {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return start, before, after
}
