// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

func TestSchemasAreValid(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := newProvider("test")

	var providerSchema provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &providerSchema)
	if diags := providerSchema.Schema.ValidateImplementation(ctx); diags.HasError() {
		t.Errorf("provider: %v", diags)
	}
	for _, newDataSource := range p.DataSources(ctx) {
		var schema datasource.SchemaResponse
		newDataSource().Schema(ctx, datasource.SchemaRequest{}, &schema)
		if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", newDataSource(), diags)
		}
	}
	for _, newResource := range p.Resources(ctx) {
		var schema resource.SchemaResponse
		newResource().Schema(ctx, resource.SchemaRequest{}, &schema)
		if diags := schema.Schema.ValidateImplementation(ctx); diags.HasError() {
			t.Errorf("%T: %v", newResource(), diags)
		}
	}
}

// Everything a user can meet in the documentation is described there.
func TestSchemasAreDescribed(t *testing.T) {
	t.Parallel()
	schemas := newProtocol(t).schema
	checkDescriptions(t, "provider", schemas.Provider.Block)
	for name, schema := range schemas.DataSourceSchemas {
		checkDescriptions(t, name, schema.Block)
	}
	for name, schema := range schemas.ResourceSchemas {
		checkDescriptions(t, name, schema.Block)
	}
}

func checkDescriptions(t *testing.T, name string, block *tfprotov6.SchemaBlock) {
	t.Helper()
	checkDescription(t, name, block.Description)
	var walk func(path string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(path string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			here := path + "." + attribute.Name
			checkDescription(t, here, attribute.Description)
			if attribute.NestedType != nil {
				walk(here, attribute.NestedType.Attributes)
			}
		}
	}
	walk(name, block.Attributes)
}

func checkDescription(t *testing.T, path, description string) {
	t.Helper()
	if description == "" || !strings.HasSuffix(description, ".") || strings.ToUpper(description[:1]) != description[:1] {
		t.Errorf("%s: %q is no sentence", path, description)
	}
}

// What must not be shown is marked, and nothing else: a value that is marked
// needlessly hides what an audit is for.
func TestSensitiveAttributes(t *testing.T) {
	t.Parallel()
	schemas := newProtocol(t).schema
	var got []string
	var walk func(path string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(path string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			here := path + "." + attribute.Name
			if attribute.Sensitive {
				got = append(got, here)
			}
			if attribute.NestedType != nil {
				walk(here, attribute.NestedType.Attributes)
			}
		}
	}
	walk("provider", schemas.Provider.Block.Attributes)
	walk("convo_agent", schemas.DataSourceSchemas["convo_agent"].Block.Attributes)
	want := "provider.client_key_pem provider.headers provider.token convo_agent.definition_json convo_agent.exposure.access.share.token"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", strings.Join(got, " "))
	}
}
