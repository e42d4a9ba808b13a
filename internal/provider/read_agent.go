// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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
		description: "Retrieves the definition of an agent, and the access mode of the token's user.",
		arguments: attributes{
			"agent_id": idArgument("ID of the agent."),
			"include_definition_json": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to return the whole definition, including undocumented fields, as `definition_json`. Defaults to " +
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
		documentDescription: "Whole definition as compact JSON with sorted keys, in which the share token is null. Null unless " +
			"`include_definition_json` is true.",
		options: jsonvalue.Options{
			Required: []string{"agent", "currentUserMode"},
			Withheld: []string{shareTokenPath},
		},
		request: byID("agent_id", (*convo.Client).Agent),
	}
}

const userModeDescription = "Access mode of the token's user on the agent: `guest`, `read` or `write`."

// agentAttributes are the fields of "Agent (full definition)" in the API, in
// its order. It does not document which can be null: all can be here.
func agentAttributes() attributes {
	return attributes{
		"ref": computedObject("Keys of the agent and its definition.", attributes{
			"key":        computedString("Key of the agent."),
			"revision":   computedString("Revision of the definition."),
			"public_key": computedString("Public key of the agent."),
		}),
		"profile": computedObject("Presentation of the agent.", attributes{
			"title":   computedString("Title of the agent."),
			"summary": computedString("Summary of the agent."),
			"icon":    computedString("Icon of the agent."),
			"labels":  computedStrings("Labels of the agent."),
		}),
		"graph": computedObject("Conversation of the agent as a graph.", graphAttributes()),
		"canvas": computedObject("Appearance of the graph in the editor.", attributes{
			"appearance_json": computedJSON("Appearance of the canvas."),
			"annotations":     computedObjects("Notes on the canvas.", annotationAttributes()),
			"preset_id":       computedString("ID of the canvas's preset."),
		}),
		"execution": computedObject("Execution settings of the agent.", attributes{
			"rules_json":      computedJSON("Execution rules."),
			"simulation_json": computedJSON("Settings for simulated runs."),
		}),
		"exposure": computedObject("Publication state of the agent and access to it.", exposureAttributes()),
		"tenancy": computedObject("Workspace and domain of the agent.", attributes{
			"workspace_ref": computedString("Reference to the agent's workspace."),
			"domain_ref":    computedString("Reference to the agent's domain."),
			"workspace": computedObject("Extract of the agent's workspace.", attributes{
				"is_suspended": computedBool("Whether the workspace is suspended."),
				"is_past_due":  computedBool("Whether a payment of the workspace is past due."),
				"members": computedObjects("Members of the workspace.", attributes{
					"user_id": computedString("ID of the user."),
				}),
				"collaborators_json": computedJSON("Collaborators of the workspace, an array."),
			}),
		}),
		"timestamps": computedObject("Timestamps of the agent.", attributes{
			"created": computedString("Time at which the agent was created. " + timestampNote),
			"updated": computedString("Time at which the agent was last changed. " + timestampNote),
		}),
		"taxonomy": computedObject("Classification of the agent.", attributes{
			"tags": computedObject("Tags of the agent.", attributes{
				"ids":            computedStrings("IDs of the tags."),
				"relations_json": computedJSON("Relations of the tags, an array."),
			}),
		}),
		"safeguards": computedObject("Security settings of the agent.", attributes{
			"security_json": computedJSON("Security settings."),
			"risk_score":    computedNumber(riskScoreDescription),
		}),
		"telemetry": computedObject("Display of session results.", attributes{
			"tables": computedObject("Columns of the results table.", attributes{
				"order":           computedStrings("Order of the columns."),
				"visibility_json": computedJSON("Visibility of the columns."),
				"width_json":      computedJSON("Widths of the columns."),
			}),
		}),
		"integrations": computedObject("Integrations of the agent.", attributes{
			"messaging": computedObject("Messaging channel.", attributes{
				"credentials_ref": computedString("Reference to the channel's stored credentials. It does not contain the credentials."),
			}),
		}),
	}
}

const riskScoreDescription = "Risk score of the agent. The API does not document its range."

func graphAttributes() attributes {
	return attributes{
		"links": computedObjects("Links from blocks and their items to groups and their blocks.", attributes{
			"id": computedString("ID of the link."),
			"from": computedObject("Source of the link.", attributes{
				"block_id": computedString("ID of the block."),
				"item_id":  computedString("ID of the item in the block."),
			}),
			"to": computedObject("Target of the link.", attributes{
				"group_id": computedString("ID of the group."),
				"block_id": computedString("ID of the block in the group."),
			}),
		}),
		"nodes_json": computedJSON("Nodes of the graph, an array."),
		"memory": computedObjects("Variables of the agent.", attributes{
			"id":                  computedString("ID of the variable."),
			"name":                computedString("Name of the variable."),
			"is_session_variable": computedBool("Whether the variable belongs to a session."),
			"value":               computedString("Value of the variable. A value that is not a string is returned as JSON text."),
		}),
		"entrypoints": computedObjects("Entry points of the conversation.", attributes{
			"id": computedString("ID of the entry point."),
			"graph_coordinates": computedObject("Position in the graph.", attributes{
				"x": computedNumber("Horizontal position."),
				"y": computedNumber("Vertical position."),
			}),
			"type":             computedString("Type of the entry point. The API documents the value `start` only. Other values are returned unchanged."),
			"outgoing_edge_id": computedString("ID of the link that leaves the entry point."),
		}),
	}
}

func annotationAttributes() attributes {
	return attributes{
		"id":      computedString("ID of the note."),
		"type":    computedString("Type of the note. The API documents the value `stickyNote` only. Other values are returned unchanged."),
		"content": computedString("Text of the note."),
		"x":       computedNumber("Horizontal position."),
		"y":       computedNumber("Vertical position."),
		"width":   computedNumber("Width of the note."),
		"height":  computedNumber("Height of the note."),
		"color":   computedString("Color of the note. The API documents the value `yellow` only. Other values are returned unchanged."),
		"z_index": computedNumber("Stacking order of the note. A note covers those with a lower number."),
	}
}

func exposureAttributes() attributes {
	return attributes{
		"state": computedObject("State of the agent.", attributes{
			"published": computedBool("Whether the agent is published."),
			"archived":  computedBool("Whether the agent is archived."),
			"locked":    computedBool("Whether the agent is locked."),
		}),
		"schedule": computedObject("Publication schedule of the agent.", attributes{
			"published_at": computedString("Time at which the agent was published. " + timestampNote),
		}),
		"access": computedObject("Access to the agent.", attributes{
			"url":    computedString("URL of the agent."),
			"domain": computedString("Domain of the agent."),
			"share": computedObject("Access to the agent by link.", attributes{
				"token": schema.StringAttribute{
					Computed:            true,
					Sensitive:           true,
					MarkdownDescription: "Token that grants access to the shared agent.",
				},
				"rules_json": computedJSON("Rules of sharing."),
			}),
		}),
	}
}
