// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// agentsOperation describes "List agents" of the API.
func agentsOperation() operation {
	return operation{
		name:        "agents",
		description: "Lists the agents in the workspace that the token belongs to.",
		arguments:   attributes{"query": queryArgument("Query parameters to send with the request.")},
		fields: attributes{
			"agents": computedObjects("Agents in the workspace, sorted by ID. Any attribute of an agent can be null.", agentSummaryAttributes()),
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
		Optional:    true,
		ElementType: types.StringType,
		MarkdownDescription: description + " The API does not document which parameters it accepts. Keys must not be empty, " +
			"and values must not be null.",
		Validators: []validator.Map{validQuery{}},
	}
}

// validQuery validates query parameters.
type validQuery struct{}

func (validQuery) Description(context.Context) string {
	return "must be query parameters with names and values"
}

func (v validQuery) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (validQuery) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for _, key := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		if key == "" {
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid key in "+req.Path.String(), "The key must not be empty. Set a key, or remove the element.")
		}
		if req.ConfigValue.Elements()[key].IsNull() {
			resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()),
				fmt.Sprintf("The value of %q must not be null. Set a value, or remove the key.", key))
		}
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
		"published_at": computedString(publishedAtDescription),
		"domain_id":    computedString("ID of the agent's domain."),
		"tags":         computedStrings("Tags of the agent."),
		"created_at":   computedString("Time when the agent was created."),
		"updated_at":   computedString("Time when the agent was last changed."),
	}
}

const publishedAtDescription = "Time when the agent was published."
