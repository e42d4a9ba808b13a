// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	convo "github.com/convo/terraform-provider-convo/internal/provider"
)

// An invalid schema is an error that names the attribute, and nothing is
// written.
func TestInvalidSchema(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	err := write(t.Context(), providerserver.NewProtocol6(typo{})(), &written)
	if err == nil || !strings.Contains(err.Error(), "targetUrl") {
		t.Errorf("got the error %v, want one that names the attribute targetUrl", err)
	}
	if written.Len() > 0 {
		t.Errorf("wrote %s", written.String())
	}
}

func TestValidSchema(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	if err := write(t.Context(), convo.NewServer("test")(), &written); err != nil {
		t.Fatal(err)
	}
	var schemas struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(written.Bytes(), &schemas); err != nil {
		t.Fatal(err)
	}
	sources, _ := schemas.Providers["convo"]["data_source_schemas"].(map[string]any)
	if _, ok := sources["convo_workspace_audit"]; !ok {
		t.Errorf("convo_workspace_audit is not among %v", sources)
	}
}

// typo is a provider with an attribute whose name is invalid.
type typo struct{}

func (typo) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "typo"
}

func (typo) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{Attributes: map[string]providerschema.Attribute{"targetUrl": providerschema.StringAttribute{Optional: true}}}
}

func (typo) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (typo) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (typo) Resources(context.Context) []func() resource.Resource                              { return nil }
