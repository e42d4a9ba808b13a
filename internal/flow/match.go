// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"iter"
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

// areAll reports whether what is not absent or null has a kind.
func (p pair) areAll(kind jsontext.Kind) bool {
	for _, v := range []value{p.before, p.after} {
		if v != nil && v.kind() != 'n' && v.kind() != kind {
			return false
		}
	}
	return true
}

// membersOf pairs the members of objects, in the order of their keys. Of equal
// keys, the last one counts.
func membersOf(p pair) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for group := range matched(p, '{') {
			p := pair{key: group[0].key}
			for _, member := range group {
				if member.isAfter {
					p.after = member.value
				} else {
					p.before = member.value
				}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// elementsOf pairs the elements of arrays that differ, in the order of their IDs.
func elementsOf(p pair) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for group := range matched(p, '[') {
			id, position, split := group[0].key, 0, 0
			for split < len(group) && !group[split].isAfter {
				split++
			}
			before, after := group[:split], group[split:]
			switch {
			case id == "":
				position, before, after = trim(before, after)
			case len(group) > 2:
				before, after = without(before, after), without(after, before)
			}
			for i := range max(len(before), len(after)) {
				p := pair{key: "[" + strconv.Itoa(position+i) + "]"}
				if id != "" {
					p.key = "[" + quoted(id) + "]"
				}
				if i < len(before) {
					p.before = before[i].value
				}
				if i < len(after) {
					p.after = after[i].value
				}
				if !p.same() && !yield(p) {
					return
				}
			}
		}
	}
}

// keyed is a member of an object, or an element of an array with its ID.
type keyed struct {
	key     string
	value   value
	isAfter bool
}

// matched returns what two objects or arrays have under each key or ID, in the
// order of the keys. What is before comes first.
func matched(p pair, kind jsontext.Kind) iter.Seq[[]keyed] {
	all := make([]keyed, 0, p.before.count(kind)+p.after.count(kind))
	for i, v := range []value{p.before, p.after} {
		if v.kind() != kind {
			continue
		}
		for key, member := range v.members() {
			if kind == '[' {
				key = member.id()
			}
			all = append(all, keyed{key, member, i == 1})
		}
	}
	slices.SortStableFunc(all, func(x, y keyed) int { return strings.Compare(x.key, y.key) })
	return func(yield func([]keyed) bool) {
		for n := 0; len(all) > 0; all, n = all[n:], 0 {
			for n < len(all) && all[n].key == all[0].key {
				n++
			}
			if !yield(all[:n]) {
				return
			}
		}
	}
}

// count returns the number of members or elements if the value has a kind.
func (v value) count(kind jsontext.Kind) int {
	n := 0
	if v.kind() == kind {
		for range v.members() {
			n++
		}
	}
	return n
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

// without returns the elements that have no equal one among others.
func without(elements, others []keyed) []keyed {
	count := map[string]int{}
	for _, other := range others {
		count[other.value.json()]++
	}
	return slices.DeleteFunc(slices.Clone(elements), func(element keyed) bool {
		json := element.value.json()
		count[json]--
		return count[json] >= 0
	})
}

// sorted returns the members of an object in the order of their keys. Of equal
// keys, the last one counts.
func (v value) sorted() iter.Seq2[string, value] {
	first, last, sorted := true, "", true
	for key := range v.members() {
		sorted = sorted && (first || key > last)
		first, last = false, key
	}
	if sorted {
		return v.members()
	}
	return func(yield func(string, value) bool) {
		for group := range matched(pair{after: v}, '{') {
			if last := group[len(group)-1]; !yield(last.key, last.value) {
				return
			}
		}
	}
}
