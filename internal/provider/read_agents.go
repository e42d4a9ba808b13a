// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// agentsOperation describes "List agents" of the API.
func agentsOperation() operation {
	return operation{
		name:        "agents",
		description: "Lists the agents of the token's workspace.",
		arguments:   attributes{"query": queryArgument("Query parameters of the request.")},
		fields: attributes{
			"agents": computedObjects("List of agents, sorted by ID.", agentSummaryAttributes()),
		},
		list:   "agents",
		sortBy: []string{"id"},
		request: func(ctx context.Context, client *convo.Client, arguments values) (*convo.Response, error) {
			return client.Agents(ctx, arguments.textMap("query"))
		},
	}
}

// queryArgument is an argument with query parameters of the list of agents.
func queryArgument(description string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description + " The API does not document their names. Keys must not be empty and values must not be null.",
		Validators: []validator.Map{
			mapvalidator.NoNullValues(),
			mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)),
		},
	}
}

// agentSummaryAttributes are the fields of "Agent summary" in the API, which
// does not document which of them can be null: all can be here.
func agentSummaryAttributes() attributes {
	return attributes{
		"id":           computedString("ID of the agent."),
		"name":         computedString("Name of the agent."),
		"icon":         computedString("Icon of the agent."),
		"description":  computedString("Description of the agent."),
		"url":          computedString("URL of the agent."),
		"public_id":    computedString("Public ID of the agent."),
		"is_published": computedBool("Whether the agent is published."),
		"published_at": computedString("Time at which the agent was published. " + timestampNote),
		"domain_id":    computedString("ID of the agent's domain."),
		"tags":         computedStrings("Tags of the agent."),
		"created_at":   computedString("Time at which the agent was created. " + timestampNote),
		"updated_at":   computedString("Time at which the agent was last changed. " + timestampNote),
	}
}
