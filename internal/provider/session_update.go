// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// updateFailed is the summary of an error of an update.
const updateFailed = "Unable to update session agent"

// checkObject rejects what is not a JSON object, without quoting it.
func checkObject(text string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return errors.New("must be a JSON object, such as the result of jsonencode({ ... })")
	}
	return nil
}

// updateSession sends the API's "Update the agent of a session" and returns the
// service's message, prepared for display and storage, with a warning if it is
// not "success".
func updateSession(ctx context.Context, data *providerData, sessionID string, agentID, payload types.String) (message string, diags diag.Diagnostics) {
	if diags := data.checkClient(); diags.HasError() {
		return "", diags
	}
	body := []byte(payload.ValueString())
	switch { // Terraform does not validate an action again whose arguments were unknown.
	case payload.IsNull() && agentID != types.StringValue(""):
		body = convo.AgentPayload(agentID.ValueStringPointer())
	case !agentID.IsNull() || checkObject(payload.ValueString()) != nil:
		diags.AddError(updateFailed, "The agent_id must not be empty, the payload must be a JSON object, and only one of them can be set.")
		return "", diags
	}
	message, err := data.client.UpdateSessionAgent(ctx, sessionID, body)
	switch {
	case err != nil:
		diags.Append(sessionMessages(sessionID).diagnostic(updateFailed, err))
	case message != convo.Success:
		diags.AddWarning("The service did not confirm the update", fmt.Sprintf(
			"The service returned 200 OK for session %q, but with the message %q instead of %q. Before you rely on the update, "+
				"check outside Terraform which agent the session uses.", sessionID, message, convo.Success))
	}
	return message, diags
}

// sessionMessages are those of a session update.
func sessionMessages(sessionID string) operationMessages {
	return operationMessages{
		noun: "session agent", kind: "session", id: sessionID,
		uncertain: "The update may have taken effect, so the provider did not retry it. Before you send the update again, check outside " +
			"Terraform which agent the session uses.",
		badRequest: "Correct the arguments that the service's message above rejects. If the session has ended, remove it from the configuration, " +
			"because it can no longer be updated. The API does not document the request body. If the service expects a body other than the one " +
			"that was sent, set payload.",
		unauthorized: "The status can also mean that the session's agent is not published. Publish the agent, and send the update again.",
		forbidden:    "The token's owner may have permission to read, but not to update sessions.",
		otherHost: "Sessions can be on another host than agents. To send the update to that host, add a second provider block with its base_url, " +
			"and select that block with the provider argument.",
	}
}
