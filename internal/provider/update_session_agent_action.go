// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ action.ActionWithConfigure = (*updateSessionAgentAction)(nil)

// updateSessionAgentAction sends the API's "Update the agent of a session" each
// time it is invoked. It has no state.
type updateSessionAgentAction struct {
	data *providerData
}

// updateSessionAgentModel has the arguments of the action.
type updateSessionAgentModel struct {
	SessionID types.String `tfsdk:"session_id"`
	AgentID   types.String `tfsdk:"agent_id"`
	Payload   types.String `tfsdk:"payload"`
}

// NewUpdateSessionAgentAction returns the action convo_update_session_agent.
func NewUpdateSessionAgentAction() action.Action { return &updateSessionAgentAction{} }

func (a *updateSessionAgentAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_update_session_agent"
}

func (a *updateSessionAgentAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Updates an active chat session to the newest revision of its agent, or switches it to another agent.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "ID of the chat session, which must be active. Progress messages and errors contain the ID, even if it is sensitive.",
				Validators:          validID(),
			},
			"agent_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "ID of the agent to switch the session to. By default, the session is updated to the newest revision of its " +
					"agent. Conflicts with `payload`.",
				Validators: append(validID(), stringvalidator.ConflictsWith(path.MatchRoot("payload"))),
			},
			"payload": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Request body to send instead of the default body. Must be a JSON object, such as the result of " +
					"`jsonencode`. Plans and plan files contain it. Conflicts with `agent_id`.",
				Validators: []validator.String{unquoted(checkObject)},
			},
		},
	}
}

func (a *updateSessionAgentAction) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.data, _ = req.ProviderData.(*providerData)
}

func (a *updateSessionAgentAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config updateSessionAgentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{
		Message: fmt.Sprintf("Updating session %q ...", config.SessionID.ValueString()),
	})
	message, diags := updateSession(ctx, a.data, config.SessionID.ValueString(), config.AgentID, config.Payload)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("The service returned %q.", message)})
}
