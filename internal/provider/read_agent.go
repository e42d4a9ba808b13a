// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// shareTokenPath is the place of the only secret that the API names in a
// definition.
const shareTokenPath = "agent.exposure.access.share.token"

// agentOperation describes "Get agent" of the API.
func agentOperation() operation {
	return operation{
		name:        "agent",
		description: "Retrieves an agent's definition and the access mode that the token's user has for the agent.",
		arguments: attributes{
			"agent_id": idArgument("ID of the agent, as listed by `convo_agents`."),
			"include_definition_json": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to return the entire definition, including undocumented fields, in `definition_json`. Defaults to " +
					"`false`.",
			},
		},
		idArgument: "agent_id",
		fields: attributes{
			"current_user_mode": computedString(userModeDescription),
		},
		object:       "agent",
		objectFields: agentAttributes(),
		document:     "definition_json",
		documentDescription: "Entire definition as compact JSON with sorted keys. The share token is replaced with null. This attribute " +
			"is null unless `include_definition_json` is true.",
		options: jsonvalue.Options{
			Required: []string{"agent", "currentUserMode"},
			Withheld: []string{shareTokenPath},
		},
		request: byID("agent_id", func(client *convo.Client, ctx context.Context, id string) (*convo.Response, error) {
			return client.Agent(ctx, id, nil)
		}),
	}
}

const userModeDescription = "Access mode that the token's user has for the agent: `guest`, `read`, or `write`."

// agentAttributes are the fields of "Agent (full definition)" in the API, in
// its order. It does not document which can be null: all can be here.
func agentAttributes() attributes {
	return attributes{
		"ref": computedObject("Identifiers of the agent, and the revision of its definition.", attributes{
			"key":        computedString("Key that identifies the agent."),
			"revision":   computedString("Revision of the definition."),
			"public_key": computedString("Public key that identifies the agent. It is not a cryptographic key."),
		}),
		"profile": computedObject("Title, summary, icon, and labels of the agent.", attributes{
			"title":   computedString("Title of the agent."),
			"summary": computedString("Summary of the agent."),
			"icon":    computedString("Icon of the agent."),
			"labels":  computedStrings("Labels of the agent."),
		}),
		"graph": computedObject("Conversation flow of the agent, as a graph.", graphAttributes()),
		"canvas": computedObject("Appearance of the graph in the editor.", attributes{
			"appearance_json": computedString("Appearance of the canvas, as a JSON object."),
			"annotations":     computedObjects("Sticky notes on the canvas.", annotationAttributes()),
			"preset_id":       computedString("ID of the canvas preset."),
		}),
		"execution": computedObject("Rules and simulation settings of the agent.", attributes{
			"rules_json":      computedString("Execution rules, as JSON."),
			"simulation_json": computedString("Simulation settings, as JSON."),
		}),
		"exposure": computedObject("Publication state, publication time, and access settings of the agent.", exposureAttributes()),
		"tenancy": computedObject("Workspace and domain that the agent belongs to.", attributes{
			"workspace_ref": computedString(workspaceRefDescription),
			"domain_ref":    computedString("Reference to the agent's domain."),
			"workspace": computedObject("Selected details of the agent's workspace.", attributes{
				"is_suspended": computedBool("Whether the workspace is suspended."),
				"is_past_due":  computedBool("Whether the workspace has a past-due payment."),
				"members": computedObjects("Members of the workspace.", attributes{
					"user_id": computedString("ID of the member's user account."),
				}),
				"collaborators_json": computedString("Collaborators of the workspace, as a JSON array."),
			}),
		}),
		"timestamps": computedObject("Times when the agent was created and last changed.", attributes{
			"created": computedString("Time when the agent was created."),
			"updated": computedString("Time when the agent was last changed."),
		}),
		"taxonomy": computedObject("Tags of the agent, and their relations.", attributes{
			"tags": computedObject("Tags of the agent.", attributes{
				"ids":            computedStrings("IDs of the tags."),
				"relations_json": computedString("Relations of the tags, as a JSON array."),
			}),
		}),
		"safeguards": computedObject("Security settings and risk score of the agent.", attributes{
			"security_json": computedString("Security settings, as JSON."),
			"risk_score":    computedNumber(riskScoreDescription),
		}),
		"telemetry": computedObject("Display settings for the table of session results.", attributes{
			"tables": computedObject("Order, visibility, and widths of the table's columns.", attributes{
				"order":           computedStrings("Order of the columns."),
				"visibility_json": computedString("Visibility of the columns, as a JSON object."),
				"width_json":      computedString("Widths of the columns, as a JSON object."),
			}),
		}),
		"integrations": computedObject("Integration settings of the agent.", attributes{
			"messaging": computedObject("Integration with a messaging channel.", attributes{
				"credentials_ref": computedString("Reference to the channel's stored credentials. It does not contain the credentials."),
			}),
		}),
	}
}

