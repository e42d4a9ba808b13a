// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var _ action.ActionWithConfigure = (*updateSessionAgentAction)(nil)

// updateSessionAgentAction sends updateSessionAgent each time it is invoked. It has no state.
type updateSessionAgentAction struct {
	data *providerData
}

// NewUpdateSessionAgentAction returns the action convo_update_session_agent.
func NewUpdateSessionAgentAction() action.Action { return &updateSessionAgentAction{} }

func (a *updateSessionAgentAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_update_session_agent"
}

func (a *updateSessionAgentAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Moves an active chat session to another agent, or to the newest revision of its agent.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "ID of the chat session, which must be active.",
				Validators:          []validator.String{checkFunc(checkID)},
			},
			"agent_id": agentIDAttribute(),
			"payload": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Request body to send instead of the default body. Must be a JSON object, such as the result of " +
					"`jsonencode`. Plans and plan files contain it. Conflicts with `agent_id`.",
				Validators: []validator.String{checkFunc(checkObject)},
			},
			"on_rejection": onRejectionAttribute(),
		},
	}
}

func (a *updateSessionAgentAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = configuredData(req.ProviderData, &resp.Diagnostics)
}

func (a *updateSessionAgentAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var update sessionUpdate
	resp.Diagnostics.Append(req.Config.Get(ctx, &update)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{
		Message: fmt.Sprintf("Updating session %q ...", update.SessionID.ValueString()),
	})
	if message := update.send(ctx, a.data, &resp.Diagnostics); message != nil {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("The service returned %q.", *message)})
	}
}
