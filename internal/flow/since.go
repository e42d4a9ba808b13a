// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow

import (
	"slices"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

// aspect is one element of a finding, or "", and the finding's cause.
type aspect struct{ kind, id, cause string }

// FindingsSince returns the findings, and whether each of them is new: an element of it,
// or its cause, is in no finding of the definition before. All are new if that is absent.
func FindingsSince(d, before definition.Definition) ([]Finding, []bool) {
	known := map[aspect]bool{}
	if before.Kind() != 0 {
		for _, f := range newGraph(before).findings() {
			for _, id := range append(f.IDs, f.ID) {
				known[aspect{f.Kind, id, f.cause}] = true
			}
		}
	}
	list, isNew := []Finding{}, []bool{}
	for _, f := range newGraph(d).findings() {
		list = append(list, f.Finding)
		isNew = append(isNew, slices.ContainsFunc(append(f.IDs, f.ID), func(id string) bool {
			return !known[aspect{f.Kind, id, f.cause}]
		}))
	}
	return list, isNew
}
