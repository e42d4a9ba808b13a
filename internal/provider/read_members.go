// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// membersOperation describes "List members of a workspace" of the API.
func membersOperation() operation {
	return operation{
		name:        "members",
		description: "Lists the members of a workspace and their roles.",
		arguments: attributes{
			"workspace_id": idArgument(workspaceIDDescription),
		},
		idArgument: "workspace_id",
		fields: attributes{
			"members": computedObjects(membersDescription, memberAttributes()),
		},
		list:    "members",
		sortBy:  []string{"user.email", "user.name", "role"},
		derived: attributes{"emails_by_role": emailsByRoleAttribute()},
		derive: func(results values) values {
			return values{"emails_by_role": emailsByRole(results.list("members"))}
		},
		request: byID("workspace_id", (*convo.Client).Members),
	}
}

const membersDescription = "Members of the workspace, sorted by email address, then name, then role. Any attribute of a member " +
	"can be null, including `user`."

// memberAttributes are the fields of "Member" in the API.
func memberAttributes() attributes {
	return attributes{
		"workspace_id": computedString("ID of the workspace."),
		"user": computedObject("User account of the member.", attributes{
			"name":  computedString("Name of the user."),
			"email": computedString("Email address of the user."),
			"image": computedString("URL of the user's picture."),
		}),
		"role": computedString("Role of the member. The API documents only the value `ADMIN`. Other values are returned unchanged."),
	}
}

func emailsByRoleAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed:    true,
		ElementType: types.ListType{ElemType: types.StringType},
		MarkdownDescription: "Map of each role to a sorted list of its members' email addresses. A member without an email address " +
			"appears as an empty string. Members without a role appear under the key `\"\"`.",
	}
}

// emailsByRole returns the sorted email addresses of each role. It omits no
// member, so that checks cover all of them.
func emailsByRole(members []tftypes.Value) tftypes.Value {
	texts := map[string][]string{}
	for _, member := range members {
		fields := objectOf(member)
		role := fields.text("role")
		texts[role] = append(texts[role], fields.object("user").text("email"))
	}
	emails := tftypes.List{ElementType: tftypes.String}
	roles := map[string]tftypes.Value{}
	for role, list := range texts {
		slices.Sort(list)
		var elements []tftypes.Value
		for _, email := range list {
			elements = append(elements, tftypes.NewValue(tftypes.String, email))
		}
		roles[role] = tftypes.NewValue(emails, elements)
	}
	return tftypes.NewValue(tftypes.Map{ElementType: emails}, roles)
}
