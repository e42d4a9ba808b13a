// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func TestAccMembersDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccMembersDataSourceConfig(s, "larkspur"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members"), known(expectedMembers()["members"])),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("emails_by_role"), known(expectedMembers()["emails_by_role"])),
				},
			},
			{
				Config:      testAccMembersDataSourceConfig(s, "nope"),
				ExpectError: regexp.MustCompile(`(?s)Unable to read members\n.*workspace_id = "nope"\s+The service returned 404 Not Found`),
			},
		},
	})
}

func testAccMembersDataSourceConfig(s service, workspaceID string) string {
	return testAccProviderConfig(s) + fmt.Sprintf(`
data "convo_members" "test" {
  workspace_id = %q
}
`, workspaceID)
}

// The API documents no order, so members are sorted by email address, then name,
// then role. Those without a user, an email address, or a role count as well.
func TestAccMembersDataSource_order(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"members": [
		{"role": "B", "user": {"email": "b@x.example", "name": "B"}},
		{"role": "A", "user": {"email": "b@x.example", "name": "B"}},
		{"role": "A", "user": {"email": "b@x.example", "name": "A"}},
		{"user": {"email": "a@x.example"}},
		{"role": "A", "user": {"name": "Front desk"}},
		{"role": "A", "user": null}
	]}`)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccMembersDataSourceConfig(s, "larkspur"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members"), known(list{
						object{"workspace_id": nil, "role": "A", "user": nil},
						object{"workspace_id": nil, "role": "A", "user": object{"email": nil, "name": "Front desk", "image": nil}},
						object{"workspace_id": nil, "role": nil, "user": object{"email": "a@x.example", "name": nil, "image": nil}},
						object{"workspace_id": nil, "role": "A", "user": object{"email": "b@x.example", "name": "A", "image": nil}},
						object{"workspace_id": nil, "role": "A", "user": object{"email": "b@x.example", "name": "B", "image": nil}},
						object{"workspace_id": nil, "role": "B", "user": object{"email": "b@x.example", "name": "B", "image": nil}},
					})),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("emails_by_role"), known(object{
						"A": list{"", "", "b@x.example", "b@x.example"}, "B": list{"b@x.example"}, "": list{"a@x.example"},
					})),
				},
			},
		},
	})
}

func TestAccMembersDataSource_invalidResponse(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{"members": [1, {}]}`)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config:      testAccMembersDataSourceConfig(s, "larkspur"),
				ExpectError: regexp.MustCompile(`workspace "larkspur"(?s).*members\[0\]: expected an object, got a number`),
			},
		},
	})
}

// expectedMembers are sorted by email address.
func expectedMembers() object {
	const people = "https://cdn.larkspur-bicycles.example/people/"
	return object{
		"members": list{
			object{
				"workspace_id": "ws_larkspur01", "role": "ADMIN",
				"user": object{"name": "Adaeze Nwosu", "email": "adaeze@larkspur-bicycles.example", "image": people + "adaeze.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "MEMBER",
				"user": object{"name": "Beatriz Conceição", "email": "beatriz@larkspur-bicycles.example", "image": people + "beatriz.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "MEMBER",
				"user": object{"name": "山田 花子", "email": "hanako@larkspur-bicycles.example", "image": people + "hanako.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "BILLING",
				"user": object{"name": "Ilija Đorđević", "email": "ilija@larkspur-bicycles.example", "image": people + "ilija.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "MEMBER",
				"user": object{"name": "Mirela Oancea", "email": "mirela@larkspur-bicycles.example", "image": people + "mirela.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "ADMIN",
				"user": object{"name": "Søren Ågaard", "email": "soren@larkspur-bicycles.example", "image": people + "soren.jpg"},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "GUEST",
				"user": object{"name": "Workshop tablet", "email": "workshop@larkspur-bicycles.example", "image": ""},
			},
			object{
				"workspace_id": "ws_larkspur01", "role": "GUEST",
				"user": object{"name": "Zoë O’Dowd", "email": "zoe@oddspoke-agency.example", "image": "https://oddspoke-agency.example/zoe.png"},
			},
		},
		"emails_by_role": object{
			"ADMIN":   list{"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"},
			"BILLING": list{"ilija@larkspur-bicycles.example"},
			"GUEST":   list{"workshop@larkspur-bicycles.example", "zoe@oddspoke-agency.example"},
			"MEMBER": list{
				"beatriz@larkspur-bicycles.example", "hanako@larkspur-bicycles.example", "mirela@larkspur-bicycles.example",
			},
		},
	}
}
