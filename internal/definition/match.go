// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"cmp"
	"maps"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// pair is a member of two objects, or an element of two arrays. The key of an element is in
// brackets.
type pair struct {
	key           string
	before, after value
}

// bothAre reports whether both values are of a kind.
func (p pair) bothAre(kind jsontext.Kind) bool {
	return p.before.Kind() == kind && p.after.Kind() == kind
}

// bothCanBe reports whether both values are of a kind, unless they are absent.
func (p pair) bothCanBe(kind jsontext.Kind) bool {
	return (isAbsent(p.before) || p.before.Kind() == kind) && (isAbsent(p.after) || p.after.Kind() == kind)
}

// same reports whether both values are equal, also in their positions.
func (d *differ) same(p pair) bool { return d.whole(p.before) == d.whole(p.after) }

// whole is the content of a value with its position.
func (d *differ) whole(v value) string { return d.contents.of(v) + d.contents.positions[v] }

// members pairs the members of objects that are not absent in both, in the order of their keys.
func (p pair) members() []pair {
	var pairs []pair
	for _, key := range keysOf(maps.Collect(p.before.Members()), maps.Collect(p.after.Members())) {
		member := pair{key, p.before.Member(key), p.after.Member(key)}
		if !isAbsent(member.before) || !isAbsent(member.after) {
			pairs = append(pairs, member)
		}
	}
	return pairs
}

// element is an element of an array. Its key is its ID or, without one, its index among
// those without one.
type element struct {
	key   string
	value value
}

// matched pairs the elements of arrays that differ, in the order of their IDs. Those with the
// same ID, or without one, are paired in order, without those that both arrays have.
func (d *differ) matched(p pair) []pair {
	allBefore, allAfter := byID(p.before), byID(p.after)
	var pairs []pair
	for _, id := range keysOf(allBefore, allAfter) {
		before, after := allBefore[id], allAfter[id]
		before, after = d.without(before, after), d.without(after, before)
		for i := range max(len(before), len(after)) {
			x, y := elementAt(i, before), elementAt(i, after)
			pairs = append(pairs, pair{cmp.Or(y.key, x.key), x.value, y.value})
		}
	}
	return pairs
}

// byID returns the elements of an array by their IDs.
func byID(array value) map[string][]element {
	all := map[string][]element{}
	for _, v := range array.Members() {
		id := idOf(v)
		key := strconv.Itoa(len(all[id]))
		if id != "" {
			key = jsonvalue.Quote(id)
		}
		all[id] = append(all[id], element{"[" + key + "]", v})
	}
	return all
}

// elementAt returns the element at an index, and an absent one behind the last.
func elementAt(i int, elements []element) element {
	if i < len(elements) {
		return elements[i]
	}
	return element{}
}

// without returns the elements that are not among others, each as often as there.
func (d *differ) without(elements, others []element) []element {
	count := map[string]int{}
	for _, other := range others {
		count[d.whole(other.value)]++
	}
	var rest []element
	for _, e := range elements {
		whole := d.whole(e.value)
		if count[whole]--; count[whole] < 0 {
			rest = append(rest, e)
		}
	}
	return rest
}
