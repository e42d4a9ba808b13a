// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// connection is passed by the provider's Configure to everything that sends
// requests.
type connection struct {
	// client is nil if unknown is not empty.
	client *convo.Client
	// unknown are the provider's attributes whose values come from resources
	// that are not applied yet.
	unknown []string
	// baseURLSource and tokenSource name where the two required settings come
	// from, such as "the provider block".
	baseURLSource, tokenSource string
}

// connectionOf returns the connection from Configure's data, which is nil while
// Terraform only validates.
func connectionOf(providerData any, diags *diag.Diagnostics) *connection {
	if providerData == nil {
		return nil
	}
	c, ok := providerData.(*connection)
	if !ok {
		diags.AddError("Unable to use the provider configuration", fmt.Sprintf(
			"This is a bug in the provider. Report it with this text: the provider data is a %T.", providerData))
	}
	return c
}

// deferrable reports whether the provider cannot send requests only because
// some of its configuration is not known yet.
func (c *connection) deferrable() bool { return c != nil && len(c.unknown) > 0 }

// ready reports whether requests can be sent now, and adds an error with the
// reason if they cannot. The task completes the sentence "Unable to".
func (c *connection) ready(task string, diags *diag.Diagnostics) bool {
	switch {
	case c == nil:
		diags.AddError("Unable to "+task, "The provider is not configured.")
		return false
	case len(c.unknown) > 0:
		diags.AddError("Unable to "+task, fmt.Sprintf(
			"These provider arguments are not known yet: %s. They depend on resources that have not been applied. Apply those "+
				"resources first, for example with -target, or set the arguments from input variables or environment variables.",
			strings.Join(c.unknown, ", ")))
		return false
	}
	return true
}

// debugLog returns the log of a client. The client masks secrets in its entries;
// the mask of the context also covers the fields of the caller's logger. It is set
// for each entry, because concurrent calls must not share one: tflog changes the
// fields of a logger with a mask while it logs.
func debugLog(token string) func(ctx context.Context, message string, fields map[string]any) {
	return func(ctx context.Context, message string, fields map[string]any) {
		tflog.Debug(tflog.MaskLogStrings(ctx, token), message, fields)
	}
}
