// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package provider makes the platform's API available to Terraform and
// OpenTofu. It contains the provider, its data sources, ephemeral resources,
// resources, action, and functions.
package provider

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var (
	_ provider.ProviderWithActions            = (*convoProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*convoProvider)(nil)
	_ provider.ProviderWithFunctions          = (*convoProvider)(nil)
)

// convoProvider is one instance of the provider. Every alias has its own
// instance and configuration.
type convoProvider struct {
	// version is the version in the user agent.
	version string
	// retryWait is the client's default unless a test shortens it.
	retryWait time.Duration
}

// providerModel is the provider block.
type providerModel struct {
	BaseURL               *string           `tfsdk:"base_url"`
	Token                 *string           `tfsdk:"token"`
	RequestTimeout        *string           `tfsdk:"request_timeout"`
	MaxRetries            *int              `tfsdk:"max_retries"`
	MaxConcurrentRequests *int              `tfsdk:"max_concurrent_requests"`
	MaxRequestsPerSecond  *big.Float        `tfsdk:"max_requests_per_second"` // The framework refuses 1/3 as a float64.
	Headers               map[string]string `tfsdk:"headers"`
	CACertificatePEM      *string           `tfsdk:"ca_certificate_pem"`
	ClientCertificatePEM  *string           `tfsdk:"client_certificate_pem"`
	ClientKeyPEM          *string           `tfsdk:"client_key_pem"`
	InsecureSkipVerify    *bool             `tfsdk:"insecure_skip_verify"`
	StatsPeriodParameter  *string           `tfsdk:"stats_period_parameter"`

	tokenSource string // for messages
}

// providerData is what Configure passes to all objects that send requests. They
// have none while Terraform only validates.
type providerData struct {
	// client is nil if unknown is not empty.
	client *convo.Client
	// unknown are the provider's arguments whose values come from resources that
	// are not applied yet.
	unknown []string
}

func (p *convoProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "convo"
	resp.Version = p.version
}

func (p *convoProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads and audits workspaces, members, and agents, and updates active chat sessions.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Base URL of the API, without `/v1` at the end, such as `https://agents.example/api`. Must be an " +
					"`https` or `http` URL. Required unless `CONVO_BASE_URL` is set.",
				Validators: []validator.String{checkFunc(checkBaseURL)},
			},
			"token": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Bearer token for all requests. Required unless `CONVO_TOKEN` is set.",
				Validators:          []validator.String{checkFunc(checkToken)},
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Timeout for a single attempt. Must be a duration between `1ms` and `24h`, such as `1m30s`. Defaults to " +
					"`30s`.",
				Validators: []validator.String{checkFunc(checkTimeout)},
			},
			"max_retries": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Determines [how long](#retries-and-limits) a failed request is retried. `0` disables retries. " +
					"Must be a whole number between 0 and 20. Defaults to `4`.",
				Validators: []validator.Int64{int64validator.Between(minRetries, maxRetries)},
			},
			"max_concurrent_requests": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "Maximum number of concurrent requests. Must be a whole number between 1 and 256. Defaults to `16`.",
				Validators:          []validator.Int64{int64validator.Between(minConcurrency, maxConcurrency)},
			},
			"max_requests_per_second": schema.Float64Attribute{
				Optional:            true,
				MarkdownDescription: "Maximum number of requests per second. Must be between 0.001 and 10,000. By default, the rate is not limited.",
				Validators:          []validator.Float64{float64validator.Between(minRate, maxRate)},
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Additional request headers, such as an API key for a gateway. Must not contain headers that the provider " +
					"sets, such as `Authorization`, `User-Agent`, and `Host`.",
				Validators: []validator.Map{
					mapvalidator.KeysAre(
						stringvalidator.RegexMatches(headerName, "must consist of letters, digits, hyphens, and underscores"),
						checkFunc(checkHeader),
					),
					mapvalidator.NoNullValues(),
					mapvalidator.ValueStringsAre(checkFunc(checkText)),
				},
			},
			"ca_certificate_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "PEM-encoded CA certificates to trust instead of the system's.",
			},
			"client_certificate_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "PEM-encoded client certificate. Requires `client_key_pem`.",
				Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("client_key_pem"))},
			},
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "PEM-encoded, unencrypted private key of the client certificate. Requires `client_certificate_pem`.",
				Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("client_certificate_pem"))},
			},
			"insecure_skip_verify": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to accept any certificate of the service. Defaults to `false`.",
			},
			"stats_period_parameter": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the query parameter for the [period of agent statistics]" +
					"(data-sources/agent_stats.md#if-all-periods-return-the-same-numbers). Defaults to `timeFilter`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// Configure sends no request. The first read reports a wrong token. If an argument
// is not known yet, only what has to send a request now fails, or is deferred.
func (p *convoProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	if unknown := unknownArguments(req.Config); len(unknown) > 0 {
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
			return
		}
		setData(resp, &providerData{unknown: unknown})
		return
	}
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.readEnvironment(&resp.Diagnostics)
	config := model.clientConfig(&resp.Diagnostics)
	// The client removes characters that a header cannot contain.
	config.UserAgent = fmt.Sprintf("terraform-provider-convo/%s terraform/%s %s", p.version, req.TerraformVersion, os.Getenv("TF_APPEND_USER_AGENT"))
	config.RetryWait = p.retryWait
	config.Log, config.LogRetry = tflog.Debug, tflog.Info
	if resp.Diagnostics.HasError() {
		return
	}
	client, err := convo.New(config)
	if err != nil {
		resp.Diagnostics.AddError("Unable to configure the provider", "The configuration is invalid: "+err.Error()+".")
		return
	}
	setData(resp, &providerData{client: client})
}

// setData passes the data to all kinds of objects.
func setData(resp *provider.ConfigureResponse, data *providerData) {
	resp.DataSourceData = data
	resp.EphemeralResourceData = data
	resp.ResourceData = data
	resp.ActionData = data
}

func (p *convoProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		NewWorkspaceDataSource,
		NewMembersDataSource,
		NewAgentsDataSource,
		NewAgentDataSource,
		NewAgentStatsDataSource,
		NewWorkspaceAuditDataSource,
	}
}

func (p *convoProvider) EphemeralResources(ctx context.Context) []func() ephemeral.EphemeralResource {
	var resources []func() ephemeral.EphemeralResource
	for _, newDataSource := range p.DataSources(ctx) {
		resources = append(resources, newEphemeralDataSource(newDataSource))
	}
	return resources
}

func (p *convoProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{NewAuditRecordResource, NewSessionAgentResource}
}

func (p *convoProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{NewUpdateSessionAgentAction}
}

func (p *convoProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		NewAuditReportFunction,
		NewDefinitionDiffFunction,
		NewFlowDiagramFunction,
		NewGraphFindingsFunction,
	}
}

// configuredData returns what Configure passed to an object, and nil while Terraform only
// validates.
func configuredData(passed any, diags *diag.Diagnostics) *providerData {
	if passed == nil {
		return nil
	}
	data, ok := passed.(*providerData)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Expected %T, got %T. Report this to the provider's maintainers.", data, passed))
	}
	return data
}

// checkClient adds an error if no requests can be sent, because arguments of the provider
// are not known yet.
func (d *providerData) checkClient(diags *diag.Diagnostics) {
	if d.client == nil {
		diags.AddError("The provider configuration is not known yet", fmt.Sprintf(
			"These provider arguments are not known yet: %s. They depend on resources that have not been applied. Apply those "+
				"resources first, for example with -target, or set the arguments from input variables or environment variables.",
			strings.Join(d.unknown, ", ")))
	}
}
