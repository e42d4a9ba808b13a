// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*agentsDataSource)(nil)

// NewAgentsDataSource returns the data source convo_agents.
func NewAgentsDataSource() datasource.DataSource { return &agentsDataSource{} }

// agentsDataSource lists agents (specification, "List agents").
type agentsDataSource struct{ apiDataSource }

// agentsModel has the attributes of convo_agents.
type agentsModel struct {
	Query  map[string]string `tfsdk:"query"`
	Agents []agentSummary    `tfsdk:"agents"`
}

// agentSummary is "Agent summary" in the API, which does not document which fields
// can be null: all can be here.
type agentSummary struct {
	ID          *string   `json:"id" tfsdk:"id"`
	Name        *string   `json:"name" tfsdk:"name"`
	Icon        *string   `json:"icon" tfsdk:"icon"`
	Description *string   `json:"description" tfsdk:"description"`
	URL         *string   `json:"url" tfsdk:"url"`
	PublicID    *string   `json:"publicId" tfsdk:"public_id"`
	IsPublished *bool     `json:"isPublished" tfsdk:"is_published"`
	PublishedAt *string   `json:"publishedAt" tfsdk:"published_at"`
	DomainID    *string   `json:"domainId" tfsdk:"domain_id"`
	Tags        []*string `json:"tags" tfsdk:"tags"`
	CreatedAt   *string   `json:"createdAt" tfsdk:"created_at"`
	UpdatedAt   *string   `json:"updatedAt" tfsdk:"updated_at"`
}

func (d *agentsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agents"
}

func (d *agentsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the agents in a single workspace.",
		Attributes: map[string]schema.Attribute{
			"query": queryAttribute("Query parameters for the request."),
			"agents": schema.ListNestedAttribute{
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: agentSummaryAttributes()},
				MarkdownDescription: "Agents that the service lists, sorted by ID. Any attribute of an agent can be null.",
			},
		},
	}
}

func (d *agentsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model agentsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	agents, caveats, err := readAgents(ctx, d.client, model.Query)
	resp.Diagnostics.Append(d.agentsMessages("query").ofRead(caveats, err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Agents = agents
	d.setState(ctx, resp, &model)
}

// readAgents lists the agents, sorted by ID, because the API documents no order.
func readAgents(ctx context.Context, client *convo.Client, query map[string]string) ([]agentSummary, caveats, error) {
	response, err := client.Agents(ctx, query)
	if err != nil {
		return nil, caveats{}, err
	}
	defer response.Close()
	var body struct {
		Agents []agentSummary            `json:"agents" required:"true"`
		Rest   map[string]jsontext.Value `json:",embed"`
	}
	if err := response.Decode(&body); err != nil {
		return nil, caveats{}, err
	}
	slices.SortStableFunc(body.Agents, func(a, b agentSummary) int { return cmp.Compare(valueOf(a.ID), valueOf(b.ID)) })
	return body.Agents, caveats{incomplete: response.SignsOfMore(len(body.Agents), body.Rest)}, nil
}

// agentsMessages are those of the list of agents. The argument is the one with its query
// parameters.
func (d *providerData) agentsMessages(queryArgument string) messages {
	return messages{
		variables: d.variables,
		noun:      "agents",
		badRequest: fmt.Sprintf("The service may require query parameters for the list of agents, which the API does not document. Set them in %s, "+
			"such as %[1]s = { workspaceId = \"ws_123\" }, according to the service's message above.", queryArgument),
	}
}

func agentSummaryAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the agent."},
		"name":         schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the agent."},
		"icon":         schema.StringAttribute{Computed: true, MarkdownDescription: "Icon of the agent, in an undocumented format."},
		"description":  schema.StringAttribute{Computed: true, MarkdownDescription: "Description of the agent."},
		"url":          schema.StringAttribute{Computed: true, MarkdownDescription: "URL of the agent."},
		"public_id":    schema.StringAttribute{Computed: true, MarkdownDescription: "Public ID of the agent."},
		"is_published": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is published."},
		"published_at": schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was published."},
		"domain_id":    schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the agent's domain."},
		"tags":         schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the agent."},
		"created_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was created."},
		"updated_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was last changed."},
	}
}
