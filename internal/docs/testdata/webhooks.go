// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Webhook is "Webhook" in the API (specification, "List webhooks").
type Webhook struct {
	ID         *string         `json:"id"`
	TargetURL  *string         `json:"targetUrl"`
	LastSentAt *string         `json:"lastSentAt"`
	FilterJSON *jsonvalue.Text `json:"filter"`
}

// Webhooks lists the webhooks of a workspace (specification, "List webhooks").
func (c *Client) Webhooks(ctx context.Context, workspaceID string) (List[Webhook], error) {
	var list List[Webhook]
	err := c.read(ctx, "list webhooks", nil, func(response *Response) error {
		var body struct {
			Webhooks []Webhook                 `json:"webhooks" required:"true"`
			Rest     map[string]jsontext.Value `json:",embed"`
		}
		if err := response.Decode(&body); err != nil {
			return err
		}
		list = List[Webhook]{body.Webhooks, response.signsOfMore(len(body.Webhooks), body.Rest)}
		return nil
	}, "v1", "workspaces", workspaceID, "webhooks")
	return list, err
}
