// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// pair is a member of two objects, or an element of two arrays, before and after. The key
// of an element is in brackets.
type pair struct {
	key    string
	values [2]jsonvalue.Value
}

// version is a definition and what tells its values from others.
type version struct {
	encodings   []encoding
	hasRepeated bool
}

func newVersion(d Definition) version {
	if d.Kind() == 0 {
		return version{}
	}
	reader := &digester{text: d.JSON(), values: make([]encoding, d.Size()), seen: make(map[sharedKey]int, d.Size()/8)}
	reader.read(rules)
	return version{reader.values, reader.hasRepeated}
}

// of returns what tells a value in the definition from others.
func (v version) of(value jsonvalue.Value) encoding {
	if value.Kind() == 0 {
		return encoding{}
	}
	e := v.encodings[value.Index()]
	switch value.Kind() {
	case '{', '[':
	case '0':
		e.content = string(jsonvalue.AppendNumber(nil, value.Text()))
	default:
		e.content = value.JSON()
	}
	return e
}

func (d *differ) same(p pair) bool {
	return p.values[0].Kind() != 0 && p.values[1].Kind() != 0 && d.versions[0].of(p.values[0]) == d.versions[1].of(p.values[1])
}

// areBoth reports whether a condition holds for both values, unless they are absent.
func (p pair) areBoth(is func(side int, v jsonvalue.Value) bool) bool {
	return (isAbsent(p.values[0]) || is(0, p.values[0])) && (isAbsent(p.values[1]) || is(1, p.values[1]))
}

// isAbsent reports whether a member is absent, or null, which is the same.
func isAbsent(v jsonvalue.Value) bool { return v.Kind() == 0 || v.Kind() == 'n' }

// members pairs the members of objects, in the order of their keys.
func (p pair) members() []pair {
	var all []pair
	for side, v := range p.values {
		for key, member := range v.Members() {
			all = append(all, pair{key: key})
			all[len(all)-1].values[side] = member
		}
	}
	slices.SortStableFunc(all, func(x, y pair) int { return strings.Compare(x.key, y.key) })
	pairs := all[:0]
	for _, member := range all {
		if last := len(pairs) - 1; last >= 0 && pairs[last].key == member.key {
			pairs[last].values[1] = member.values[1]
		} else {
			pairs = append(pairs, member)
		}
	}
	return slices.DeleteFunc(pairs, func(p pair) bool { return isAbsent(p.values[0]) && isAbsent(p.values[1]) })
}

// element is an element of an array, before (0) or after (1).
type element struct {
	id       string
	side     int
	value    jsonvalue.Value
	index    int // among those with its ID
	encoding encoding
}

// elements pairs the elements of arrays that differ, in the order of their IDs.
// Those with the same ID, or without one, are paired in order, after equal ones at
// the beginning and the end, or all equal ones if the order has no meaning.
func (d *differ) elements(r *rule, p pair) []pair {
	var all []element
	for side, array := range p.values {
		for _, v := range array.Members() {
			all = append(all, element{id: idOf(v), side: side, value: v, encoding: d.versions[side].of(v)})
		}
	}
	slices.SortStableFunc(all, func(x, y element) int { return strings.Compare(x.id, y.id) })
	pairs := make([]pair, 0, len(all)/2)
	for len(all) > 0 {
		id, end, counts := all[0].id, 0, [2]int{}
		for ; end < len(all) && all[end].id == id; end++ {
			all[end].index = counts[all[end].side]
			counts[all[end].side]++
		}
		before, after := all[:counts[0]], all[counts[0]:end]
		all = all[end:]
		if r.unordered && id == "" {
			before, after = without(before, after), without(after, before)
		} else {
			before, after = trim(before, after)
		}
		for i := range max(len(before), len(after)) {
			differing := pair{}
			for side, elements := range [][]element{before, after} {
				if i < len(elements) {
					differing.values[side] = elements[i].value
					differing.key = "[" + strconv.Itoa(elements[i].index) + "]"
				}
			}
			if id != "" {
				differing.key = "[" + jsonvalue.Quote(id) + "]"
			}
			if !d.same(differing) {
				pairs = append(pairs, differing)
			}
		}
	}
	return pairs
}

// trim removes the equal elements at the beginning and at the end of two arrays.
func trim(before, after []element) ([]element, []element) {
	for len(before) > 0 && len(after) > 0 && before[0].encoding == after[0].encoding {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1].encoding == after[len(after)-1].encoding {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after
}

// without returns the elements that are not among others, each as often as there. They
// are sorted, so that those that were only moved are paired.
func without(elements, others []element) []element {
	count := map[encoding]int{}
	for _, other := range others {
		count[other.encoding]++
	}
	var rest []element
	for _, e := range elements {
		if count[e.encoding]--; count[e.encoding] < 0 {
			rest = append(rest, e)
		}
	}
	slices.SortStableFunc(rest, func(x, y element) int { return strings.Compare(x.encoding.content, y.encoding.content) })
	return rest
}
