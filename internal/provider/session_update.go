// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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

// Values of on_rejection.
const fail, warn = "fail", "warn"

// agentIDAttribute is an attribute of the resource and of the action.
func agentIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "ID of the session's agent after the update. If neither this nor `payload` is set, the request body is `{}`, which presumably selects the " +
			"newest revision of the session's agent. Conflicts with `payload`.",
		Validators: []validator.String{checkFunc(checkID), stringvalidator.ConflictsWith(path.MatchRoot("payload"))},
	}
}

// onRejectionAttribute is an attribute of the resource and of the action.
func onRejectionAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "What happens if the service rejects the update. Must be `fail` or `warn`. " +
			"Defaults to `fail`. A rejection is an error response with status 400, 404, 409, 410, or 422.",
		Validators: []validator.String{stringvalidator.OneOf(fail, warn)},
	}
}

// sessionUpdate has the arguments that the resource and the action share. The payload is a plain
// string, because it can be sensitive: the framework prints and logs values of custom types such as
// jsontypes.Normalized.
type sessionUpdate struct {
	SessionID   types.String `tfsdk:"session_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	Payload     types.String `tfsdk:"payload"` // null if AgentID is set
	OnRejection types.String `tfsdk:"on_rejection"`
}

// send sends updateSessionAgent and returns the service's message, prepared for display and
// storage, with a warning if it is not "success". The message is nil after an error, and if
// the service rejected the update.
func (u sessionUpdate) send(ctx context.Context, data *providerData, diags *diag.Diagnostics) *string {
	data.checkClient(diags)
	// Terraform does not validate an action again whose arguments were unknown.
	hasAgent, hasPayload := !u.AgentID.IsNull(), !u.Payload.IsNull()
	sessionID := u.SessionID.ValueString()
	if hasAgent && (hasPayload || u.AgentID.ValueString() == "") || hasPayload && checkObject(u.Payload.ValueString()) != nil {
		diags.AddError(updateFailed, "The agent_id must not be empty, the payload must be a JSON object, and only one of them can be set.")
	}
	if diags.HasError() {
		return nil
	}
	body := []byte(u.Payload.ValueString())
	if !hasPayload {
		body = convo.AgentPayload(u.AgentID.ValueStringPointer())
	}
	message, err := data.client.UpdateSessionAgent(ctx, sessionID, body)
	if err != nil {
		failure := sessionMessages(sessionID).diagnostic(updateFailed, err)
		if u.OnRejection.ValueString() == warn && isRejection(err) {
			failure = diag.NewWarningDiagnostic("The service rejected the update", failure.Detail())
		}
		diags.Append(failure)
		return nil
	}
	if message != convo.Success {
		diags.AddWarning("The service did not confirm the update", fmt.Sprintf(
			"The service returned 200 OK for session %q, but with the message %q instead of %q. Before you rely on the update, "+
				"check outside Terraform which agent the session uses.", sessionID, message, convo.Success))
	}
	return &message
}

// isRejection reports that the service itself refused the update of this session. Other errors
// concern the token, the URL, or a service that failed.
func isRejection(err error) bool {
	e, ok := errors.AsType[*convo.Error](err)
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity}
	return ok && e.Reason == convo.ReasonRejected && slices.Contains(statuses, e.Status)
}

const sessionEnded = "If the session has ended, remove it from the configuration, because it can no longer be updated."

// sessionMessages are those of a session update.
func sessionMessages(sessionID string) operationMessages {
	return operationMessages{
		noun: "session agent", kind: "session", id: sessionID,
		uncertain: "The update may have taken effect, so the provider did not retry it. Before you send the update again, check outside " +
			"Terraform which agent the session uses.",
		rejected: sessionEnded + " Otherwise, correct the arguments that the service's message above rejects. The API does not document the request body. " +
			"If the service expects a body other than the one that was sent, set payload.",
		unauthorized: "The status can also mean that the session's agent is not published. Publish the agent, and send the update again.",
		forbidden:    "The token's owner may have permission to read, but not to update sessions.",
		notFound:     sessionEnded,
		otherHost: "Sessions can be on another host than agents. To send the update to that host, add a second provider block with its base_url, " +
			"and select that block with the provider argument.",
	}
}
