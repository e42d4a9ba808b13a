// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/api"
)

var _ datasource.DataSourceWithConfigure = (*membersDataSource)(nil)

// NewMembersDataSource returns the data source convo_members.
func NewMembersDataSource() datasource.DataSource {
	return &membersDataSource{apiDataSource{name: "members"}}
}

// membersDataSource lists the members of a workspace (listMembers).
type membersDataSource struct{ apiDataSource }

// membersModel has the attributes of convo_members.
type membersModel struct {
	WorkspaceID  string              `tfsdk:"workspace_id"`
	Members      []api.Member        `tfsdk:"members"`
	EmailsByRole map[string][]string `tfsdk:"emails_by_role"`
}

func (d *membersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the members of a workspace and their roles.",
		Attributes: attributes{
			"workspace_id":   workspaceIDAttribute(),
			"members":        membersAttribute(),
			"emails_by_role": emailsByRoleAttribute(),
		},
	}
}

func (d *membersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *membersModel) diag.Diagnostics {
		messages := workspaceMessages("members", model.WorkspaceID)
		members, err := d.client.Members(ctx, model.WorkspaceID)
		if err != nil {
			return messages.readError(err)
		}
		model.Members = members.Elements
		model.EmailsByRole = api.EmailsByRole(model.Members)
		return messages.incompleteList(members.Doubt)
	})
}

func emailsByRoleAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed:    true,
		ElementType: types.ListType{ElemType: types.StringType},
		MarkdownDescription: "Sorted email addresses of the members, by role. Members without a role have the key `\"\"`. A missing email address " +
			"is `\"\"`.",
	}
}

func membersAttribute() schema.ListNestedAttribute {
	const description = "Members of the workspace, sorted by email address, name, and role. Any attribute of a member can be null."
	return objectsAttribute(description, attributes{
		"workspace_id": stringAttribute("ID of the workspace."),
		"user": objectAttribute("User account of the member.", attributes{
			"name":  stringAttribute("Name of the user."),
			"email": stringAttribute("Email address of the user."),
			"image": stringAttribute("URL of the user's picture."),
		}),
		"role": stringAttribute("Role of the member. `ADMIN` is the only role that the API documents."),
	})
}
