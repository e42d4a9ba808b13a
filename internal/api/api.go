// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package api has the objects of the API. A field has two names: that in a response, and that
// of the attribute in a state. It is nil if the service does not send it. The tag required
// marks a field that the API documents as never null.
package api

import (
	"math/big"
	"strings"
)

// Workspace is what getWorkspace returns.
type Workspace struct {
	ID                *string    `json:"id" tfsdk:"id" required:"true"`
	CreatedAt         *string    `json:"createdAt" tfsdk:"created_at" required:"true"`
	UpdatedAt         *string    `json:"updatedAt" tfsdk:"updated_at" required:"true"`
	LastActivityAt    *string    `json:"lastActivityAt" tfsdk:"last_activity_at" required:"true"`
	Name              *string    `json:"name" tfsdk:"name" required:"true"`
	Icon              *string    `json:"icon" tfsdk:"icon"`
	Slug              *string    `json:"slug" tfsdk:"slug"`
	Plan              *string    `json:"plan" tfsdk:"plan" required:"true"`
	PaymentsID        *string    `json:"paymentsId" tfsdk:"payments_id"`
	IsQuarantined     *bool      `json:"isQuarantined" tfsdk:"is_quarantined" required:"true"`
	IsSuspended       *bool      `json:"isSuspended" tfsdk:"is_suspended" required:"true"`
	IsPastDue         *bool      `json:"isPastDue" tfsdk:"is_past_due" required:"true"`
	IsVerified        *bool      `json:"isVerified" tfsdk:"is_verified"`
	BillingCycleStart *big.Float `json:"billingCycleStart" tfsdk:"billing_cycle_start"`
	PaymentFailedAt   *string    `json:"paymentFailedAt" tfsdk:"payment_failed_at"`
	PaymentsConnectID *string    `json:"paymentsConnectId" tfsdk:"payments_connect_id"`
	ChatUsage         *big.Float `json:"chatUsage" tfsdk:"chat_usage" required:"true"`
	RedeemedCoupons   *string    `json:"redeemedCoupons" tfsdk:"redeemed_coupons"`
	Extras            []*string  `json:"extras" tfsdk:"extras" required:"true"`
	Addons            []*string  `json:"addons" tfsdk:"addons" required:"true"`
}

// HasID reports whether an ID or slug is that of the workspace.
func (w *Workspace) HasID(id string) bool { return id == ValueOf(w.ID) || id == ValueOf(w.Slug) }

// Member is an element of what listMembers returns. The API does not document which fields
// can be null: all can be here.
type Member struct {
	WorkspaceID *string `json:"workspaceId" tfsdk:"workspace_id"`
	User        *User   `json:"user" tfsdk:"user"`
	Role        *string `json:"role" tfsdk:"role"`
}

// User is the user of a Member.
type User struct {
	Name  *string `json:"name" tfsdk:"name"`
	Email *string `json:"email" tfsdk:"email"`
	Image *string `json:"image" tfsdk:"image"`
}

// Email is the email address in lower case, because keys contain it, or "".
func (m Member) Email() string { return strings.ToLower(ValueOf(ValueOf(m.User).Email)) }

// Name is the name, or "".
func (m Member) Name() string { return ValueOf(ValueOf(m.User).Name) }

// EmailsByRole returns the email addresses by role, in the order of the members. It omits no
// member, so that checks cover all of them.
func EmailsByRole(members []Member) map[string][]string {
	emails := map[string][]string{}
	for _, m := range members {
		role := ValueOf(m.Role)
		emails[role] = append(emails[role], m.Email())
	}
	return emails
}

// AgentSummary is an element of what listAgents returns. The API does not document which
// fields can be null: all can be here.
type AgentSummary struct {
	ID          *string   `json:"id" tfsdk:"id"`
	Name        *string   `json:"name" tfsdk:"name"`
	Icon        *string   `json:"icon" tfsdk:"icon"`
	Description *string   `json:"description" tfsdk:"description"`
	URL         *string   `json:"url" tfsdk:"url"`
	PublicID    *string   `json:"publicId" tfsdk:"public_id"`
	IsPublished *bool     `json:"isPublished" tfsdk:"is_published"`
	PublishedAt *string   `json:"publishedAt" tfsdk:"published_at"`
	DomainID    *string   `json:"domainId" tfsdk:"domain_id"`
	Tags        []*string `json:"tags" tfsdk:"tags"`
	CreatedAt   *string   `json:"createdAt" tfsdk:"created_at"`
	UpdatedAt   *string   `json:"updatedAt" tfsdk:"updated_at"`
}

// AgentStats is what getAgentStats returns.
type AgentStats struct {
	TotalViews     *big.Float `json:"totalViews" tfsdk:"total_views" required:"true"`
	TotalStarts    *big.Float `json:"totalStarts" tfsdk:"total_starts" required:"true"`
	TotalCompleted *big.Float `json:"totalCompleted" tfsdk:"total_completed" required:"true"`
}

// ValueOf returns what a pointer points to, and the zero value for nil.
func ValueOf[T any](pointer *T) T {
	if pointer == nil {
		return *new(T)
	}
	return *pointer
}
