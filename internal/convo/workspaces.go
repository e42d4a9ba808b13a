// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"math/big"
	"strconv"
)

// Workspace is "Workspace" in the API (specification, "Get workspace"). A field with the
// tag required is documented as never null, but is nil if the service does not send it.
type Workspace struct {
	ID                *string    `json:"id" required:"true"`
	CreatedAt         *string    `json:"createdAt" required:"true"`
	UpdatedAt         *string    `json:"updatedAt" required:"true"`
	LastActivityAt    *string    `json:"lastActivityAt" required:"true"`
	Name              *string    `json:"name" required:"true"`
	Icon              *string    `json:"icon"`
	Slug              *string    `json:"slug"`
	Plan              *string    `json:"plan" required:"true"`
	PaymentsID        *string    `json:"paymentsId"`
	IsQuarantined     *bool      `json:"isQuarantined" required:"true"`
	IsSuspended       *bool      `json:"isSuspended" required:"true"`
	IsPastDue         *bool      `json:"isPastDue" required:"true"`
	IsVerified        *bool      `json:"isVerified"`
	BillingCycleStart *big.Float `json:"billingCycleStart"`
	PaymentFailedAt   *string    `json:"paymentFailedAt"`
	PaymentsConnectID *string    `json:"paymentsConnectId"`
	ChatUsage         *big.Float `json:"chatUsage" required:"true"`
	RedeemedCoupons   *string    `json:"redeemedCoupons"`
	Extras            []*string  `json:"extras" required:"true"`
	Addons            []*string  `json:"addons" required:"true"`
}

// Workspace reads a workspace by its ID or slug (specification, "Get
// workspace"). getDefault is sent if it is not nil; the API does not document
// its effect.
func (c *Client) Workspace(ctx context.Context, workspaceID string, getDefault *bool) (*Workspace, error) {
	query := map[string]string{}
	if getDefault != nil {
		query["getDefault"] = strconv.FormatBool(*getDefault)
	}
	var body struct {
		Workspace *Workspace `json:"workspace" required:"true"`
	}
	_, err := c.call(ctx, get("read workspace", query, "v1", "workspaces", workspaceID), &body)
	return body.Workspace, err
}

// Member is "Member" in the API (specification, "List members of a workspace"). The API
// does not document which fields of an element can be null: all can be here.
type Member struct {
	WorkspaceID *string `json:"workspaceId"`
	User        *User   `json:"user"`
	Role        *string `json:"role"`
}

// User is the user of a Member.
type User struct {
	Name  *string `json:"name"`
	Email *string `json:"email"`
	Image *string `json:"image"`
}

// Members lists the members of a workspace (specification, "List members of a
// workspace").
func (c *Client) Members(ctx context.Context, workspaceID string) (*List[Member], error) {
	var body struct {
		Members []Member       `json:"members" required:"true"`
		Rest    map[string]any `json:",embed"`
	}
	response, err := c.call(ctx, get("list members", nil, "v1", "workspaces", workspaceID, "members"), &body)
	if err != nil {
		return nil, err
	}
	return &List[Member]{body.Members, response.signsOfMore(len(body.Members), body.Rest)}, nil
}
