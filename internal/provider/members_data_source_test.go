// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

func TestAccMembersDataSource(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), anyVersion,
		failing(`data "convo_members" "test" { workspace_id = "nope" }`, `The service returned 404 Not Found for workspace "nope": Not found (NOT_FOUND).`),
		reading(`data "convo_members" "test" { workspace_id = "larkspur" }`, "data.convo_members.test", object{
			"workspace_id": "larkspur", "members": expectedMembers(), "emails_by_role": expectedEmailsByRole(),
		}),
	)
}

// The API documents no order, so members are sorted by email address, then name, then role. Those
// without a user, an email address, or a role count as well.
func TestAccMembersEphemeralResource(t *testing.T) {
	t.Parallel()
	const adaeze, kai, noa = "adaeze@larkspur-bicycles.example", "kai@tidepool-studio.example", "noa@tidepool-studio.example"
	member := func(workspaceID, role, user any) object {
		return object{"workspace_id": workspaceID, "role": role, "user": user}
	}
	user := func(name, email, image any) object { return object{"name": name, "email": email, "image": image} }
	testAcc(t, startService(t), ephemeralResources,
		failing(`ephemeral "convo_members" "test" { workspace_id = "nope" }`, `The service returned 404 Not Found for workspace "nope": Not found (NOT_FOUND).`),
		opening(`ephemeral "convo_members" "test" { workspace_id = "ws_tidepool02" }`, "ephemeral.convo_members.test", object{
			"workspace_id": "ws_tidepool02",
			"members": list{
				member("ws_tidepool02", "GUEST", nil),
				member("ws_tidepool02", "MEMBER", user(nil, nil, nil)),
				member(nil, nil, user("Front desk", nil, nil)),
				member("ws_tidepool02", "ADMIN", user("Adaeze Nwosu", adaeze, "https://cdn.larkspur-bicycles.example/people/adaeze.jpg")),
				member("ws_tidepool02", "MEMBER", user(nil, kai, nil)),
				member(nil, nil, user("Noa Lind", noa, nil)),
			},
			"emails_by_role": object{"ADMIN": list{adaeze}, "GUEST": list{""}, "MEMBER": list{"", kai}, "": list{"", noa}},
		}),
	)
}
