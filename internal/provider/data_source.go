// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// apiDataSource holds what all data sources have in common.
type apiDataSource struct {
	name   string // without the provider's
	client *convo.Client
}

func (d *apiDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *apiDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	if data := configuredData(req.ProviderData, &resp.Diagnostics); data != nil {
		data.checkClient(&resp.Diagnostics)
		d.client = data.client
	}
}

// readInto reads the configuration into a model, and sets the state to it after read has set
// what else the model has, unless that reports an error.
func readInto[Model any](ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, read func(*Model) diag.Diagnostics) {
	var model Model
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(read(&model)...)
	if !resp.Diagnostics.HasError() {
		setState(ctx, resp, &model)
	}
}

// attributes are those of a schema, or of an object in one.
type attributes = map[string]schema.Attribute

func workspaceIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: "ID or slug of the workspace. A slug can change.", Validators: []validator.String{checkFunc(checkID)}}
}

// queryAttribute is an argument with undocumented query parameters.
func queryAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description + " Their names depend on the service.",
		Validators:          []validator.Map{mapvalidator.NoNullValues()},
	}
}

// stringAttribute returns the attribute of a text in a result.
func stringAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// boolAttribute returns the attribute of a condition in a result.
func boolAttribute(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

// numberAttribute returns the attribute of a number in a result.
func numberAttribute(description string) schema.NumberAttribute {
	return schema.NumberAttribute{Computed: true, MarkdownDescription: description}
}

// stringsAttribute returns the attribute of a list of texts in a result.
func stringsAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// objectAttribute returns the attribute of an object in a result.
func objectAttribute(description string, all attributes) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: all}
}

// objectsAttribute returns the attribute of a list of objects in a result.
func objectsAttribute(description string, all attributes) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: all}}
}
