// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
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

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

var (
	_ resource.ResourceWithModifyPlan  = (*auditRecordResource)(nil)
	_ resource.ResourceWithImportState = (*auditRecordResource)(nil)
)

// NewAuditRecordResource returns the resource convo_audit_record.
func NewAuditRecordResource() resource.Resource { return &auditRecordResource{} }

// auditRecordResource keeps the record of an audit in the state. It sends no requests.
type auditRecordResource struct{}

func (r *auditRecordResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_audit_record"
}

func (r *auditRecordResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Records an audit of a workspace. If access has changed since the last record, the apply fails until you accept the change.",
		Attributes: map[string]schema.Attribute{
			"audit": schema.StringAttribute{
				Required:  true,
				WriteOnly: true, // Never in the state. If it were sensitive, too, Terraform 1.11 would find differences at random.
				MarkdownDescription: "Result of the data source `convo_workspace_audit` as JSON, such as `jsonencode(data.convo_workspace_audit.this)`. " +
					"If you pass the ephemeral resource, the apply fails with " +
					"`Provider produced inconsistent final plan`.",
			},
			"accepted": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(),
					mapvalidator.ValueStringsAre(stringvalidator.RegexMatches(regexp.MustCompile(`\S`),
						"must be the reason why the finding is accepted, and must not be empty")),
				},
				MarkdownDescription: "Map of [keys](#keys) to the reasons for accepting their findings.",
			},
			"record": schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Latest recorded values, as gzipped JSON in Base64."},
			"changes": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "Recorded changes, in chronological order. If the list exceeds 200 elements, " +
					"the older half is removed.",
				NestedObject: auditChange(),
			},
		},
	}
}

// auditChange has the attributes of an audit.Change. Those of data sources are also
// attributes of resources.
func auditChange() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"what":      stringAttribute("What changed, such as `agent state`."),
		"id":        stringAttribute("ID of the agent or workspace, or email address of the member."),
		"name":      stringAttribute("Name of the agent, member, or workspace."),
		"before":    stringAttribute("Earlier value, if any."),
		"after":     stringAttribute("New value, if any."),
		"is_access": boolAttribute("Whether the change concerns access."),
		"at":        stringAttribute("Start time of the audit that found the change."),
		"key":       stringAttribute("Key of the change, if it concerns access."),
		"reason":    stringAttribute("Reason for accepting the change."),
	}}
}

// auditRecordModel has the attributes of convo_audit_record, which must be known.
type auditRecordModel struct {
	audit.History
	Audit *string `tfsdk:"audit"`
}

// ModifyPlan compares the audit with the record. If nothing that is recorded has changed,
// the plan has no difference.
func (r *auditRecordResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	refused, diags := planRecord(ctx, req.Config, req.State, &resp.Plan)
	resp.Diagnostics.Append(diags...)
	if len(refused) > 0 { // An error here would also keep the report from being written.
		var keys []string
		for _, message := range refused {
			key, _, _ := strings.Cut(message, "\n")
			keys = append(keys, key)
		}
		resp.Diagnostics.AddAttributeWarning(path.Root("accepted"), "The apply will fail", "The audit has findings that must be accepted before it is recorded:\n\n"+
			strings.Join(oneline.First(keys, maxShownKeys), "\n")+"\n\nIf they are right, pass the keys with your reasons to the apply, in the accepted argument. Otherwise, undo the changes.")
	}
}

func (r *auditRecordResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(storeRecord(ctx, req.Config, req.Plan, &resp.State)...)
}

// Read keeps the state, because the record exists only there.
func (r *auditRecordResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *auditRecordResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(storeRecord(ctx, req.Config, req.Plan, &resp.State)...)
}

