// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package provider makes the platform's API available to Terraform and
// OpenTofu. It contains the provider, its data sources, ephemeral resources,
// resource, action and functions.
package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var (
	_ provider.ProviderWithActions   = (*convoProvider)(nil)
	_ provider.ProviderWithFunctions = (*convoProvider)(nil)
)

// convoProvider is one instance of the provider. Every alias has its own
// instance and configuration.
type convoProvider struct {
	// version is the version in the user agent.
	version string
	// connection is nil until the provider is configured. The server passes it to
	// the data sources, and the framework to everything else.
	connection *connection
	// retryWait is the client's default unless a test shortens it.
	retryWait time.Duration
	// reads are served as data sources and ephemeral resources.
	reads []read
}

func newProvider(version string) *convoProvider {
	return &convoProvider{version: version, reads: reads()}
}

// typeName is the name that a data source or resource has in a configuration.
func typeName(name string) string { return "convo_" + name }

func (p *convoProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "convo"
	resp.Version = p.version
}

func (p *convoProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = configurationSchema()
}

// Configure sends no request. The first read reports a wrong token.
func (p *convoProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var block configuration
	resp.Diagnostics.Append(req.Config.Get(ctx, &block)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s := &settings{diags: &resp.Diagnostics}
	config := s.resolve(block)
	config.UserAgent = s.userAgent(p.version, req.TerraformVersion)
	config.RetryWait = p.retryWait
	config.Log = debugLog(config.Token)
	if resp.Diagnostics.HasError() {
		return
	}
	c := &connection{
		unknown:       s.unknown,
		baseURLSource: sourceOf(block.BaseURL, "CONVO_BASE_URL"),
		tokenSource:   sourceOf(block.Token, "CONVO_TOKEN"),
	}
	if len(c.unknown) == 0 {
		client, err := convo.New(config)
		if err != nil {
			resp.Diagnostics.AddError("Unable to configure the provider", "The configuration is invalid: "+err.Error()+".")
			return
		}
		c.client = client
	}
	p.connection = c
	// Each kind of object receives it, including those that the provider does not
	// have yet, because an omitted one would not be configured.
	resp.DataSourceData = c
	resp.ResourceData = c
	resp.EphemeralResourceData = c
	resp.ActionData = c
	resp.ListResourceData = c
	resp.StateStoreData = c
}

func (p *convoProvider) DataSources(context.Context) []func() datasource.DataSource {
	var sources []func() datasource.DataSource
	for _, r := range p.reads {
		sources = append(sources, func() datasource.DataSource { return &readSource{read: r} })
	}
	return sources
}

func (p *convoProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newSessionAgentResource}
}

func (p *convoProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newUpdateSessionAgentAction}
}

func (p *convoProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newGraphFindingsFunction, newFlowDiagramFunction}
}
