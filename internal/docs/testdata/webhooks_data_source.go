// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*webhooksDataSource)(nil)

// NewWebhooksDataSource returns the data source convo_webhooks.
func NewWebhooksDataSource() datasource.DataSource { return &webhooksDataSource{} }

// webhooksDataSource lists the webhooks of a workspace (specification, "List
// webhooks").
type webhooksDataSource struct{ apiDataSource }

// webhooksModel has the attributes of convo_webhooks.
type webhooksModel struct {
	WorkspaceID string    `tfsdk:"workspace_id"`
	Webhooks    []webhook `tfsdk:"webhooks"`
}

// webhook is "Webhook" in the API.
type webhook struct {
	ID         *string         `json:"id" tfsdk:"id"`
	TargetURL  *string         `json:"targetUrl" tfsdk:"target_url"`
	LastSentAt *string         `json:"lastSentAt" tfsdk:"last_sent_at"`
	FilterJSON *jsonvalue.Text `json:"filter" tfsdk:"filter_json"`
}

func (d *webhooksDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_webhooks"
}

func (d *webhooksDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the webhooks of a workspace.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": workspaceIDAttribute(),
			"webhooks":     webhooksAttribute(),
		},
	}
}

func (d *webhooksDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model webhooksModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	webhooks, caveats, err := readWebhooks(ctx, d.client, model.WorkspaceID)
	resp.Diagnostics.Append(d.workspaceMessages("webhooks", model.WorkspaceID).ofRead(caveats, err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Webhooks = webhooks
	d.setState(ctx, resp, &model)
}

// readWebhooks lists the webhooks of a workspace, sorted by ID, because the API
// documents no order.
func readWebhooks(ctx context.Context, client *convo.Client, workspaceID string) ([]webhook, caveats, error) {
	response, err := client.Webhooks(ctx, workspaceID)
	if err != nil {
		return nil, caveats{}, err
	}
	defer response.Close()
	var body struct {
		Webhooks []webhook                 `json:"webhooks" required:"true"`
		Rest     map[string]jsontext.Value `json:",embed"`
	}
	if err := response.Decode(&body); err != nil {
		return nil, caveats{}, err
	}
	slices.SortStableFunc(body.Webhooks, func(a, b webhook) int { return cmp.Compare(valueOf(a.ID), valueOf(b.ID)) })
	return body.Webhooks, caveats{incomplete: response.SignsOfMore(len(body.Webhooks), body.Rest)}, nil
}

func webhooksAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Webhooks of the workspace, sorted by ID.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the webhook."},
			"target_url":   schema.StringAttribute{Computed: true, MarkdownDescription: "URL that receives the requests."},
			"last_sent_at": schema.StringAttribute{Computed: true, MarkdownDescription: "Time of the last request. Can be null."},
			"filter_json":  schema.StringAttribute{Computed: true, MarkdownDescription: "Events that cause a request, as JSON."},
		}},
	}
}
