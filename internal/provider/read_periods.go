// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// periodsInCode lists the periods as "`today`, ..., or `allTime`".
func periodsInCode() string {
	periods := convo.StatsPeriods()
	last := len(periods) - 1
	return "`" + strings.Join(periods[:last], "`, `") + "`, or `" + periods[last] + "`"
}

// validPeriods validates one period of statistics, or a set of them.
type validPeriods struct{}

func (validPeriods) Description(context.Context) string {
	return "must be one of " + strings.Join(convo.StatsPeriods(), ", ")
}

func (v validPeriods) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v validPeriods) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	v.validate(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// ValidateSet reports at the set itself: Terraform shows the path of an element
// as Value("...").
func (v validPeriods) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, element := range req.ConfigValue.Elements() {
		period, _ := element.(types.String)
		v.validate(req.Path, period, &resp.Diagnostics)
	}
}

func (v validPeriods) validate(at path.Path, period types.String, diags *diag.Diagnostics) {
	if period.IsNull() || period.IsUnknown() {
		return
	}
	nearest, distance := nearestPeriod(period.ValueString())
	if period.ValueString() == nearest {
		return
	}
	question := ""
	// If the distance is more than a third of its length, the nearest period is
	// unlikely to be the intended one.
	if distance <= len(nearest)/3 {
		question = fmt.Sprintf("Did you mean %q? ", nearest)
	}
	diags.AddAttributeError(at, invalidValue(at.String()), fmt.Sprintf("%.50q is not a valid period. %sA period must be one of %s.",
		period.ValueString(), question, strings.Join(convo.StatsPeriods(), ", ")))
}

// nearestPeriod returns the first of the periods with the smallest distance
// from a text, whatever the case.
func nearestPeriod(text string) (nearest string, distance int) {
	for _, period := range convo.StatsPeriods() {
		if period == text {
			return period, 0
		}
		if d := levenshtein.Distance(strings.ToLower(text), strings.ToLower(period), nil); nearest == "" || d < distance {
			nearest, distance = period, d
		}
	}
	return nearest, distance
}
