// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import "github.com/convo/terraform-provider-convo/internal/definition"

// aspect is one element of a finding and the finding's cause.
type aspect struct{ kind, id, cause string }

// aspects returns one for each element, or one without an ID.
func (f *finding) aspects() []aspect {
	ids, cause := f.IDs, f.cause
	if f.Kind == GraphNotUnderstood {
		cause = f.Message // It is the reason.
	}
	if len(ids) == 0 {
		ids = []string{""}
	}
	var all []aspect
	for _, id := range ids {
		for range max(f.copies, 1) {
			all = append(all, aspect{f.Kind, id, cause})
		}
	}
	return all
}

// FindingsSince returns the findings, and whether each of them is new: an element of it,
// or its cause, is in no finding of the definition before. All are new if that is absent.
func FindingsSince(d, before definition.Definition) ([]Finding, []bool) {
	known := map[aspect]int{} // Elements without an ID can be equal.
	if before.Kind() != 0 {
		for _, f := range newGraph(before).findings(before) {
			for _, a := range f.aspects() {
				known[a]++
			}
		}
	}
	list, isNew := []Finding{}, []bool{}
	for _, f := range newGraph(d).findings(d) {
		unknown := false
		for _, a := range f.aspects() {
			known[a]--
			unknown = unknown || known[a] < 0
		}
		list, isNew = append(list, f.Finding), append(isNew, unknown)
	}
	return list, isNew
}
