// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*membersDataSource)(nil)

// NewMembersDataSource returns the data source convo_members.
func NewMembersDataSource() datasource.DataSource { return &membersDataSource{} }

// membersDataSource lists the members of a workspace (specification, "List
// members of a workspace").
type membersDataSource struct{ apiDataSource }

func (d *membersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_members"
}

func (d *membersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the members of a workspace and their roles.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: workspaceIDDescription,
				Validators:          []validator.String{validID()},
			},
			"members":        membersAttribute(),
			"emails_by_role": emailsByRoleAttribute(),
		},
	}
}

func (d *membersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var workspaceID string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("workspace_id"), &workspaceID)...)
	if resp.Diagnostics.HasError() || !d.data.ready("Unable to read members", &resp.Diagnostics) {
		return
	}
	t := workspaceTarget("members", workspaceID)
	members, err := readMembers(ctx, d.data.client, workspaceID)
	if err != nil {
		resp.Diagnostics.Append(t.readError(err))
		return
	}
	resp.Diagnostics.Append(members.warnings(t)...)
	resp.Diagnostics.Append(setState(&resp.State, members.values)...)
}

// readMembers lists the members of a workspace and returns values for
// "members" and "emails_by_role".
func readMembers(ctx context.Context, client *convo.Client, workspaceID string) (*result, error) {
	response, err := client.Members(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	members, err := decodeList(ctx, client, response, "members", membersAttribute(), "user.email", "user.name", "role")
	if err != nil {
		return nil, err
	}
	members.values["emails_by_role"], err = emailsByRole(members.values["members"])
	if err != nil {
		return nil, err
	}
	return members, nil
}

// emailsByRole returns the email addresses of each role, which are sorted because
// the members are. It omits no member, so that checks cover all of them.
func emailsByRole(members tftypes.Value) (tftypes.Value, error) {
	objects, err := valueAt[[]tftypes.Value](members)
	if err != nil {
		return tftypes.Value{}, err
	}
	emails := map[string][]tftypes.Value{}
	for _, member := range objects {
		role, roleErr := valueAt[string](member, "role")
		email, emailErr := valueAt[string](member, "user", "email")
		if err := errors.Join(roleErr, emailErr); err != nil {
			return tftypes.Value{}, err
		}
		role = norm.NFC.String(role) // Terraform normalizes the keys of maps.
		emails[role] = append(emails[role], tftypes.NewValue(tftypes.String, email))
	}
	listType := tftypes.List{ElementType: tftypes.String}
	lists := map[string]tftypes.Value{}
	for role := range emails {
		lists[role] = tftypes.NewValue(listType, emails[role])
	}
	return tftypes.NewValue(tftypes.Map{ElementType: listType}, lists), nil
}

func emailsByRoleAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed:    true,
		ElementType: types.ListType{ElemType: types.StringType},
		MarkdownDescription: "Map of each role to a sorted list of its members' email addresses. A missing address is an empty string, and " +
			"the key of members without a role is `\"\"`.",
	}
}

// membersAttribute has the fields of "Member" in the API.
func membersAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Members of the workspace, sorted by email address, then name, then role. Any attribute of a member " +
			"can be null, including `user`.",
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"workspace_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace."},
				"user": schema.SingleNestedAttribute{
					Computed:            true,
					MarkdownDescription: "User account of the member.",
					Attributes: map[string]schema.Attribute{
						"name":  schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the user."},
						"email": schema.StringAttribute{Computed: true, MarkdownDescription: "Email address of the user."},
						"image": schema.StringAttribute{Computed: true, MarkdownDescription: "URL of the user's picture."},
					},
				},
				"role": schema.StringAttribute{
					Computed:            true,
					MarkdownDescription: "Role of the member. The API documents only `ADMIN`.",
				},
			},
		},
	}
}
