// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*agentDataSource)(nil)

// NewAgentDataSource returns the data source convo_agent.
func NewAgentDataSource() datasource.DataSource { return &agentDataSource{} }

// agentDataSource reads the full definition of an agent (specification, "Get
// agent").
type agentDataSource struct{ apiDataSource }

func (d *agentDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent"
}

func (d *agentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := agentAttributes()
	attributes["agent_id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: agentIDArgumentDescription,
		Validators:          []validator.String{validID()},
	}
	attributes["query"] = queryAttribute("Query parameters for the request.")
	attributes["include_definition_json"] = schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether to return the entire definition, including undocumented fields, in `definition_json`. Defaults to " +
			"`false`.",
	}
	attributes["current_user_mode"] = schema.StringAttribute{Computed: true, MarkdownDescription: userModeDescription}
	attributes["definition_json"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "Entire definition as compact JSON with sorted keys. The share token is replaced with null. Null unless " +
			"`include_definition_json` is true.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves an agent's definition and the access mode of the token's user.",
		Attributes:          attributes,
	}
}

func (d *agentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var agentID string
	var query map[string]string
	var includeDefinition types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("agent_id"), &agentID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("query"), &query)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("include_definition_json"), &includeDefinition)...)
	if resp.Diagnostics.HasError() || !d.data.ready("Unable to read agent", &resp.Diagnostics) {
		return
	}
	t := agentTarget("agent", agentID)
	agent, err := readAgent(ctx, d.data.client, agentID, query, includeDefinition.ValueBool())
	if err != nil {
		resp.Diagnostics.Append(t.readError(err))
		return
	}
	resp.Diagnostics.Append(agent.warnings(t)...)
	resp.Diagnostics.Append(setState(&resp.State, agent.values)...)
}

// readAgent reads an agent and returns a value for each computed attribute.
func readAgent(ctx context.Context, client *convo.Client, agentID string, query map[string]string, includeDefinition bool) (*result, error) {
	response, err := client.Agent(ctx, agentID, query)
	if err != nil {
		return nil, err
	}
	fieldTypes := map[string]tftypes.Type{"agent": objectType(ctx, agentAttributes()), "current_user_mode": tftypes.String}
	if includeDefinition {
		fieldTypes["agent_json"] = tftypes.String
	}
	fields, _, err := decodeFields(client, response, "agent", fieldTypes)
	if err != nil {
		return nil, err
	}
	agent, err := valueAt[map[string]tftypes.Value](fields["agent"])
	if err != nil {
		return nil, err
	}
	agent["current_user_mode"] = fields["current_user_mode"]
	agent["definition_json"] = tftypes.NewValue(tftypes.String, nil)
	if includeDefinition {
		var text string
		err = fields["agent_json"].As(&text)
		// The only secret that the API names in a definition.
		text = string(jsonvalue.WithNull([]byte(text), "exposure", "access", "share", "token"))
		agent["definition_json"] = tftypes.NewValue(tftypes.String, text)
	}
	return &result{values: agent, missing: missingValues(agent, "current_user_mode")}, err
}

// agentIDArgumentDescription is the description of the arguments that name an
// agent to read.
const agentIDArgumentDescription = "ID of the agent, as listed by `convo_agents`."

const userModeDescription = "Access mode of the token's user for the agent: `guest`, `read`, or `write`."

// agentAttributes are the fields of "Agent (full definition)" in the API, in
// its order. It does not document which can be null: all can be here.
func agentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"ref": objectAttribute("Keys of the agent, and the revision of its definition.", map[string]schema.Attribute{
			"key":        schema.StringAttribute{Computed: true, MarkdownDescription: "Key that identifies the agent."},
			"revision":   schema.StringAttribute{Computed: true, MarkdownDescription: "Revision of the definition."},
			"public_key": schema.StringAttribute{Computed: true, MarkdownDescription: "Public key that identifies the agent. It is not a cryptographic key."},
		}),
		"profile": objectAttribute("Title, summary, icon, and labels of the agent.", map[string]schema.Attribute{
			"title":   schema.StringAttribute{Computed: true, MarkdownDescription: "Title of the agent."},
			"summary": schema.StringAttribute{Computed: true, MarkdownDescription: "Summary of the agent."},
			"icon":    schema.StringAttribute{Computed: true, MarkdownDescription: "Icon of the agent."},
			"labels":  schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Labels of the agent."},
		}),
		"graph": objectAttribute("Conversation flow of the agent, as a graph.", graphAttributes()),
		"canvas": objectAttribute("Appearance of the graph in the editor.", map[string]schema.Attribute{
			"appearance_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Appearance of the canvas, as a JSON object."},
			"annotations": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Sticky notes on the canvas.",
				NestedObject:        schema.NestedAttributeObject{Attributes: annotationAttributes()},
			},
			"preset_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the canvas preset."},
		}),
		"execution": objectAttribute("Rules and simulation settings of the agent.", map[string]schema.Attribute{
			"rules_json":      schema.StringAttribute{Computed: true, MarkdownDescription: "Execution rules, as JSON."},
			"simulation_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Simulation settings, as JSON."},
		}),
		"exposure": objectAttribute("Publication state, publication time, and access settings of the agent.", exposureAttributes()),
		"tenancy": objectAttribute("Workspace and domain that the agent belongs to.", map[string]schema.Attribute{
			"workspace_ref": schema.StringAttribute{Computed: true, MarkdownDescription: "Reference to the agent's workspace."},
			"domain_ref":    schema.StringAttribute{Computed: true, MarkdownDescription: "Reference to the agent's domain."},
			"workspace": objectAttribute("Selected details of the agent's workspace.", map[string]schema.Attribute{
				"is_suspended": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is suspended."},
				"is_past_due":  schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace has a past-due payment."},
				"members": schema.ListNestedAttribute{
					Computed:            true,
					MarkdownDescription: "Members of the workspace.",
					NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
						"user_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the member's user account."},
					}},
				},
				"collaborators_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Collaborators of the workspace, as a JSON array."},
			}),
		}),
		"timestamps": objectAttribute("Times when the agent was created and last changed.", map[string]schema.Attribute{
			"created": schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was created."},
			"updated": schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was last changed."},
		}),
		"taxonomy": objectAttribute("Tags of the agent, and their relations.", map[string]schema.Attribute{
			"tags": objectAttribute("Tags of the agent.", map[string]schema.Attribute{
				"ids":            schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "IDs of the tags."},
				"relations_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Relations of the tags, as a JSON array."},
			}),
		}),
		"safeguards": objectAttribute("Security settings and risk score of the agent.", map[string]schema.Attribute{
			"security_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Security settings, as JSON."},
			"risk_score":    schema.NumberAttribute{Computed: true, MarkdownDescription: "Risk score of the agent."},
		}),
		"telemetry": objectAttribute("Display settings for the table of session results.", map[string]schema.Attribute{
			"tables": objectAttribute("Order, visibility, and widths of the table's columns.", map[string]schema.Attribute{
				"order":           schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Order of the columns."},
				"visibility_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Visibility of the columns, as a JSON object."},
				"width_json":      schema.StringAttribute{Computed: true, MarkdownDescription: "Widths of the columns, as a JSON object."},
			}),
		}),
		"integrations": objectAttribute("Integration settings of the agent.", map[string]schema.Attribute{
			"messaging": objectAttribute("Integration with a messaging channel.", map[string]schema.Attribute{
				"credentials_ref": schema.StringAttribute{Computed: true, MarkdownDescription: "Reference to the channel's stored credentials. It does not contain the credentials."},
			}),
		}),
	}
}

