// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/collect"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*workspaceAuditDataSource)(nil)

// NewWorkspaceAuditDataSource returns the data source convo_workspace_audit.
func NewWorkspaceAuditDataSource() datasource.DataSource {
	return &workspaceAuditDataSource{apiDataSource{name: "workspace_audit"}}
}

// workspaceAuditDataSource reads a workspace with its members and agents, and
// each agent's definition and statistics, in one data source, because
// Terraform's own time for a plan grows with the square of the number of data
// source instances.
//
// The structure of its result is for expressions and differs from the API.
// Agents are flat, and their lists and maps are never null.
type workspaceAuditDataSource struct{ apiDataSource }

func (d *workspaceAuditDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves a workspace, its members, and its agents at once.",
		Attributes: attributes{
			"workspace_id": workspaceIDAttribute(),
			"agent_query":  queryAttribute("Query parameters for the request that lists the agents."),
			// A list, because the framework compares each pair of a set's elements.
			"agent_ids": schema.ListAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "IDs of the agents to audit. If the service does not list one of them, the read fails. Defaults to all listed agents.",
				Validators:          []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(checkFunc(checkID))},
			},
			"stats_periods": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Periods for which to read statistics, with one request per agent and period. Each must be a `period` of " +
					"`convo_agent_stats`. By default, no statistics are read.",
				Validators: []validator.Set{
					setvalidator.NoNullValues(), setvalidator.ValueStringsAre(stringvalidator.OneOf(convo.StatsPeriods...)),
				},
			},
			"definitions": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to read the agents' definitions, with one request per agent. Without them, agents have only `stats` and the " +
					"attributes of `convo_agents`. Defaults to `true`.",
			},
			"include_graph_findings": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to list likely mistakes in conversation flows. Conflicts with `definitions = false`. Defaults to " +
					"`false`.",
				Validators: []validator.Bool{requiresDefinitions{}},
			},
			"read_at":        stringAttribute("Time when the audit began. Changes in every plan."),
			"workspace":      objectAttribute("Details of the workspace.", workspaceAttributes()),
			"members":        membersAttribute(),
			"emails_by_role": emailsByRoleAttribute(),
			"agents": schema.MapNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Audited agents, by ID. Any attribute of an agent can be null, except lists and maps.",
				NestedObject:        schema.NestedAttributeObject{Attributes: auditedAgentAttributes()},
			},
			"problems":    objectsAttribute("Problems of the audit, sorted by agent and operation.", problemAttributes()),
			"is_complete": boolAttribute("Whether everything that was requested was read completely."),
		},
	}
}

func (d *workspaceAuditDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *audit.Audit) diag.Diagnostics {
		// Terraform shows no progress of data sources.
		err := collect.Audit(ctx, d.client, model, func(done, total int) {
			tflog.Info(ctx, fmt.Sprintf("Auditing agents: %d of %d reads done", done, total))
		})
		if err != nil {
			return auditError(model.WorkspaceID, err)
		}
		return auditWarnings(model)
	})
}

// auditedAgentAttributes are the fields of an agent summary, the parts of the
// definition, and the other values of an agent.
func auditedAgentAttributes() attributes {
	all := agentSummaryAttributes()
	maps.Copy(all, attributes{
		"is_archived":        boolAttribute("Whether the agent is archived."),
		"is_locked":          boolAttribute("Whether the agent is locked."),
		"revision":           stringAttribute("Revision of the definition."),
		"labels":             stringsAttribute("Labels of the agent."),
		"domain":             stringAttribute("Domain of the agent."),
		"is_shared":          boolAttribute("Whether the agent has a share link."),
		"share_rules_json":   stringAttribute("Sharing rules, as JSON."),
		"collaborators_json": stringAttribute("Collaborators, as a JSON array."),
		"security_json":      stringAttribute("Security settings, as JSON."),
		"risk_score":         numberAttribute("Risk score of the agent, such as `21.25`."),
		"workspace_ref":      stringAttribute("Reference to the agent's workspace."),
		"current_user_mode":  stringAttribute("Token owner's access mode for the agent: `guest`, `read`, or `write`."),
		"credentials_ref":    stringAttribute("Reference to the stored credentials of a messaging channel."),
		"external_hosts":     stringsAttribute("[Hosts of the URLs](#external-hosts) in the definition, sorted."),
		"definition_hash":    stringAttribute("Hash of the definition. Ignores the documented fields of `ref`, `exposure`, `tenancy`, `timestamps`, `safeguards`, and `telemetry`. Null if the definition was not read."),
		"definition_parts":   stringAttribute("Hashes of the definition's parts and nodes, as a JSON object."),
		"graph_findings":     objectsAttribute("Likely mistakes in the conversation flow. Empty unless `include_graph_findings` is true.", graphFindingAttributes()),
		"stats": schema.MapNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Statistics, by period. Contains each of `stats_periods`.",
			NestedObject:        schema.NestedAttributeObject{Attributes: statsAttributes()},
		},
	})
	return all
}

func graphFindingAttributes() attributes {
	return attributes{
		"kind":    stringAttribute("Kind of finding. For a list, see the `graph_findings` function."),
		"id":      stringAttribute("ID of the element to repair, such as a node. Can be empty."),
		"ids":     stringsAttribute("IDs of all affected elements, beginning with `id`."),
		"title":   stringAttribute("Title of the node, name of the variable, or type of the entry point where the mistake is. Can be empty."),
		"message": stringAttribute("Description of the mistake and its effect on sessions."),
	}
}

func problemAttributes() attributes {
	return attributes{
		"kind":      stringAttribute("Kind of problem, which is one of `contradiction`, `equal_statistics`, `incomplete_list`, `missing_agent`, `missing_fields`, `missing_url`, `not_read`, and `read_failed`."),
		"agent_id":  stringAttribute("ID of the agent, if the problem concerns a single agent."),
		"operation": stringAttribute("Name of the operation, such as `read agent`."),
		"status":    numberAttribute("HTTP status of the failed read, if any. `200` means that the service responded, but not as documented."),
		"code":      stringAttribute("Error code from the service, if any."),
		"message":   stringAttribute("Message from the service, or a description of the problem."),
	}
}

// requiresDefinitions rejects true if definitions is false.
type requiresDefinitions struct{ described }

func (requiresDefinitions) ValidateBool(ctx context.Context, req validator.BoolRequest, resp *validator.BoolResponse) {
	var definitions types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("definitions"), &definitions)...)
	if req.ConfigValue.ValueBool() && definitions.Equal(types.BoolValue(false)) {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()),
			fmt.Sprintf("%[1]s requires the agents' definitions, but the definitions argument is false. Set it to true, or remove %[1]s.", req.Path))
	}
}
