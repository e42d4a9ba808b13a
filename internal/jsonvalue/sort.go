// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// sortable is an element of a list that is to be sorted.
type sortable struct {
	value tftypes.Value
	keys  []string
	// start is the element's position in the document, and text its canonical
	// text, which is made when a comparison needs it.
	start int
	text  string
}

// sorted returns elements sorted by the strings at the given attribute paths,
// where null counts as empty. Elements that are equal in all of them are sorted
// by their whole text, so that the order never depends on the document's.
func (w *walk) sorted(values []tftypes.Value, starts []int, paths [][]string) []tftypes.Value {
	end := w.pos
	elements := make([]*sortable, len(values))
	keys := make([]string, 0, len(values)*len(paths))
	for i, value := range values {
		for _, path := range paths {
			keys = append(keys, stringAt(value, path))
		}
		elements[i] = &sortable{value: value, start: starts[i], keys: keys[i*len(paths):]}
	}
	slices.SortFunc(elements, func(a, b *sortable) int {
		if w.ended() {
			return 0
		}
		if order := slices.Compare(a.keys, b.keys); order != 0 {
			return order
		}
		return strings.Compare(w.textOf(a), w.textOf(b))
	})
	for i, element := range elements {
		values[i] = element.value
	}
	w.pos = end
	return values
}

// textOf returns the canonical text of an element.
func (w *walk) textOf(element *sortable) string {
	if element.text == "" {
		w.pos = element.start
		element.text = w.canonical(nil)
	}
	return element.text
}

// stringAt returns the string at a path of attributes, "" where there is none:
// null has no attributes.
func stringAt(value tftypes.Value, path []string) string {
	for _, attribute := range path {
		var object map[string]tftypes.Value
		_ = value.As(&object)
		value = object[attribute]
	}
	var text string
	_ = value.As(&text)
	return text
}
