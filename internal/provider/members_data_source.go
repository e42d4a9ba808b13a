// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// member is "Member" in the API.
type member struct {
	WorkspaceID *string `json:"workspaceId" tfsdk:"workspace_id"`
	User        *user   `json:"user" tfsdk:"user"`
	Role        *string `json:"role" tfsdk:"role"`
}

type user struct {
	Name  *string `json:"name" tfsdk:"name"`
	Email *string `json:"email" tfsdk:"email"`
	Image *string `json:"image" tfsdk:"image"`
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
	members, caveats, err := readMembers(ctx, d.client, model.WorkspaceID)
	resp.Diagnostics.Append(d.workspaceMessages("members", model.WorkspaceID).ofRead(caveats, err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Members, model.EmailsByRole = members, emailsByRole(members)
	d.setState(ctx, resp, &model)
}

// readMembers lists the members of a workspace, sorted by email address, then name,
// then role, because the API documents no order.
func readMembers(ctx context.Context, client *convo.Client, workspaceID string) ([]member, caveats, error) {
	response, err := client.Members(ctx, workspaceID)
	if err != nil {
		return nil, caveats{}, err
	}
	defer response.Close()
	var body struct {
		Members []member                  `json:"members" required:"true"`
		Rest    map[string]jsontext.Value `json:",embed"`
	}
	if err := response.Decode(&body); err != nil {
		return nil, caveats{}, err
	}
	slices.SortStableFunc(body.Members, func(a, b member) int {
		userA, userB := valueOf(a.User), valueOf(b.User)
		return cmp.Or(
			cmp.Compare(valueOf(userA.Email), valueOf(userB.Email)),
			cmp.Compare(valueOf(userA.Name), valueOf(userB.Name)),
			cmp.Compare(valueOf(a.Role), valueOf(b.Role)),
		)
	})
	return body.Members, caveats{incomplete: response.SignsOfMore(len(body.Members), body.Rest)}, nil
}

// emailsByRole returns the email addresses of each role, which are sorted because
// the members are. It omits no member, so that checks cover all of them.
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
		MarkdownDescription: "Email addresses of the members, by role, sorted. A missing email address or role is `\"\"`.",
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
