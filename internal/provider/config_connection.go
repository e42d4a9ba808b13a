// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// connection is what the provider's Configure hands to everything that talks
// to the service.
type connection struct {
	// client is nil when unknown is not empty.
	client *convo.Client
	// unknown are the provider's attributes whose values come from something
	// that is not applied yet.
	unknown []string
	// baseURLSource and tokenSource name where the two required settings come
	// from, such as "token of the provider block".
	baseURLSource, tokenSource string
}

// connectionOf takes what Configure is handed, which is nothing while
// Terraform only validates.
func connectionOf(providerData any, diags *diag.Diagnostics) *connection {
	if providerData == nil {
		return nil
	}
	c, ok := providerData.(*connection)
	if !ok {
		diags.AddError("Unable to use the provider's configuration",
			fmt.Sprintf("This is a fault of the provider, please report it: got %T.", providerData))
	}
	return c
}

// deferrable says that only values which are not known yet keep the provider
// from reaching the service.
func (c *connection) deferrable() bool { return c != nil && len(c.unknown) > 0 }

// open returns the client, or nil after an error that says why the service
// cannot be reached now. The task completes the sentence "Unable to".
func (c *connection) open(task string, diags *diag.Diagnostics) *convo.Client {
	switch {
	case c == nil:
		diags.AddError("Unable to "+task, "The provider is not configured.")
		return nil
	case len(c.unknown) > 0:
		diags.AddError("Unable to "+task, fmt.Sprintf(
			"The provider's configuration is not known yet: %s depends on something that is not applied. "+
				"Apply that first, for example with -target, or set the value from a variable or the environment.",
			strings.Join(c.unknown, ", ")))
		return nil
	}
	return c.client
}
