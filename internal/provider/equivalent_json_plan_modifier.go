// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// equivalentJSON returns a plan modifier that keeps the prior value of JSON text if
// only its form changed. Numbers are equal only if their texts are, because 1.0 and
// 1 can differ in meaning.
func equivalentJSON() planmodifier.String { return equivalentJSONModifier{} }

type equivalentJSONModifier struct{}

func (equivalentJSONModifier) Description(context.Context) string {
	return "keeps the prior value if only the form of the JSON text changed"
}

func (m equivalentJSONModifier) MarkdownDescription(ctx context.Context) string {
	return m.Description(ctx)
}

func (equivalentJSONModifier) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	prior, priorErr := jsonvalue.Canonical([]byte(req.StateValue.ValueString()))
	planned, plannedErr := jsonvalue.Canonical([]byte(req.PlanValue.ValueString()))
	if priorErr == nil && plannedErr == nil && prior == planned { // Null and unknown are not JSON.
		resp.PlanValue = req.StateValue
	}
}
