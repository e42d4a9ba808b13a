// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package provider makes the platform's API available to Terraform and
// OpenTofu. It contains the provider, its data sources, ephemeral resources,
// resource, action and functions.
package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var (
	_ provider.ProviderWithActions            = (*convoProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*convoProvider)(nil)
	_ provider.ProviderWithFunctions          = (*convoProvider)(nil)
)

// providerTypeName is the name of the provider, and the prefix of all its types.
const providerTypeName = "convo"

// convoProvider is one instance of the provider. Every alias has its own
// instance and configuration.
type convoProvider struct {
	// version is the version in the user agent.
	version string
	// retryWait is the client's default unless a test shortens it.
	retryWait time.Duration
	// data is nil until the provider is configured.
	data *providerData
}

// providerData is what Configure passes to all objects that send requests.
type providerData struct {
	// client is nil if unknown is not empty.
	client *convo.Client
	// unknown are the provider's arguments whose values come from resources that
	// are not applied yet.
	unknown []string
	// baseURLSource and tokenSource name where the two required settings come
	// from, such as "the provider block".
	baseURLSource, tokenSource string
}

func (p *convoProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerTypeName
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
	data := &providerData{
		unknown:       s.unknown,
		baseURLSource: sourceOf(block.BaseURL, "CONVO_BASE_URL"),
		tokenSource:   sourceOf(block.Token, "CONVO_TOKEN"),
	}
	if len(data.unknown) == 0 {
		client, err := convo.New(config)
		if err != nil {
			resp.Diagnostics.AddError("Unable to configure the provider", "The configuration is invalid: "+err.Error()+".")
			return
		}
		data.client = client
	} else if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	p.data = data
	resp.DataSourceData = data
	resp.EphemeralResourceData = data
	resp.ResourceData = data
	resp.ActionData = data
}

func (p *convoProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newWorkspaceDataSource,
		newMembersDataSource,
		newAgentsDataSource,
		newAgentDataSource,
		newAgentStatsDataSource,
		newWorkspaceAuditDataSource,
	}
}

// EphemeralResources returns a counterpart of each data source, which does not
// store its result.
func (p *convoProvider) EphemeralResources(ctx context.Context) []func() ephemeral.EphemeralResource {
	var resources []func() ephemeral.EphemeralResource
	for _, newDataSource := range p.DataSources(ctx) {
		resources = append(resources, func() ephemeral.EphemeralResource { return &ephemeralDataSource{source: newDataSource()} })
	}
	return resources
}

func (p *convoProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newSessionAgentResource}
}

func (p *convoProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newUpdateSessionAgentAction}
}

func (p *convoProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newGraphFindingsFunction, newFlowDiagramFunction, newDefinitionDiffFunction}
}

// configuredData returns the data that Configure of an object receives. It is
// nil while Terraform only validates.
func configuredData(data any, diags *diag.Diagnostics) *providerData {
	if data == nil {
		return nil
	}
	configured, ok := data.(*providerData)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Expected *providerData, got %T. Report this to the provider's maintainers.", data))
	}
	return configured
}

// ready reports whether requests can be sent, and adds an error with the given
// summary if they cannot.
func (d *providerData) ready(summary string, diags *diag.Diagnostics) bool {
	switch {
	case d == nil:
		diags.AddError(summary, "The provider is not configured.")
		return false
	case d.client == nil:
		diags.AddError(summary, fmt.Sprintf(
			"These provider arguments are not known yet: %s. They depend on resources that have not been applied. Apply those "+
				"resources first, for example with -target, or set the arguments from input variables or environment variables.",
			strings.Join(d.unknown, ", ")))
		return false
	}
	return true
}

// debugLog returns the log of a client. The client masks secrets in its entries;
// the mask of the context also covers the fields of the caller's logger. It is set
// for each entry, because concurrent calls must not share one: tflog changes the
// fields of a logger with a mask while it logs.
func debugLog(token string) func(ctx context.Context, message string, fields map[string]any) {
	return func(ctx context.Context, message string, fields map[string]any) {
		tflog.Debug(tflog.MaskLogStrings(ctx, token), message, fields)
	}
}
