// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*membersDataSource)(nil)

// NewMembersDataSource returns the data source convo_members.
func NewMembersDataSource() datasource.DataSource { return &membersDataSource{} }

// membersDataSource lists the members of a workspace (specification, "List
// members of a workspace").
type membersDataSource struct{ apiDataSource }

// membersModel has the attributes of convo_members.
type membersModel struct {
	WorkspaceID  string              `tfsdk:"workspace_id"`
	Members      []member            `tfsdk:"members"`
	EmailsByRole map[string][]string `tfsdk:"emails_by_role"`
}

// member is a convo.Member in the state.
type member struct {
	WorkspaceID *string `tfsdk:"workspace_id"`
	User        *user   `tfsdk:"user"`
	Role        *string `tfsdk:"role"`
}

// user is a convo.User in the state.
type user struct {
	Name  *string `tfsdk:"name"`
	Email *string `tfsdk:"email"`
	Image *string `tfsdk:"image"`
}

func (d *membersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_members"
}

func (d *membersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the members of a workspace and their roles.",
		Attributes: map[string]schema.Attribute{
			"workspace_id":   workspaceIDAttribute(),
			"members":        membersAttribute(),
			"emails_by_role": emailsByRoleAttribute(),
		},
	}
}

func (d *membersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model membersModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	messages := d.workspaceMessages("members", model.WorkspaceID)
	members, err := d.client.Members(ctx, model.WorkspaceID)
	if err != nil {
		resp.Diagnostics.Append(messages.readError(err))
		return
	}
	resp.Diagnostics.Append(messages.incompleteList(members.SignsOfMore)...)
	model.Members = sortedMembers(members.Elements)
	model.EmailsByRole = emailsByRole(model.Members)
	d.setState(ctx, resp, &model)
}

// sortedMembers returns members for the state, sorted by email address, then name,
// then role, because the API documents no order.
func sortedMembers(listed []convo.Member) []member {
	members := make([]member, len(listed))
	for i, m := range listed {
		members[i] = member{WorkspaceID: m.WorkspaceID, User: (*user)(m.User), Role: m.Role}
	}
	slices.SortStableFunc(members, func(a, b member) int {
		userA, userB := valueOf(a.User), valueOf(b.User)
		return cmp.Or(
			cmp.Compare(valueOf(userA.Email), valueOf(userB.Email)),
			cmp.Compare(valueOf(userA.Name), valueOf(userB.Name)),
			cmp.Compare(valueOf(a.Role), valueOf(b.Role)),
		)
	})
	return members
}

// emailsByRole returns the email addresses by role, sorted because the members are. It
// omits no member, so that checks cover all of them.
func emailsByRole(members []member) map[string][]string {
	emails := map[string][]string{}
	for _, m := range members {
		for _, role := range rolesIn(valueOf(m.Role)) {
			emails[role] = append(emails[role], valueOf(valueOf(m.User).Email))
		}
	}
	return emails
}

// rolesIn returns the role in a text without white space around it, or the roles in
// the JSON text of a list, so that no role escapes a check.
func rolesIn(text string) []string {
	var roles []string
	if json.Unmarshal([]byte(text), &roles) != nil || len(roles) == 0 {
		roles = []string{text}
	}
	for i, role := range roles {
		roles[i] = mapKey(strings.TrimSpace(role))
	}
	return roles
}

func emailsByRoleAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed:            true,
		ElementType:         types.ListType{ElemType: types.StringType},
		MarkdownDescription: "Email addresses of the members, by role, sorted. Members without a role are under the key `\"\"`. A missing email address is `\"\"`, too.",
	}
}

func membersAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Members of the workspace, sorted by email address, name, and role. Any attribute of a member can be null.",
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
					MarkdownDescription: "Role of the member. `ADMIN` is the only role that the API documents.",
				},
			},
		},
	}
}
