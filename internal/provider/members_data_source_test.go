// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members"), expectedMembers()),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("emails_by_role"), expectedEmailsByRole()),
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
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(0).AtMapKey("user"), knownvalue.Null()),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(1).AtMapKey("user").AtMapKey("name"), knownvalue.StringExact("Front desk")),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(2).AtMapKey("role"), knownvalue.Null()),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(3).AtMapKey("user").AtMapKey("name"), knownvalue.StringExact("A")),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(4).AtMapKey("role"), knownvalue.StringExact("A")),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("members").AtSliceIndex(5).AtMapKey("role"), knownvalue.StringExact("B")),
					statecheck.ExpectKnownValue("data.convo_members.test", tfjsonpath.New("emails_by_role"), knownvalue.MapExact(map[string]knownvalue.Check{
						"A": listOf("", "", "b@x.example", "b@x.example"),
						"B": listOf("b@x.example"),
						"":  listOf("a@x.example"),
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
func expectedMembers() knownvalue.Check {
	const people = "https://cdn.larkspur-bicycles.example/people/"
	return knownvalue.ListExact([]knownvalue.Check{
		expectedMember("ADMIN", "Adaeze Nwosu", "adaeze@larkspur-bicycles.example", people+"adaeze.jpg"),
		expectedMember("MEMBER", "Beatriz Conceição", "beatriz@larkspur-bicycles.example", people+"beatriz.jpg"),
		expectedMember("MEMBER", "山田 花子", "hanako@larkspur-bicycles.example", people+"hanako.jpg"),
		expectedMember("BILLING", "Ilija Đorđević", "ilija@larkspur-bicycles.example", people+"ilija.jpg"),
		expectedMember("MEMBER", "Mirela Oancea", "mirela@larkspur-bicycles.example", people+"mirela.jpg"),
		expectedMember("ADMIN", "Søren Ågaard", "soren@larkspur-bicycles.example", people+"soren.jpg"),
		expectedMember("GUEST", "Workshop tablet", "workshop@larkspur-bicycles.example", ""),
		expectedMember("GUEST", "Zoë O’Dowd", "zoe@oddspoke-agency.example", "https://oddspoke-agency.example/zoe.png"),
	})
}

func expectedMember(role, name, email, image string) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"workspace_id": knownvalue.StringExact("ws_larkspur01"),
		"role":         knownvalue.StringExact(role),
		"user": knownvalue.ObjectExact(map[string]knownvalue.Check{
			"name":  knownvalue.StringExact(name),
			"email": knownvalue.StringExact(email),
			"image": knownvalue.StringExact(image),
		}),
	})
}

func expectedEmailsByRole() knownvalue.Check {
	return knownvalue.MapExact(map[string]knownvalue.Check{
		"ADMIN":   listOf("adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"),
		"BILLING": listOf("ilija@larkspur-bicycles.example"),
		"GUEST":   listOf("workshop@larkspur-bicycles.example", "zoe@oddspoke-agency.example"),
		"MEMBER":  listOf("beatriz@larkspur-bicycles.example", "hanako@larkspur-bicycles.example", "mirela@larkspur-bicycles.example"),
	})
}

// listOf expects a list of strings.
func listOf(texts ...string) knownvalue.Check {
	var elements []knownvalue.Check
	for _, text := range texts {
		elements = append(elements, knownvalue.StringExact(text))
	}
	return knownvalue.ListExact(elements)
}