const workspaceRefDescription = "Reference to the agent's workspace."

const riskScoreDescription = "Risk score of the agent."

func graphAttributes() attributes {
	return attributes{
		"links": computedObjects("Links of the graph. Each link starts at an entry point, a block, or an item in a block, and leads to a "+
			"group or to a block in a group.", attributes{
			"id": computedString("ID of the link."),
			"from": computedObject("Source of the link.", attributes{
				"block_id": computedString("ID of the block or, if the link starts at an entry point, of the entry point."),
				"item_id":  computedString("ID of the item in the block, if the link starts at an item."),
			}),
			"to": computedObject("Target of the link.", attributes{
				"group_id": computedString("ID of the group."),
				"block_id": computedString("ID of the block in the group, if the link leads to a block."),
			}),
		}),
		"nodes_json": computedString("Nodes of the graph, as a JSON array."),
		"memory": computedObjects("Variables of the agent.", attributes{
			"id":                  computedString("ID of the variable."),
			"name":                computedString("Name of the variable."),
			"is_session_variable": computedBool("Whether the variable is a session variable."),
			"value":               computedString("Value of the variable. A value that is not a string is returned as JSON."),
		}),
		"entrypoints": computedObjects("Entry points of the conversation flow.", attributes{
			"id": computedString("ID of the entry point."),
			"graph_coordinates": computedObject("Position of the entry point in the graph.", attributes{
				"x": computedNumber("Horizontal position."),
				"y": computedNumber("Vertical position."),
			}),
			"type":             computedString("Type of the entry point. The API documents only the value `start`."),
			"outgoing_edge_id": computedString("ID of the link (edge) that starts at the entry point."),
		}),
	}
}

func annotationAttributes() attributes {
	return attributes{
		"id":      computedString("ID of the note."),
		"type":    computedString("Type of the note. The API documents only the value `stickyNote`."),
		"content": computedString("Text of the note."),
		"x":       computedNumber("Horizontal position."),
		"y":       computedNumber("Vertical position."),
		"width":   computedNumber("Width of the note."),
		"height":  computedNumber("Height of the note."),
		"color":   computedString("Color of the note. The API documents only the value `yellow`."),
		"z_index": computedNumber("Stacking order of the note. A note covers notes that have lower numbers."),
	}
}

func exposureAttributes() attributes {
	return attributes{
		"state": computedObject("Whether the agent is published, archived, or locked.", attributes{
			"published": computedBool("Whether the agent is published."),
			"archived":  computedBool("Whether the agent is archived."),
			"locked":    computedBool("Whether the agent is locked."),
		}),
		"schedule": computedObject("Publication time of the agent.", attributes{
			"published_at": computedString(publishedAtDescription),
		}),
		"access": computedObject("URL, domain, and link-sharing settings of the agent.", attributes{
			"url":    computedString("URL of the agent."),
			"domain": computedString("Domain of the agent."),
			"share": computedObject("Link-sharing settings of the agent.", attributes{
				"token": schema.StringAttribute{
					Computed:            true,
					Sensitive:           true,
					MarkdownDescription: "Token that grants access to the agent through its share link.",
				},
				"rules_json": computedString("Sharing rules, as JSON."),
			}),
		}),
	}
}
