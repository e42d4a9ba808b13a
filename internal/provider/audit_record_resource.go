// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/report"
)

var _ resource.ResourceWithModifyPlan = (*auditRecordResource)(nil)

// NewAuditRecordResource returns the resource convo_audit_record.
func NewAuditRecordResource() resource.Resource { return &auditRecordResource{} }

// auditRecordResource keeps the record of an audit in the state. It sends no requests.
type auditRecordResource struct{}

// maxKeptChanges is the maximum number of changes in the state. If there are more, the
// older half is removed at once, because a plan shows every change that moves.
const maxKeptChanges = 200

func (r *auditRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_audit_record"
}

func (r *auditRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Records an audit in the state, and lists what changes from one audit to the next. If certain changes, such as those of access, are not " +
			"accepted, an apply fails, and the record does not change.",
		Attributes: map[string]schema.Attribute{
			"audit": schema.StringAttribute{
				Required:  true,
				WriteOnly: true,
				Sensitive: true,
				MarkdownDescription: "Result of the data source `convo_workspace_audit` as JSON, such as `jsonencode(data.convo_workspace_audit.this)`. " +
					"The resource does not store it.",
			},
			"accepted": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				Validators:          []validator.Map{mapvalidator.KeysAre(notBlank), mapvalidator.NoNullValues(), mapvalidator.ValueStringsAre(notBlank)},
				MarkdownDescription: "Accepted findings by key, with the reasons. The report shows the key of each finding.",
			},
			"record": schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Record of the last audit that had changes, as JSON in the format of the function `base64gzip`."},
			"changes": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Changes that audits found, in chronological order. At first, the only element describes the workspace at the start of the record. If " +
					"there are more than 200 elements, the older half is removed, including this one.",
				NestedObject: auditChange(),
			},
		},
	}
}

// auditChange has the attributes of an audit.Change.
func auditChange() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"what":      schema.StringAttribute{Computed: true, MarkdownDescription: "What changed, such as `agent state`."},
		"id":        schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the agent or workspace, or email address of the member."},
		"name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the agent, member, or workspace."},
		"before":    schema.StringAttribute{Computed: true, MarkdownDescription: "Earlier value. Null if there was none."},
		"after":     schema.StringAttribute{Computed: true, MarkdownDescription: "New value. Null if there is none."},
		"is_access": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the change concerns access."},
		"at":        schema.StringAttribute{Computed: true, MarkdownDescription: "`read_at` of the audit that found the change."},
	}}
}

// auditRecordModel has the attributes of convo_audit_record.
type auditRecordModel struct {
	Audit    types.String `tfsdk:"audit"`
	Accepted types.Map    `tfsdk:"accepted"`
	Record   types.String `tfsdk:"record"`
	Changes  types.List   `tfsdk:"changes"`
}

// ModifyPlan compares the audit with the record. If nothing that is recorded has changed,
// the plan has no difference.
func (r *auditRecordResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	resp.Diagnostics.Append(planRecord(ctx, req.Config, req.State, &resp.Plan)...)
}

func (r *auditRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(storeRecord(ctx, req.Config, resp.State, req.Plan, &resp.State)...)
}

// Read keeps the state, because the record exists only there.
func (r *auditRecordResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *auditRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(storeRecord(ctx, req.Config, req.State, req.Plan, &resp.State)...)
}

func (r *auditRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// planRecord sets the planned record and changes.
func planRecord(ctx context.Context, config tfsdk.Config, state tfsdk.State, plan *tfsdk.Plan) diag.Diagnostics {
	var configured, stored auditRecordModel
	diags := config.Get(ctx, &configured)
	var changes []audit.Change
	if !state.Raw.IsNull() {
		diags.Append(state.Get(ctx, &stored)...)
		diags.Append(stored.Changes.ElementsAs(ctx, &changes, false)...)
	}
	if diags.HasError() {
		return diags
	}
	if configured.Audit.IsUnknown() {
		diags.Append(plan.SetAttribute(ctx, path.Root("record"), types.StringUnknown())...)
		diags.Append(plan.SetAttribute(ctx, path.Root("changes"), types.ListUnknown(auditChange().Type()))...)
		return diags
	}
	parsed, parseDiags := parseAudit(configured.Audit.ValueString())
	diags.Append(parseDiags...)
	if diags.HasError() {
		return diags
	}
	comparison, err := audit.Compare(parsed, stored.Record.ValueString())
	switch {
	case errors.Is(err, audit.ErrRecord):
		diags.AddError("Invalid audit record", "The record in the state is damaged. To begin a new one, run terraform state rm for this resource, and apply again.")
		return diags
	case err != nil:
		diags.AddError("Unable to record audit", adviceReportFault+err.Error()+".")
		return diags
	}
	// What is stored is set, too: if accepted has changed, the framework has made it unknown.
	if comparison.Record != stored.Record.ValueString() || len(comparison.Changes) > 0 {
		stored.Record = types.StringValue(comparison.Record)
		changes = append(changes, comparison.Changes...)
		if len(changes) > maxKeptChanges {
			changes = changes[len(changes)-max(maxKeptChanges/2, len(comparison.Changes)):]
		}
	}
	diags.Append(plan.SetAttribute(ctx, path.Root("record"), stored.Record)...)
	diags.Append(plan.SetAttribute(ctx, path.Root("changes"), changes)...)
	return diags
}

// storeRecord sets the state to the plan, unless that contains changes that must be
// accepted first. A plan with them is usually stopped by a precondition. But Terraform
// skips preconditions for values that were unknown, and with -target.
func storeRecord(ctx context.Context, config tfsdk.Config, before tfsdk.State, plan tfsdk.Plan, state *tfsdk.State) diag.Diagnostics {
	var diags diag.Diagnostics
	if !plan.Raw.IsFullyKnown() {
		diags.Append(planRecord(ctx, config, before, &plan)...)
	}
	var configured, planned auditRecordModel
	diags.Append(config.Get(ctx, &configured)...)
	diags.Append(plan.Get(ctx, &planned)...)
	if diags.HasError() {
		return diags
	}
	var changes []audit.Change
	accepted := map[string]string{}
	diags.Append(planned.Changes.ElementsAs(ctx, &changes, false)...)
	diags.Append(planned.Accepted.ElementsAs(ctx, &accepted, false)...)
	parsed, parseDiags := parseAudit(configured.Audit.ValueString())
	diags.Append(parseDiags...)
	if diags.HasError() {
		return diags
	}
	if unaccepted := report.Errors(&audit.Assessment{Audit: parsed, HasRecord: true, Findings: audit.Unaccepted(parsed, changes, accepted)}); len(unaccepted) > 0 {
		diags.AddAttributeError(path.Root("accepted"), "Changes are not accepted", "The audit was not recorded, and the record is unchanged. Undo these changes, or accept "+
			"them in the accepted argument:\n\n"+strings.Join(unaccepted, "\n"))
		return diags
	}
	state.Raw = plan.Raw
	return diags
}

var notBlank = stringvalidator.RegexMatches(regexp.MustCompile(`\S`), "must be the key of a finding or the reason why it is accepted")

// parseAudit parses the argument audit.
func parseAudit(text string) (*audit.Audit, diag.Diagnostics) {
	parsed, err := audit.Parse(text)
	if err != nil {
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("audit"), invalidValue("audit"),
			"The value is not the JSON text of an audit. Set it to jsonencode(data.convo_workspace_audit.NAME).")}
	}
	return parsed, nil
}
