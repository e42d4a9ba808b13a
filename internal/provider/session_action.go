// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var _ action.ActionWithConfigure = (*updateSessionAgentAction)(nil)

// updateSessionAgentAction stands for "Update the agent of a session" of the
// interface, as the act that it is: it has no state.
type updateSessionAgentAction struct {
	connection *connection
}

func newUpdateSessionAgentAction() action.Action { return &updateSessionAgentAction{} }

func (a *updateSessionAgentAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = typeName("update_session_agent")
}

func (a *updateSessionAgentAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Updates the agent of an active chat session, once each time it is invoked: by " +
			"`terraform apply -invoke` or by the `action_trigger` of a resource. Take the resource `convo_session_agent` " +
			"instead where a plan should show that a session is to be updated, and send the update when an argument changes.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Identifier of the chat session, which must be active.",
				Validators:          []validator.String{pathSegment()},
			},
			"agent_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: agentIDDescription,
				Validators:          agentIDValidators(),
			},
			"payload": schema.StringAttribute{
				Optional:            true,
				CustomType:          jsontypes.NormalizedType{},
				MarkdownDescription: payloadDescription,
				Validators:          payloadValidators(),
			},
		},
	}
}

func (a *updateSessionAgentAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.connection = connectionOf(req.ProviderData, &resp.Diagnostics)
}

func (a *updateSessionAgentAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var update sessionUpdate
	resp.Diagnostics.Append(req.Config.Get(ctx, &update)...)
	if resp.Diagnostics.HasError() {
		return
	}
	client := a.connection.open("update session agent", &resp.Diagnostics)
	if client == nil {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{
		Message: fmt.Sprintf("Updating the agent of session %q ...", update.SessionID.ValueString()),
	})
	message, diags := update.send(ctx, a.connection)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("The service answered %q.", message)})
}
