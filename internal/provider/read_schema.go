// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// Result attributes differ only in type and description.

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedNumber(description string) schema.NumberAttribute {
	return schema.NumberAttribute{Computed: true, MarkdownDescription: description}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func computedStrings(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

func computedObject(description string, fields attributes) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Computed: true, Attributes: fields, MarkdownDescription: description}
}

func computedObjects(description string, fields attributes) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: fields},
		MarkdownDescription: description,
	}
}

func computedObjectMap(description string, fields attributes) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: fields},
		MarkdownDescription: description,
	}
}

// idArgument is a required argument that becomes a segment of a path.
func idArgument(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description,
		Validators:          []validator.String{pathSegment()},
	}
}

// pathSegment rejects an ID that cannot be sent as part of a URL.
func pathSegment() validator.String {
	return checked("an ID that can be a segment of a path", convo.CheckID)
}

// checked returns a validator that calls a function, whose error completes the
// sentence "The value ...".
func checked(description string, check func(string) error) validator.String {
	return checkedString{description, check}
}

type checkedString struct {
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
		resp.Diagnostics.AddAttributeError(req.Path, invalidValue(req.Path.String()), "The value "+err.Error()+".")
	}
}

// invalidValue is the summary of an error about one attribute's value.
func invalidValue(attribute string) string { return "Invalid value for " + attribute }
