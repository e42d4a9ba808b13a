// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// validID rejects an ID that cannot be sent as part of a URL.
func validID() validator.String {
	return checked("an ID that can be a segment of a path", convo.CheckID)
}

// validQuery rejects query parameters without a name or a value.
func validQuery() []validator.Map {
	return []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()}
}

// checked returns a validator that calls a function, whose error completes the
// sentence "The value ...".
func checked(description string, check func(string) error) validator.String {
	return checkedString{"value", description, check}
}

type checkedString struct {
	// subject is what an error names: "value", or another noun for the key of a map.
	subject     string
	description string
	check       func(string) error
}

func (v checkedString) Description(context.Context) string             { return "must be " + v.description }
func (v checkedString) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v checkedString) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), "The "+v.subject+" "+err.Error()+".")
	}
}

// invalidValue is the summary of an error about one attribute's value.
func invalidValue(attribute string) string { return "Invalid value for " + attribute }
