// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// sessionUpdate is "Update the agent of a session" of the interface, behind
// the resource and the action.
type sessionUpdate struct {
	SessionID types.String         `tfsdk:"session_id"`
	AgentID   types.String         `tfsdk:"agent_id"`
	Payload   jsontypes.Normalized `tfsdk:"payload"`
}

const (
	agentIDDescription = "Identifier of the agent that the session is to run, sent under the key that the provider's " +
		"`session_agent_parameter` names. When neither this nor `payload` is set, the body is `{}`: the session is to run " +
		"the newest revision of its agent."
	payloadDescription = "Body of the request, a JSON object, in place of the one made from `agent_id`: the interface leaves " +
		"its content open. Not together with `agent_id`."
)

func agentIDValidators() []validator.String {
	return []validator.String{
		checked("the id of an agent", checkNotEmpty),
		stringvalidator.ConflictsWith(path.MatchRoot("payload")),
	}
}

func payloadValidators() []validator.String {
	return []validator.String{checked("a JSON object", checkObject)}
}

// sessionUpdateDecoder reads the answer to an update.
func sessionUpdateDecoder() (*jsonvalue.Decoder, error) {
	return jsonvalue.NewDecoder(
		tftypes.Object{AttributeTypes: map[string]tftypes.Type{"message": tftypes.String}},
		jsonvalue.Options{Required: []string{"message"}},
	)
}

// send sends the update and returns the service's message, with a warning when
// that is not the one of a success.
func (u sessionUpdate) send(ctx context.Context, c *connection) (string, diag.Diagnostics) {
	client := c.client
	var diags diag.Diagnostics
	subject := subject{
		noun: "session agent", target: "session", attribute: "session_id", id: u.SessionID.ValueString(),
		uncertain: "The update may have taken effect all the same. It is not repeated by itself.",
		invalid: "Check that the session is active and that agent_id names an agent. The interface leaves open how the " +
			"new agent is named: the provider's session_agent_parameter and the resource's payload change it.",
	}
	payload := []byte(u.Payload.ValueString())
	if u.Payload.IsNull() {
		payload = client.AgentPayload(u.AgentID.ValueString())
	}
	decoder, err := sessionUpdateDecoder()
	if err != nil {
		diags.Append(c.failure(subject, "update", &faultError{err}))
		return "", diags
	}
	response, err := client.UpdateSessionAgent(ctx, u.SessionID.ValueString(), payload)
	if err != nil {
		diags.Append(c.failure(subject, "update", err))
		return "", diags
	}
	answer, _, err := decode(ctx, client, decoder, response)
	message := answer.text("message")
	if err == nil && message != convo.Success {
		// The message of an error must not pass for that of an update.
		if said := client.ErrorIn(response); said.Code != "" {
			err = &invalidResponseError{content: said, err: errors.New("the response is an error")}
		}
	}
	if err != nil {
		diags.Append(c.failure(subject, "update", err))
		return "", diags
	}
	if message != convo.Success {
		diags.AddWarning("The service did not confirm the update", fmt.Sprintf(
			"It answered 200 OK for session %q, but with the message %q in place of %q. The message is kept in the attribute "+
				"message; check the session before you rely on it.", u.SessionID.ValueString(), message, convo.Success))
	}
	return message, diags
}
