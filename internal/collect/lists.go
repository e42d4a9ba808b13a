// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"cmp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// SortAgents sorts agents by ID, because the API documents no order.
func SortAgents(agents []api.AgentSummary) {
	slices.SortStableFunc(agents, func(a, b api.AgentSummary) int {
		return cmp.Compare(api.ValueOf(a.ID), api.ValueOf(b.ID))
	})
}

// SortMembers sorts members by email address, then name, then role.
func SortMembers(members []api.Member) {
	slices.SortStableFunc(members, func(a, b api.Member) int {
		return cmp.Or(
			cmp.Compare(a.Email(), b.Email()),
			cmp.Compare(a.Name(), b.Name()),
			cmp.Compare(api.ValueOf(a.Role), api.ValueOf(b.Role)),
		)
	})
}

// EmailsByRole returns the email addresses by role, sorted because the members are. It
// omits no member, so that checks cover all of them.
func EmailsByRole(members []api.Member) map[string][]string {
	emails := map[string][]string{}
	for _, m := range members {
		role := api.ValueOf(m.Role)
		emails[role] = append(emails[role], m.Email())
	}
	return emails
}
