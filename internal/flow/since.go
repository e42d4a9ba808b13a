// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// aspect is one element of a finding and the finding's cause.
type aspect struct{ kind, id, cause string }

// aspects returns one for each element, or one without an ID.
func (f *finding) aspects() []aspect {
	var all []aspect
	for _, id := range f.IDs {
		all = append(all, aspect{f.Kind, id, f.cause})
	}
	if all == nil {
		all = []aspect{{f.Kind, "", f.cause}}
	}
	return all
}

// FindingsSince returns the findings, and whether each of them is new: an element of it,
// or its cause, is in no finding of the definition before. All are new if that is absent.
func FindingsSince(d, before definition.Definition) ([]Finding, []bool) {
	known := map[aspect]bool{}
	if before.Kind() != 0 {
		for _, f := range newGraph(before).findings() {
			for _, a := range f.aspects() {
				known[a] = true
			}
		}
	}
	list, isNew := []Finding{}, []bool{}
	for _, f := range newGraph(d).findings() {
		list = append(list, f.Finding)
		isNew = append(isNew, slices.ContainsFunc(f.aspects(), func(a aspect) bool { return !known[a] }))
	}
	return list, isNew
}
