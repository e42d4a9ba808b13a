// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// attributes keeps the nested schema of the definition readable.
type attributes = map[string]schema.Attribute

// agentQuery stands for "Get agent" of the interface.
func agentQuery() query {
	return query{
		name: "agent",
		noun: "agent",
		description: "Reads the full definition of an agent, and the mode in which the user of the provider's token may use it. " +
			"What the service leaves out or sends as null is null; lists keep the order of the service.",
		arguments: attributes{
			"agent_id": idArgument("Identifier of the agent."),
			"include_definition_json": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to keep the whole definition in `definition_json`, so that fields which this schema " +
					"does not name are in reach too. Default: `false`.",
			},
		},
		idArgument: "agent_id",
		target:     "agent",
		answer: attributes{
			"current_user_mode": computedString("Mode in which the user of the provider's token may use the agent: `guest`, `read` or `write`."),
		},
		envelope:  "agent",
		enveloped: agentAttributes(),
		verbatim:  "definition_json",
		options:   jsonvalue.Options{Required: []string{"agent", "currentUserMode"}},
		request: func(ctx context.Context, client *convo.Client, a arguments) (*convo.Response, error) {
			return client.Agent(ctx, a.text("agent_id"))
		},
	}
}

// agentAttributes are the fields of "Agent (full definition)" in the
// interface, in its order. It leaves open what can be null: all can be here.
func agentAttributes() attributes {
	return attributes{
		"ref": computedObject("What the agent and its definition are known by.", attributes{
			"key":        computedString("Key of the agent."),
			"revision":   computedString("Revision of the definition."),
			"public_key": computedString("Public key of the agent."),
		}),
		"profile": computedObject("How the agent presents itself.", attributes{
			"title":   computedString("Title of the agent."),
			"summary": computedString("Summary of what the agent does."),
			"icon":    computedString("Icon of the agent."),
			"labels":  computedStrings("Labels of the agent, in the order of the service."),
		}),
		"graph": computedObject("The conversation as a graph.", graphAttributes()),
		"canvas": computedObject("How the graph is drawn in the editor.", attributes{
			"appearance_json": computedJSON("Appearance of the canvas."),
			"annotations":     computedObjects("Notes on the canvas, in the order of the service.", annotationAttributes()),
			"preset_id":       computedString("Identifier of the preset that the canvas uses."),
		}),
		"execution": computedObject("How the agent runs.", attributes{
			"rules_json":      computedJSON("Rules of execution."),
			"simulation_json": computedJSON("Settings of simulated runs."),
		}),
		"exposure": computedObject("Who can reach the agent, and where.", exposureAttributes()),
		"tenancy": computedObject("Where the agent belongs.", attributes{
			"workspace_ref": computedString("Reference to the agent's workspace."),
			"domain_ref":    computedString("Reference to the agent's domain."),
			"workspace": computedObject("The agent's workspace, as far as the definition tells.", attributes{
				"is_suspended": computedBool("Whether the workspace is suspended."),
				"is_past_due":  computedBool("Whether a payment of the workspace is past due."),
				"members": computedObjects("Members of the workspace, in the order of the service.", attributes{
					"user_id": computedString("Identifier of the person."),
				}),
				"collaborators_json": computedJSON("Collaborators of the workspace, an array."),
			}),
		}),
		"timestamps": computedObject("When the agent was created and changed.", attributes{
			"created": computedString("When the agent was created: a timestamp, as the service writes it."),
			"updated": computedString("When the agent was last changed: a timestamp, as the service writes it."),
		}),
		"taxonomy": computedObject("How the agent is classified.", attributes{
			"tags": computedObject("Tags of the agent.", attributes{
				"ids":            computedStrings("Identifiers of the tags, in the order of the service."),
				"relations_json": computedJSON("Relations of the tags, an array."),
			}),
		}),
		"safeguards": computedObject("What protects the agent and its users.", attributes{
			"security_json": computedJSON("Security settings."),
			"risk_score":    computedNumber("Risk score of the agent; the interface leaves its range open."),
		}),
		"telemetry": computedObject("How the results of the agent's sessions are displayed.", attributes{
			"tables": computedObject("Columns of the results table.", attributes{
				"order":           computedStrings("Columns in their order."),
				"visibility_json": computedJSON("Which columns are visible."),
				"width_json":      computedJSON("Widths of the columns."),
			}),
		}),
		"integrations": computedObject("Other systems that the agent is connected with.", attributes{
			"messaging": computedObject("Messaging channel.", attributes{
				"credentials_ref": computedString("Reference to the stored credentials of the channel, not the credentials themselves."),
			}),
		}),
	}
}

func graphAttributes() attributes {
	return attributes{
		"links": computedObjects("Links from blocks and their items to groups and their blocks, in the order of the service.", attributes{
			"id": computedString("Identifier of the link."),
			"from": computedObject("Where the link begins.", attributes{
				"block_id": computedString("Identifier of the block."),
				"item_id":  computedString("Identifier of the item in the block."),
			}),
			"to": computedObject("Where the link ends.", attributes{
				"group_id": computedString("Identifier of the group."),
				"block_id": computedString("Identifier of the block in the group."),
			}),
		}),
		"nodes_json": computedJSON("Nodes of the graph, an array."),
		"memory": computedObjects("Variables that the agent remembers, in the order of the service.", attributes{
			"id":                  computedString("Identifier of the variable."),
			"name":                computedString("Name of the variable."),
			"is_session_variable": computedBool("Whether the variable lives with a session."),
			"value":               computedString("Value of the variable; what is not a string arrives as its JSON text."),
		}),
		"entrypoints": computedObjects("Where conversations begin, in the order of the service.", attributes{
			"id": computedString("Identifier of the entry point."),
			"graph_coordinates": computedObject("Position in the graph.", attributes{
				"x": computedNumber("Horizontal position."),
				"y": computedNumber("Vertical position."),
			}),
			"type":             computedString("Kind of the entry point. The interface names `start` and leaves other values open: they arrive as they are."),
			"outgoing_edge_id": computedString("Identifier of the link that leaves the entry point."),
		}),
	}
}

func annotationAttributes() attributes {
	return attributes{
		"id":      computedString("Identifier of the note."),
		"type":    computedString("Kind of the note. The interface names `stickyNote` and leaves other values open: they arrive as they are."),
		"content": computedString("Text of the note."),
		"x":       computedNumber("Horizontal position."),
		"y":       computedNumber("Vertical position."),
		"width":   computedNumber("Width of the note."),
		"height":  computedNumber("Height of the note."),
		"color":   computedString("Color of the note. The interface names `yellow` and leaves other values open: they arrive as they are."),
		"z_index": computedNumber("Stacking order: a note lies above those with a lower number."),
	}
}

func exposureAttributes() attributes {
	return attributes{
		"state": computedObject("State of the agent.", attributes{
			"published": computedBool("Whether the agent is published."),
			"archived":  computedBool("Whether the agent is archived."),
			"locked":    computedBool("Whether the agent is locked."),
		}),
		"schedule": computedObject("When the agent was exposed.", attributes{
			"published_at": computedString("When the agent was published: a timestamp, as the service writes it."),
		}),
		"access": computedObject("Where the agent is reached.", attributes{
			"url":    computedString("Address of the agent."),
			"domain": computedString("Domain of the agent."),
			"share": computedObject("Sharing by link.", attributes{
				"token": schema.StringAttribute{
					Computed:            true,
					Sensitive:           true,
					MarkdownDescription: "Token that gives access to the shared agent.",
				},
				"rules_json": computedJSON("Rules of sharing."),
			}),
		}),
	}
}
