// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// pair is a member of two objects, or an element of two arrays. The key of an element is
// in brackets.
type pair struct {
	key           string
	before, after jsonvalue.Value
}

// version is a definition and what tells its values from others.
type version struct {
	values      []encoding
	hasRepeated bool
}

func newVersion(d Definition) version {
	if d.Kind() == 0 {
		return version{}
	}
	reader := &digester{text: []byte(d.JSON()), values: make([]encoding, d.Size())}
	reader.read(rules)
	return version{reader.values, reader.hasRepeated}
}

// of returns what tells a value in the definition from others.
func (v *version) of(value jsonvalue.Value) encoding {
	if value.Kind() == 0 {
		return encoding{}
	}
	return v.values[value.Index()]
}

func (d *differ) same(p pair) bool {
	return p.before.Kind() != 0 && p.after.Kind() != 0 && d.before.of(p.before) == d.after.of(p.after)
}

// areAbsentOr reports whether each value is absent, null, or of a kind. An empty array is
// also an empty object.
func (p pair) areAbsentOr(kind jsontext.Kind) bool {
	for _, v := range []jsonvalue.Value{p.before, p.after} {
		if !isAbsent(v) && v.Kind() != kind && !(kind == '{' && v.IsObject()) {
			return false
		}
	}
	return true
}

// keyed is a member of an object, or an element of an array with its ID.
type keyed struct {
	key      string
	value    jsonvalue.Value
	isAfter  bool
	index    int // of an element among those with its ID
	encoding encoding
}

// contents returns what is in both values, in the order of the keys. Under each
// key, what is before comes first.
func (p pair) contents() []keyed {
	var all []keyed
	for i, v := range []jsonvalue.Value{p.before, p.after} {
		for key, member := range v.Members() {
			if v.Kind() == '[' {
				key = idOf(member)
			}
			all = append(all, keyed{key: key, value: member, isAfter: i == 1})
		}
	}
	slices.SortStableFunc(all, func(x, y keyed) int { return strings.Compare(x.key, y.key) })
	return all
}

// members pairs the members of objects, in the order of their keys. One that is null
// equals an absent one.
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
	return slices.DeleteFunc(pairs, func(p pair) bool { return isAbsent(p.before) && isAbsent(p.after) })
}

func isAbsent(v jsonvalue.Value) bool { return v.Kind() == 0 || v.Kind() == 'n' }

// elements pairs the elements of arrays that differ, in the order of their IDs.
// Those with the same ID, or without one, are paired in order, after equal ones at
// the beginning and the end, or all equal ones if the order has no meaning.
func (d *differ) elements(r *rule, p pair) []pair {
	all := p.contents()
	pairs := make([]pair, 0, len(all)/2)
	for len(all) > 0 {
		id, split, end := all[0].key, 0, 0
		for end < len(all) && all[end].key == id {
			k := &all[end]
			if k.isAfter {
				k.index, k.encoding = end-split, d.after.of(k.value)
			} else {
				k.index, k.encoding = end, d.before.of(k.value)
				split++
			}
			end++
		}
		before, after := all[:split], all[split:end]
		if r.unordered && id == "" {
			before, after = without(before, after), without(after, before)
		} else {
			before, after = trim(before, after)
		}
		all = all[end:]
		for i := range max(len(before), len(after)) {
			element := pair{}
			index := 0
			if i < len(before) {
				element.before, index = before[i].value, before[i].index
			}
			if i < len(after) {
				element.after, index = after[i].value, after[i].index
			}
			element.key = "[" + strconv.Itoa(index) + "]"
			if id != "" {
				element.key = "[" + jsonvalue.Quote(id) + "]"
			}
			if !d.same(element) {
				pairs = append(pairs, element)
			}
		}
	}
	return pairs
}

// trim removes the equal elements at the beginning and at the end of two arrays.
func trim(before, after []keyed) ([]keyed, []keyed) {
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
func without(elements, others []keyed) []keyed {
	count := map[encoding]int{}
	for _, other := range others {
		count[other.encoding]++
	}
	var rest []keyed
	for _, element := range elements {
		if count[element.encoding]--; count[element.encoding] < 0 {
			rest = append(rest, element)
		}
	}
	slices.SortStableFunc(rest, func(x, y keyed) int { return strings.Compare(x.encoding.content, y.encoding.content) })
	return rest
}
