// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

// Nothing can be sent before the provider is configured.
// The provider's own arguments can be unknown in a plan, but not when an action
// is invoked.
func TestUpdateSessionAgentAction_unknownConfiguration(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": unknown}))
	_, diagnostics := p.invoke(object{"session_id": "ses_orders_open"})
	requireError(t, diagnostics, "The provider configuration is not known yet", "not known yet: base_url, token")
}
