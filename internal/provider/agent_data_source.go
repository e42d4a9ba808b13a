// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/text/unicode/norm"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/definition"
)

var _ datasource.DataSourceWithConfigure = (*agentDataSource)(nil)

// NewAgentDataSource returns the data source convo_agent.
func NewAgentDataSource() datasource.DataSource {
	return &agentDataSource{apiDataSource{name: "agent"}}
}

// agentDataSource reads the full definition of an agent (getAgent).
type agentDataSource struct{ apiDataSource }

// agentModel has the attributes of convo_agent.
type agentModel struct {
	AgentID               *string           `tfsdk:"agent_id"`
	Name                  *string           `tfsdk:"name"`
	Query                 map[string]string `tfsdk:"query"`
	IncludeDefinitionJSON *bool             `tfsdk:"include_definition_json"`
	CurrentUserMode       *string           `tfsdk:"current_user_mode"`
	DefinitionJSON        *string           `tfsdk:"definition_json"`
	api.Agent
}

func (d *agentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := agentAttributes()
	all["agent_id"] = schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: "ID of the agent, as listed by `convo_agents`. Exactly one of `agent_id` and `name` must be set. Returned if `name` is set.",
		Validators:          []validator.String{checkFunc(checkID), stringvalidator.ExactlyOneOf(path.MatchRoot("agent_id"), path.MatchRoot("name"))},
	}
	all["name"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Name of the agent, as listed by `convo_agents`. The read fails unless exactly one agent has this name.",
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	query := queryAttribute("Query parameters for the list of agents.")
	query.MarkdownDescription += " Requires `name`."
	query.Validators = append(query.Validators, mapvalidator.AlsoRequires(path.MatchRoot("name")))
	all["query"] = query
	all["include_definition_json"] = schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether to return the entire definition, including undocumented fields, in `definition_json`. Defaults to " +
			"`false`.",
	}
	all["current_user_mode"] = stringAttribute("Token owner's access mode for the agent: `guest`, `read`, or `write`.")
	all["definition_json"] = stringAttribute("Entire definition as JSON. The share token is replaced with null. Null unless " +
		"`include_definition_json` is true.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves an agent's settings and conversation flow.",
		Attributes:          all,
	}
}

func (d *agentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *agentModel) diag.Diagnostics {
		if model.Name != nil {
			var diags diag.Diagnostics
			model.AgentID = d.findAgent(ctx, *model.Name, model.Query, &diags)
			if model.AgentID == nil {
				return diags
			}
		}
		messages := agentMessages("agent", *model.AgentID)
		if err := model.readDefinition(ctx, d.client); err != nil {
			return messages.readError(err)
		}
		if model.CurrentUserMode == nil {
			return messages.missingValues([]string{"currentUserMode"})
		}
		return nil
	})
}

// findAgent returns the ID of the only agent in the list that has a name. Otherwise, it
// returns nil and adds an error.
func (d *agentDataSource) findAgent(ctx context.Context, name string, query map[string]string, diags *diag.Diagnostics) *string {
	listed, err := d.client.Agents(ctx, query)
	if err != nil {
		diags.Append(agentsMessages("query").readError(err)...)
		return nil
	}
	var ids []string
	for _, agent := range listed.Elements {
		if norm.NFC.String(api.ValueOf(agent.Name)) == name { // Terraform writes the name in this form.
			ids = append(ids, api.ValueOf(agent.ID))
		}
	}
	var problem string
	switch {
	case listed.Doubt != "":
		problem = "The list of agents may be incomplete, so that the name may not be unique. " + listed.Doubt
	case len(ids) == 0:
		problem = fmt.Sprintf("None of the %d agents that the service lists has the name %q. Names must match exactly, also in letter case. If the agent "+
			"is in another workspace, use a token for that workspace, or set query.", len(listed.Elements), name)
	case len(ids) > 1:
		problem = fmt.Sprintf("The name %q is not unique. The agents with these IDs have it: %s.", name, strings.Join(ids, ", "))
	case ids[0] == "":
		problem = fmt.Sprintf("The service lists the agent with the name %q without an ID.", name)
	default:
		return &ids[0]
	}
	diags.AddAttributeError(path.Root("name"), "Unable to find agent", problem+"\n\nTo select the agent by its ID, set agent_id instead of name.")
	return nil
}

// readDefinition reads the agent and sets the computed attributes.
func (m *agentModel) readDefinition(ctx context.Context, client *convo.Client) error {
	response, err := client.Agent(ctx, *m.AgentID)
	if err != nil {
		return err
	}
	var body struct {
		Agent           *api.Agent `json:"agent" required:"true"`
		CurrentUserMode *string    `json:"currentUserMode"`
	}
	if err := response.Decode(&body); err != nil {
		return err
	}
	m.Agent, m.CurrentUserMode = *body.Agent, body.CurrentUserMode
	if !api.ValueOf(m.IncludeDefinitionJSON) {
		return nil
	}
	whole, err := definition.InResponse(response.Body)
	m.DefinitionJSON = new(whole.JSON())
	return err
}