// objectAttribute returns the attribute of an object that the API returns.
func objectAttribute(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: attributes}
}

func graphAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"links": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Links from an entry point, a block, or an item in a block to a group or a block in a group.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the link."},
				"from": objectAttribute("Source of the link.", map[string]schema.Attribute{
					"block_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the block where the link starts, or of another element, such as an entry point. Can be null."},
					"item_id":  schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the item where the link starts, if any."},
				}),
				"to": objectAttribute("Target of the link.", map[string]schema.Attribute{
					"group_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the group."},
					"block_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the block in the group, if any."},
				}),
			}},
		},
		"nodes_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Nodes of the graph, as a JSON array."},
		"memory": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Variables of the agent.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id":                  schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the variable."},
				"name":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the variable."},
				"is_session_variable": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the variable is a session variable."},
				"value":               schema.StringAttribute{Computed: true, MarkdownDescription: "Value of the variable. A value that is not a string is returned as JSON."},
			}},
		},
		"entrypoints": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Entry points of the conversation flow.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the entry point."},
				"graph_coordinates": objectAttribute("Position of the entry point in the graph.", map[string]schema.Attribute{
					"x": schema.NumberAttribute{Computed: true, MarkdownDescription: "Horizontal position."},
					"y": schema.NumberAttribute{Computed: true, MarkdownDescription: "Vertical position."},
				}),
				"type":             schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the entry point. The API documents only `start`."},
				"outgoing_edge_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the link (edge) that starts at the entry point."},
			}},
		},
	}
}

func annotationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":      schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the note."},
		"type":    schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the note. The API documents only `stickyNote`."},
		"content": schema.StringAttribute{Computed: true, MarkdownDescription: "Text of the note."},
		"x":       schema.NumberAttribute{Computed: true, MarkdownDescription: "Horizontal position."},
		"y":       schema.NumberAttribute{Computed: true, MarkdownDescription: "Vertical position."},
		"width":   schema.NumberAttribute{Computed: true, MarkdownDescription: "Width of the note."},
		"height":  schema.NumberAttribute{Computed: true, MarkdownDescription: "Height of the note."},
		"color":   schema.StringAttribute{Computed: true, MarkdownDescription: "Color of the note. The API documents only `yellow`."},
		"z_index": schema.NumberAttribute{Computed: true, MarkdownDescription: "Stacking order of the note."},
	}
}

func exposureAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"state": objectAttribute("Whether the agent is published, archived, or locked.", map[string]schema.Attribute{
			"published": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is published."},
			"archived":  schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is archived."},
			"locked":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the agent is locked."},
		}),
		"schedule": objectAttribute("Publication time of the agent.", map[string]schema.Attribute{
			"published_at": schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the agent was published."},
		}),
		"access": objectAttribute("URL, domain, and link-sharing settings of the agent.", map[string]schema.Attribute{
			"url":    schema.StringAttribute{Computed: true, MarkdownDescription: "URL of the agent."},
			"domain": schema.StringAttribute{Computed: true, MarkdownDescription: "Domain of the agent."},
			"share": objectAttribute("Link-sharing settings of the agent.", map[string]schema.Attribute{
				"token": schema.StringAttribute{
					Computed:            true,
					Sensitive:           true,
					MarkdownDescription: "Token of the agent's share link.",
				},
				"rules_json": schema.StringAttribute{Computed: true, MarkdownDescription: "Sharing rules, as JSON."},
			}),
		}),
	}
}
