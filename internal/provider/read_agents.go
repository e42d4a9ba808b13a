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
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// agentsQuery stands for "List agents" of the interface.
func agentsQuery() query {
	return query{
		name:        "agents",
		noun:        "agents",
		description: "Lists the agents of the workspace that the provider's token belongs to.",
		arguments: map[string]schema.Attribute{
			"query": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Query parameters to send with the request. The interface says that there are some, but " +
					"leaves their names open: they are passed on as they are.",
				Validators: []validator.Map{
					mapvalidator.NoNullValues(),
					mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)),
				},
			},
		},
		answer: map[string]schema.Attribute{
			"agents": computedObjects("The agents, sorted by id, because the interface promises no order.",
				agentSummaryAttributes()),
		},
		options: jsonvalue.Options{
			Required: []string{"agents"},
			SortBy:   map[string][]string{"agents": {"id"}},
		},
		request: func(ctx context.Context, client *convo.Client, a arguments) (*convo.Response, error) {
			return client.Agents(ctx, a.textMap("query"))
		},
	}
}

// agentSummaryAttributes are the fields of "Agent summary" in the interface,
// which leaves open which of them can be null: all can be here.
func agentSummaryAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":           computedString("Identifier of the agent."),
		"name":         computedString("Name of the agent."),
		"icon":         computedString("Icon of the agent."),
		"description":  computedString("Description of the agent."),
		"url":          computedString("Address at which the agent can be reached."),
		"public_id":    computedString("Public identifier of the agent."),
		"is_published": computedBool("Whether the agent is published."),
		"published_at": computedString("When the agent was published: a timestamp, as the service writes it."),
		"domain_id":    computedString("Identifier of the agent's domain."),
		"tags":         computedStrings("Tags of the agent, in the order of the service."),
		"created_at":   computedString("When the agent was created: a timestamp, as the service writes it."),
		"updated_at":   computedString("When the agent was last changed: a timestamp, as the service writes it."),
	}
}
