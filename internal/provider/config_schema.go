// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// configuration is the provider block.
type configuration struct {
	BaseURL               types.String `tfsdk:"base_url"`
	Token                 types.String `tfsdk:"token"`
	RequestTimeout        types.String `tfsdk:"request_timeout"`
	MaxRetries            types.Int64  `tfsdk:"max_retries"`
	MaxConcurrentRequests types.Int64  `tfsdk:"max_concurrent_requests"`
	Headers               types.Map    `tfsdk:"headers"`
	CACertificatePEM      types.String `tfsdk:"ca_certificate_pem"`
	ClientCertificatePEM  types.String `tfsdk:"client_certificate_pem"`
	ClientKeyPEM          types.String `tfsdk:"client_key_pem"`
	InsecureSkipVerify    types.Bool   `tfsdk:"insecure_skip_verify"`
	StatsPeriodParameter  types.String `tfsdk:"stats_period_parameter"`
	SessionAgentParameter types.String `tfsdk:"session_agent_parameter"`
}

// Bounds of the numbers in the configuration.
const (
	maxMaxRetries            = 20
	maxMaxConcurrentRequests = 256
)

func configurationSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads workspaces, members, agents and their statistics from a platform for conversational " +
			"agents, and updates the agents of chat sessions.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service: an absolute `https` or `http` URL that ends in the API prefix, without " +
					"query, fragment or user information. One trailing slash is ignored. Required, here or in the environment " +
					"variable `CONVO_BASE_URL`.",
				Validators: []validator.String{checked("the address of the service", convo.CheckBaseURL)},
			},
			"token": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Bearer token that is sent with every request. Required, here or in the environment variable " +
					"`CONVO_TOKEN`, which keeps it out of the configuration.",
				Validators: []validator.String{checked("a bearer token", checkToken)},
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long one attempt of a request may take, from connecting to the last byte of the answer: a duration such " +
					"as `30s` or `1m30s`. Default: `30s`, or the environment variable `CONVO_REQUEST_TIMEOUT`.",
				Validators: []validator.String{checked("a duration", checkTimeout)},
			},
			"max_retries": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How often a request is repeated after its first attempt, from 0 to 20. Default: `4`, or the environment " +
					"variable `CONVO_MAX_RETRIES`.",
				Validators: []validator.Int64{int64validator.Between(0, maxMaxRetries)},
			},
			"max_concurrent_requests": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How many requests may be in flight at once, for the whole provider instance, from 1 to 256. Default: `16`, " +
					"or the environment variable `CONVO_MAX_CONCURRENT_REQUESTS`.",
				Validators: []validator.Int64{int64validator.Between(1, maxMaxConcurrentRequests)},
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Extra headers for every request, for gateways in front of the service. `Authorization` and the headers " +
					"that the provider sets itself are refused. Default: none.",
				Validators: []validator.Map{
					mapvalidator.NoNullValues(),
					mapvalidator.KeysAre(checked("the name of a header", checkHeaderName)),
					mapvalidator.ValueStringsAre(checked("the value of a header", checkHeaderValue)),
					distinctHeaders{},
				},
			},
			"ca_certificate_pem": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Certificates of the authorities that the service's certificate may be signed by, in PEM. They replace " +
					"the system's. Default: the system's authorities.",
				Validators: []validator.String{checked("certificates in PEM", checkCertificates)},
			},
			"client_certificate_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Certificate, in PEM, that the provider shows to the service. Goes with `client_key_pem`. Default: none.",
				Validators: []validator.String{
					checked("certificates in PEM", checkCertificates),
					stringvalidator.AlsoRequires(path.MatchRoot("client_key_pem")),
				},
			},
			"client_key_pem": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key, in PEM, of `client_certificate_pem`. Default: none.",
				Validators: []validator.String{
					checked("a private key in PEM", checkPrivateKey),
					stringvalidator.AlsoRequires(path.MatchRoot("client_certificate_pem")),
				},
			},
			"insecure_skip_verify": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept any certificate of the service. Whoever is between the provider and the service can " +
					"then read the token: for tests only. Default: `false`.",
			},
			"stats_period_parameter": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the query parameter that carries the period of `convo_agent_stats`. The interface leaves it " +
					"open. Default: `timeFilter`.",
				Validators: []validator.String{checked("the name of a query parameter", checkName)},
			},
			"session_agent_parameter": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the key that carries the agent in the body of a session update. The interface leaves it open. " +
					"Default: `agentId`.",
				Validators: []validator.String{checked("the name of a key", checkName)},
			},
		},
	}
}
