// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"encoding/json"
	"net/http"
)

// Success is the message of a session update that took effect (interface,
// "Update the agent of a session").
const Success = "success"

// AgentPayload is the body of a session update that names an agent; an empty
// id names none, which leaves the choice to the service.
func (c *Client) AgentPayload(agentID string) ([]byte, error) {
	body := map[string]string{}
	if agentID != "" {
		body[c.sessionAgentParameter] = agentID
	}
	return json.Marshal(body)
}

// UpdateSessionAgent updates the agent of an active chat session (interface,
// "Update the agent of a session"). The payload is a JSON object, sent as it
// is. It returns the service's message, which is Success when all went well.
func (c *Client) UpdateSessionAgent(ctx context.Context, sessionID string, payload []byte) (string, error) {
	const operation = "update session agent"
	path, err := joinPath("v1", "sessions", sessionID, "updateAgent")
	if err != nil {
		return "", err
	}
	body, err := c.do(ctx, call{operation: operation, method: http.MethodPost, path: path, body: payload})
	if err != nil {
		return "", err
	}
	var answer struct {
		Message *string `json:"message"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Message == nil {
		return "", &AnswerError{Operation: operation, Problem: "the answer has no message that is a string"}
	}
	return *answer.Message, nil
}