func agentAttributes() attributes {
	return attributes{
		"ref": objectAttribute("Keys and revision of the agent.", attributes{
			"key":        stringAttribute("Key of the agent, which is usually its ID."),
			"revision":   stringAttribute("Revision of the definition."),
			"public_key": stringAttribute("Public ID of the agent."),
		}),
		"profile": objectAttribute("Title, summary, icon, and labels.", attributes{
			"title":   stringAttribute("Title of the agent."),
			"summary": stringAttribute("Summary of the agent."),
			"icon":    stringAttribute("Icon of the agent."),
			"labels":  stringsAttribute("Labels of the agent."),
		}),
		"graph": objectAttribute("Conversation flow, as a graph.", graphAttributes()),
		"canvas": objectAttribute("Appearance of the graph in the editor.", attributes{
			"appearance_json": stringAttribute("Appearance, as a JSON object."),
			"annotations":     objectsAttribute("Sticky notes on the canvas.", annotationAttributes()),
			"preset_id":       stringAttribute("ID of the canvas preset."),
		}),
		"execution": objectAttribute("Rules and simulation settings.", attributes{
			"rules_json":      stringAttribute("Execution rules, as JSON."),
			"simulation_json": stringAttribute("Simulation settings, as JSON."),
		}),
		"exposure": objectAttribute("Publication and access settings.", exposureAttributes()),
		"tenancy": objectAttribute("Workspace and domain of the agent.", attributes{
			"workspace_ref": stringAttribute("Reference to the agent's workspace."),
			"domain_ref":    stringAttribute("Reference to the agent's domain."),
			"workspace": objectAttribute("Details of the workspace.", attributes{
				"is_suspended": boolAttribute("Whether the workspace is suspended."),
				"is_past_due":  boolAttribute("Whether the workspace has a past-due payment."),
				"members": objectsAttribute("Members of the workspace.", attributes{
					"user_id": stringAttribute("ID of the member's user account."),
				}),
				"collaborators_json": stringAttribute("Collaborators, as a JSON array."),
			}),
		}),
		"timestamps": objectAttribute("Times of creation and the last change.", attributes{
			"created": stringAttribute("Time when the agent was created."),
			"updated": stringAttribute("Time when the agent was last changed."),
		}),
		"taxonomy": objectAttribute("Tags and their relations.", attributes{
			"tags": objectAttribute("Tags.", attributes{
				"ids":            stringsAttribute("IDs of the tags."),
				"relations_json": stringAttribute("Relations of the tags, as a JSON array."),
			}),
		}),
		"safeguards": objectAttribute("Security settings and risk score.", attributes{
			"security_json": stringAttribute("Security settings, as JSON."),
			"risk_score":    numberAttribute("Risk score of the agent, such as `21.25`."),
		}),
		"telemetry": objectAttribute("Display settings for the table of session results.", attributes{
			"tables": objectAttribute("Columns of the table.", attributes{
				"order":           stringsAttribute("Order of the columns."),
				"visibility_json": stringAttribute("Visibility of the columns, as a JSON object."),
				"width_json":      stringAttribute("Widths of the columns, as a JSON object."),
			}),
		}),
		"integrations": objectAttribute("Integration settings.", attributes{
			"messaging": objectAttribute("Messaging channel.", attributes{
				"credentials_ref": stringAttribute("Reference to the stored credentials of a messaging channel."),
			}),
		}),
	}
}

func graphAttributes() attributes {
	return attributes{
		"links": objectsAttribute("Links to nodes and blocks.", attributes{
			"id": stringAttribute("ID of the link."),
			"from": objectAttribute("Source of the link.", attributes{
				"block_id": stringAttribute("ID of the block or entry point."),
				"item_id":  stringAttribute("ID of the item, if any."),
			}),
			"to": objectAttribute("Target of the link.", attributes{
				"group_id": stringAttribute("ID of the node."),
				"block_id": stringAttribute("ID of the block, if any."),
			}),
		}),
		"nodes_json": stringAttribute("Nodes, as a JSON array."),
		"memory": objectsAttribute("Variables of the agent.", attributes{
			"id":                  stringAttribute("ID of the variable."),
			"name":                stringAttribute("Name of the variable."),
			"is_session_variable": boolAttribute("Whether the variable is a session variable."),
			"value":               stringAttribute("Value of the variable. Numbers, lists, and other values that are not strings are encoded as JSON."),
		}),
		"entrypoints": objectsAttribute("Entry points.", attributes{
			"id": stringAttribute("ID of the entry point."),
			"graph_coordinates": objectAttribute("Position.", attributes{
				"x": numberAttribute("Horizontal position."),
				"y": numberAttribute("Vertical position."),
			}),
			"type":             stringAttribute("Type of the entry point, such as `start`."),
			"outgoing_edge_id": stringAttribute("ID of the link."),
		}),
	}
}

func annotationAttributes() attributes {
	return attributes{
		"id":      stringAttribute("ID of the note."),
		"type":    stringAttribute("Type of the note."),
		"content": stringAttribute("Text of the note."),
		"x":       numberAttribute("Horizontal position."),
		"y":       numberAttribute("Vertical position."),
		"width":   numberAttribute("Width of the note."),
		"height":  numberAttribute("Height of the note."),
		"color":   stringAttribute("Color of the note."),
		"z_index": numberAttribute("Stacking order of the note."),
	}
}

func exposureAttributes() attributes {
	return attributes{
		"state": objectAttribute("State of the agent.", attributes{
			"published": boolAttribute("Whether the agent is published."),
			"archived":  boolAttribute("Whether the agent is archived."),
			"locked":    boolAttribute("Whether the agent is locked."),
		}),
		"schedule": objectAttribute("Publication time.", attributes{
			"published_at": stringAttribute("Time when the agent was published."),
		}),
		"access": objectAttribute("Access settings.", attributes{
			"url":    stringAttribute("URL of the agent."),
			"domain": stringAttribute("Domain of the agent."),
			"share": objectAttribute("Link-sharing settings.", attributes{
				"token": schema.StringAttribute{
					Computed:            true,
					Sensitive:           true,
					MarkdownDescription: "Share token.",
				},
				"rules_json": stringAttribute("Sharing rules, as JSON."),
			}),
		}),
	}
}
