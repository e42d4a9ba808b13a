// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"encoding/json"
	"net/http"
)

// Success is the message of a session update that took effect (specification,
// "Update the agent of a session").
const Success = "success"

// AgentPayload is the body of a session update that names an agent; with an
// empty ID, it names no agent, and the service decides.
func (c *Client) AgentPayload(agentID string) []byte {
	body := map[string]string{}
	if agentID != "" {
		body[c.config.SessionAgentParameter] = agentID
	}
	payload, _ := json.Marshal(body) // Marshaling strings cannot fail.
	return payload
}

// UpdateSessionAgent updates the agent of an active chat session
// (specification, "Update the agent of a session"). The payload is a JSON
// object, sent unchanged.
func (c *Client) UpdateSessionAgent(ctx context.Context, sessionID string, payload []byte) (*Response, error) {
	path, err := joinPath("v1", "sessions", sessionID, "updateAgent")
	if err != nil {
		return nil, err
	}
	return c.do(ctx, operation{name: "update session agent", method: http.MethodPost, path: path, body: payload})
}
