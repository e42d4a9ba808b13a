// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// Success is the message of a session update that took effect.
const Success = "success"

// AgentPayload is the body of a session update that names an agent. The API does
// not document its key. Without an ID, it names no agent, and the service decides.
func AgentPayload(agentID *string) []byte {
	payload, _ := json.Marshal(struct { // Marshaling a string cannot fail.
		AgentID *string `json:"agentId,omitempty"`
	}{agentID})
	return payload
}

// UpdateSessionAgent updates the agent of an active chat session, and returns the service's message as
// one line of at most 1,000 characters. The payload is a JSON object, sent unchanged.
func (c *Client) UpdateSessionAgent(ctx context.Context, sessionID string, payload []byte) (string, error) {
	update := &operation{
		Request: pacing.Request{Operation: "updateSessionAgent"},
		method:  http.MethodPost,
		path:    joinPath("sessions", sessionID, "updateAgent"),
		body:    payload,
	}
	var body struct {
		Message *string `json:"message" required:"true"`
	}
	_, err := c.send(ctx, update, &body)
	if err != nil {
		return "", err
	}
	return c.clean(*body.Message), nil
}
