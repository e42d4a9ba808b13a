// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/api"
)

var _ datasource.DataSourceWithConfigure = (*agentsDataSource)(nil)

// NewAgentsDataSource returns the data source convo_agents.
func NewAgentsDataSource() datasource.DataSource {
	return &agentsDataSource{apiDataSource{name: "agents"}}
}

// agentsDataSource lists agents (listAgents).
type agentsDataSource struct{ apiDataSource }

// agentsModel has the attributes of convo_agents.
type agentsModel struct {
	Query  map[string]string  `tfsdk:"query"`
	Agents []api.AgentSummary `tfsdk:"agents"`
}

func (d *agentsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the agents in a single workspace.",
		Attributes: attributes{
			"query": queryAttribute("Query parameters for the request."),
			"agents": objectsAttribute("Agents that the service lists, sorted by ID. Any attribute of an agent can be null.",
				agentSummaryAttributes()),
		},
	}
}

func (d *agentsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *agentsModel) diag.Diagnostics {
		messages := agentsMessages("query")
		agents, err := d.client.Agents(ctx, model.Query)
		if err != nil {
			return messages.readError(err)
		}
		model.Agents = agents.Elements
		return messages.incompleteList(agents.Doubt)
	})
}

// agentsMessages are those of the list of agents. The argument is the one with its query
// parameters.
func agentsMessages(queryArgument string) operationMessages {
	return operationMessages{
		noun: "agents",
		rejected: fmt.Sprintf("The service may require query parameters for the list of agents, which the API does not document. Set them in %s, "+
			"such as %[1]s = { workspaceId = \"ws_123\" }, according to the service's message above.", queryArgument),
	}
}

func agentSummaryAttributes() attributes {
	return attributes{
		"id":           stringAttribute("ID of the agent."),
		"name":         stringAttribute("Name of the agent."),
		"icon":         stringAttribute("Icon of the agent."),
		"description":  stringAttribute("Description of the agent."),
		"url":          stringAttribute("URL of the agent."),
		"public_id":    stringAttribute("Public ID of the agent."),
		"is_published": boolAttribute("Whether the agent is published."),
		"published_at": stringAttribute("Time when the agent was published."),
		"domain_id":    stringAttribute("ID of the agent's domain."),
		"tags":         stringsAttribute("Tags of the agent, such as `tag_service`."),
		"created_at":   stringAttribute("Time when the agent was created."),
		"updated_at":   stringAttribute("Time when the agent was last changed."),
	}
}
