// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccMembersDataSource(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"members": [
		{"workspaceId": "ws_1", "role": "ADMIN", "user": {"name": "Bo", "email": "bo@x.example", "image": "https://x.example/bo.png"}},
		{"workspaceId": "ws_1", "role": "GUEST", "user": {"name": "Al", "email": "al@x.example", "image": ""}}
	]}`)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccProviderConfig(s) + `
data "convo_members" "test" {
  workspace_id = "larkspur"
}
`,
				ConfigStateChecks: expectAttributes("data.convo_members.test", object{
					"members": list{
						object{"workspace_id": "ws_1", "role": "GUEST", "user": object{"name": "Al", "email": "al@x.example", "image": ""}},
						object{"workspace_id": "ws_1", "role": "ADMIN", "user": object{"name": "Bo", "email": "bo@x.example", "image": "https://x.example/bo.png"}},
					},
					"emails_by_role": object{"ADMIN": list{"bo@x.example"}, "GUEST": list{"al@x.example"}},
				}),
			},
		},
	})
}

// The API documents no order, so members are sorted by email address, then name,
// then role. Those without a user, an email address, or a role count as well.
func TestMembersDataSource_order(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"members": [
		{"role": "B", "user": {"email": "b@x.example", "name": "B"}},
		{"role": "A", "user": {"email": "b@x.example", "name": "B"}},
		{"role": "A", "user": {"email": "b@x.example", "name": "A"}},
		{"user": {"email": "a@x.example"}},
		{"role": "A", "user": {"name": "Front desk"}},
		{"role": "A", "user": null}
	]}`)
	requireAttributes(t, configuredProvider(t, s).mustRead("convo_members", object{"workspace_id": "larkspur"}), object{
		"members": list{
			object{"workspace_id": nil, "role": "A", "user": nil},
			object{"workspace_id": nil, "role": "A", "user": object{"name": "Front desk", "email": nil, "image": nil}},
			object{"workspace_id": nil, "role": nil, "user": object{"name": nil, "email": "a@x.example", "image": nil}},
			object{"workspace_id": nil, "role": "A", "user": object{"name": "A", "email": "b@x.example", "image": nil}},
			object{"workspace_id": nil, "role": "A", "user": object{"name": "B", "email": "b@x.example", "image": nil}},
			object{"workspace_id": nil, "role": "B", "user": object{"name": "B", "email": "b@x.example", "image": nil}},
		},
		"emails_by_role": object{"A": list{"", "", "b@x.example", "b@x.example"}, "B": list{"b@x.example"}, "": list{"a@x.example"}},
	})
}
