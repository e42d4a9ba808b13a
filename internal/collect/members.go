// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"cmp"
	"slices"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// SortedMembers returns members sorted by email address, then name, then role, because the
// API documents no order.
func SortedMembers(listed []convo.Member) []audit.Member {
	members := make([]audit.Member, len(listed))
	for i, m := range listed {
		members[i] = audit.Member{WorkspaceID: m.WorkspaceID, User: (*audit.User)(m.User), Role: m.Role}
	}
	slices.SortStableFunc(members, func(a, b audit.Member) int {
		return cmp.Or(
			cmp.Compare(a.Email(), b.Email()),
			cmp.Compare(a.Name(), b.Name()),
			cmp.Compare(valueOf(a.Role), valueOf(b.Role)),
		)
	})
	return members
}

// EmailsByRole returns the email addresses by role, sorted because the members are. It
// omits no member, so that checks cover all of them.
func EmailsByRole(members []audit.Member) map[string][]string {
	emails := map[string][]string{}
	for _, m := range members {
		role := valueOf(m.Role)
		emails[role] = append(emails[role], m.Email())
	}
	return emails
}
