// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// sessionUpdate is the API's "Update the agent of a session", which the
// resource and the action send.
//
// The payload is a plain string, because it can be sensitive: the framework
// prints and logs values of custom types such as jsontypes.Normalized.
type sessionUpdate struct {
	SessionID types.String `tfsdk:"session_id"`
	AgentID   types.String `tfsdk:"agent_id"`
	Payload   types.String `tfsdk:"payload"`
}

// updateFailed is the summary of an error of an update.
const updateFailed = "Unable to update session agent"

const (
	sessionUpdateDescription = "Switches an active chat session to another agent, or to the newest revision of its current agent."
	sessionIDDescription     = "ID of the chat session, which must be active."
	agentIDDescription       = "ID of the agent to switch the session to. By default, the session switches to its current agent's newest revision. " +
		"Conflicts with `payload`."
	payloadDescription = "Request body to send instead of the default body. Must be a JSON object, such as the result of `jsonencode`."
)

// checkSessionID rejects IDs that no session can have. White space around an ID
// comes from a file or a shell, and the update would fail later.
func checkSessionID(id string) error {
	if strings.TrimSpace(id) != id {
		return errors.New("must not begin or end with whitespace")
	}
	return convo.CheckID(id)
}

// checkObject rejects what is not a JSON object, without quoting it.
func checkObject(text string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return errors.New("must be a JSON object, such as the result of jsonencode({ ... })")
	}
	return nil
}

// send sends the update and returns the service's message, prepared for display
// and storage, with a warning if it is not "success".
func (u sessionUpdate) send(ctx context.Context, d *providerData) (string, diag.Diagnostics) {
	var diags diag.Diagnostics
	if !d.ready(updateFailed, &diags) {
		return "", diags
	}
	message, err := u.post(ctx, d.client)
	if err != nil {
		diags.Append(u.target(err).diagnostic(updateFailed, err))
		return "", diags
	}
	if message != convo.Success {
		diags.AddWarning("The service did not confirm the update", fmt.Sprintf(
			"The service returned 200 OK for session %q, but with the message %q instead of %q. Before you rely on the update, "+
				"check outside Terraform which agent the session uses.", u.SessionID.ValueString(), message, convo.Success))
	}
	return message, diags
}

// post sends the request and returns the service's message.
func (u sessionUpdate) post(ctx context.Context, client *convo.Client) (string, error) {
	body := []byte(u.Payload.ValueString())
	if u.Payload.IsNull() {
		body = client.AgentPayload(u.AgentID.ValueString())
	}
	response, err := client.UpdateSessionAgent(ctx, u.SessionID.ValueString(), body)
	if err != nil {
		return "", err
	}
	fields, _, err := decodeFields(client, response, "message", map[string]tftypes.Type{"message": tftypes.String})
	if err != nil {
		return "", err
	}
	message, err := valueAt[string](fields["message"])
	if err != nil {
		return "", err
	}
	// An error's message must not be mistaken for that of an update.
	if content := client.ErrorIn(response); message != convo.Success && content.Code != "" {
		return "", &invalidResponseError{content: content, err: errors.New("the response is an error")}
	}
	return client.Quote(message), nil
}

// target returns the target of an update that failed with err, for messages and
// advice.
func (u sessionUpdate) target(err error) target {
	t := target{
		noun: "session agent", kind: "session", id: u.SessionID.ValueString(),
		uncertain: "The update may have taken effect, so the provider did not retry it. Before you send the update again, check outside " +
			"Terraform which agent the session uses.",
		badRequest: "Check that the session is active and, if agent_id is set, that it is the ID of an agent. The API does not document the " +
			"request body. If the service expects a different body, change agent_id or payload, or set session_agent_parameter in the " +
			"provider block.",
	}
	var response *convo.ResponseError
	if errors.As(err, &response) && len(response.Issues) > 0 { // General advice could contradict the issues.
		t.badRequest = adviceArguments + " If the session has ended, it can no longer be updated, so remove it from the configuration."
	}
	return t
}
