// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"bytes"
	"hash/maphash"
	"iter"
)

// index finds the texts that can be targets or be used.
type index struct {
	// places are the texts. The first one stands for none and remains empty.
	places []place
	// buckets contain a place of each hash, without its last shift bits.
	buckets []int
	shift   int
	// few are the buckets of a small graph.
	few  [256]int
	seed maphash.Seed
	// shapes contain a bit for the first character and the length of each place,
	// because most texts are none.
	shapes [64]uint64
	// cells are those of all lists.
	cells []cell
}

// place is an ID or a name of something in the graph.
type place struct {
	text []byte
	// next is another place in the same bucket, or none.
	next int
	// nodes have this ID, and holders have something with this ID inside.
	nodes, holders list
	// namedBy are the nodes that have the text inside, if it is a link's ID.
	namedBy list
	// entrypoints, links and variables have this ID.
	entrypoints, links, variables list
	// out are the links that come from here.
	out list
	// label is the text of the item with this ID.
	label []byte
	// entrypoint is the number of the last entry point that names the place.
	entrypoint int
	// isID reports that the text is more than a name, because a name can also be
	// an unrelated key of an object.
	isID bool
	// used reports that the text occurs where a variable can be used.
	used bool
	// entered, visited and left report how far the search for ways has come.
	entered, visited, left bool
}

const none = 0

// reset empties an index.
func (x *index) reset() {
	*x = index{places: append(x.places[:0], place{}), cells: append(x.cells[:0], cell{}), seed: maphash.MakeSeed()}
	x.buckets, x.shift = x.few[:], 64-8
}

func (x *index) bucket(text []byte) *int {
	return &x.buckets[maphash.Bytes(x.seed, text)>>x.shift]
}

// shape returns the element of shapes for a text, and its bit there.
func (x *index) shape(text []byte) (*uint64, uint64) {
	return &x.shapes[text[0]%64], 1 << (len(text) % 64)
}

// find returns the place of a text, or none.
func (x *index) find(text []byte) int {
	if len(text) == 0 {
		return none
	}
	if shapes, bit := x.shape(text); *shapes&bit == 0 {
		return none
	}
	at := *x.bucket(text)
	for at != none && !bytes.Equal(x.places[at].text, text) {
		at = x.places[at].next
	}
	return at
}

// putID returns the place of an ID and adds it if necessary. An empty text is
// not an ID.
func (x *index) putID(text []byte) int {
	at := x.putName(text)
	x.places[at].isID = at != none
	return at
}

func (x *index) putName(text []byte) int {
	if at := x.find(text); at != none || len(text) == 0 {
		return at
	}
	at := len(x.places)
	x.places = append(x.places, place{text: text})
	if at < len(x.buckets) {
		x.insert(at)
		return at
	}
	x.buckets = make([]int, 2*len(x.buckets))
	x.shift--
	for i := 1; i <= at; i++ {
		x.insert(i)
	}
	return at
}

// insert adds a place to its bucket.
func (x *index) insert(at int) {
	shapes, bit := x.shape(x.places[at].text)
	*shapes |= bit
	first := x.bucket(x.places[at].text)
	x.places[at].next, *first = *first, at
}

// list is the position of its last cell, whose next is the first one. An empty
// list is 0.
type list int

type cell struct {
	value int
	next  list
}

func (x *index) add(l *list, value int) {
	last := list(len(x.cells))
	x.cells = append(x.cells, cell{value, last})
	if *l != 0 {
		x.cells[last].next, x.cells[*l].next = x.cells[*l].next, last
	}
	*l = last
}

// all returns the values of a list.
func (x *index) all(l list) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := l; at != 0; {
			at = x.cells[at].next
			if !yield(x.cells[at].value) || at == l {
				return
			}
		}
	}
}

// beginsWith and endsWith report whether a value is the first or the last.
func (x *index) beginsWith(l list, value int) bool {
	return l != 0 && x.cells[x.cells[l].next].value == value
}

func (x *index) endsWith(l list, value int) bool { return l != 0 && x.cells[l].value == value }

// inNode reports whether a place is a node's ID or belongs to a node.
func (x *index) inNode(at int) bool { return x.places[at].nodes != 0 || x.places[at].holders != 0 }
