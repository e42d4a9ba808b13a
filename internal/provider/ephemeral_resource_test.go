// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// An ephemeral resource is deferred if Terraform allows it. Otherwise, it fails.
func TestEphemeralDeferral(t *testing.T) {
	t.Parallel()
	config := object{"base_url": unknown, "token": "t"}
	deferring := newTestProvider(t)
	requireNone(t, deferring.configureDeferring(config))
	typ := deferring.schema.EphemeralResourceSchemas["convo_agents"].ValueType()
	request := &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: "convo_agents", Config: deferring.toDynamic(typ, object{}),
		ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: true},
	}
	resp := rpc(deferring, deferring.server.OpenEphemeralResource, request)
	requireNone(t, resp.Diagnostics)
	if resp.Deferred == nil || resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("got the deferral %v", resp.Deferred)
	}

	p := newTestProvider(t)
	requireNone(t, p.configure(config))
	requireError(t, rpc(p, p.server.OpenEphemeralResource, request).Diagnostics, "The provider configuration is not known yet", "not known yet: base_url")
}
