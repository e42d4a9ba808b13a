// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"slices"

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

// webhook is a convo.Webhook in the state.
type webhook struct {
	ID         *string         `tfsdk:"id"`
	TargetURL  *string         `tfsdk:"target_url"`
	LastSentAt *string         `tfsdk:"last_sent_at"`
	FilterJSON *jsonvalue.Text `tfsdk:"filter_json"`
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
	messages := d.workspaceMessages("webhooks", model.WorkspaceID)
	webhooks, err := d.client.Webhooks(ctx, model.WorkspaceID)
	if err != nil {
		resp.Diagnostics.Append(messages.readError(err))
		return
	}
	resp.Diagnostics.Append(messages.incompleteList(webhooks.SignsOfMore)...)
	model.Webhooks = sortedWebhooks(webhooks.Elements)
	d.setState(ctx, resp, &model)
}

// sortedWebhooks returns webhooks for the state, sorted by ID, because the API documents
// no order.
func sortedWebhooks(listed []convo.Webhook) []webhook {
	webhooks := make([]webhook, len(listed))
	for i, w := range listed {
		webhooks[i] = webhook(w)
	}
	slices.SortStableFunc(webhooks, func(a, b webhook) int { return cmp.Compare(valueOf(a.ID), valueOf(b.ID)) })
	return webhooks
}

func webhooksAttribute() schema.ListNestedAttribute {
	return objectsAttribute("Webhooks of the workspace, sorted by ID.", map[string]schema.Attribute{
		"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the webhook."},
		"target_url":   schema.StringAttribute{Computed: true, MarkdownDescription: "URL that receives the requests."},
		"last_sent_at": schema.StringAttribute{Computed: true, MarkdownDescription: "Time of the last request. Can be null."},
		"filter_json":  schema.StringAttribute{Computed: true, MarkdownDescription: "Events that cause a request, as JSON."},
	})
}