func (r *auditRecordResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState says how to get a lost record back.
func (r *auditRecordResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("Records cannot be imported", "The record of an audit exists only in the Terraform state, so there is nothing to import it from. "+
		"If the state is lost, push its last version from the backend with terraform state push. The guide \"Manage Audit Records\" shows the commands.")
}

// maxShownKeys is the maximum number of keys in a warning.
const maxShownKeys = 5

// planRecord sets the planned record and changes, and returns the messages of what must be
// accepted before they are stored.
func planRecord(ctx context.Context, config tfsdk.Config, state tfsdk.State, plan *tfsdk.Plan) ([]string, diag.Diagnostics) {
	var stored auditRecordModel
	var diags diag.Diagnostics
	if !config.Raw.IsFullyKnown() {
		diags.Append(plan.SetAttribute(ctx, path.Root("record"), types.StringUnknown())...)
		diags.Append(plan.SetAttribute(ctx, path.Root("changes"), types.ListUnknown(auditChange().Type()))...)
		return nil, diags
	}
	parsed, accepted, diags := configuredAudit(ctx, config)
	if !state.Raw.IsNull() {
		diags.Append(state.Get(ctx, &stored)...)
	}
	if diags.HasError() {
		return nil, diags
	}
	assessment, err := audit.AssessForRecord(parsed, &audit.History{Record: stored.Record, Changes: stored.Changes, Accepted: accepted})
	if err != nil {
		diags.AddError("Invalid audit record", recordAdvice)
		return nil, diags
	}
	updated := assessment.Next()
	// Terraform allows the earlier value of an argument if it has the same meaning.
	if *updated.Record == api.ValueOf(stored.Record) && accepted != nil && audit.HasOnlySpent(accepted, stored.Accepted, stored.Changes) {
		diags.Append(plan.SetAttribute(ctx, path.Root("accepted"), stored.Accepted)...)
	}
	// What is stored is set, too: if accepted has changed, the framework has made it unknown.
	diags.Append(plan.SetAttribute(ctx, path.Root("record"), updated.Record)...)
	diags.Append(plan.SetAttribute(ctx, path.Root("changes"), updated.Changes)...)
	return assessment.Refused(), diags
}

// recordAdvice says what to do about an invalid record.
const recordAdvice = "The value of record is damaged, or was not written by this resource. Restore the state from a backup. Under mock_provider of terraform test, " +
	"set record = \"\" in the defaults of mock_resource. To begin a new record, run terraform state rm for the resource. You must then accept the new record, and changes " +
	"since the last audit are not found."

// storeRecord sets the state, which has the earlier record or is null, to the plan, unless
// that contains changes that must be accepted first. A plan with them is usually stopped by a
// precondition. But Terraform skips preconditions for values that were unknown, and with -target.
func storeRecord(ctx context.Context, config tfsdk.Config, plan tfsdk.Plan, state *tfsdk.State) diag.Diagnostics {
	refused, diags := planRecord(ctx, config, *state, &plan)
	if len(refused) > 0 {
		diags.AddAttributeError(path.Root("accepted"), "Changes are not accepted", "The audit was not recorded, and the record is unchanged. If the following "+
			"findings are right, add their keys to the accepted argument, and keep them there until the audit is recorded. Otherwise, undo the changes.\n\n"+strings.Join(refused, "\n\n"))
	}
	if !diags.HasError() {
		state.Raw = plan.Raw
	}
	return diags
}

// configuredAudit returns the arguments.
func configuredAudit(ctx context.Context, config tfsdk.Config) (*audit.Audit, map[string]string, diag.Diagnostics) {
	var configured auditRecordModel
	diags := config.Get(ctx, &configured)
	parsed, err := audit.Parse(api.ValueOf(configured.Audit))
	if err != nil {
		advice := "The value " + err.Error() + ". Set audit to jsonencode(data.convo_workspace_audit.NAME)."
		if configured.Audit == nil {
			advice = "The value is null. Remove audit and all from ignore_changes in the lifecycle block of the resource."
		}
		diags.AddAttributeError(path.Root("audit"), invalidValue("audit"), advice)
	}
	return parsed, configured.Accepted, diags
}
