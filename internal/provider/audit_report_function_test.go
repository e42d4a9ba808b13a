// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestAccAuditReportFunction(t *testing.T) {
	t.Parallel()
	if !cliHas("1.8", "1.7") {
		return // TestAccGraphFindingsFunction_old shows what an older CLI does.
	}
	const report = "provider::convo::audit_report(jsonencode(data.convo_workspace_audit.test), "
	config := testAccProviderConfig(startService(t)) + "data \"convo_workspace_audit\" \"test\" {\n  workspace_id = \"larkspur\"\n}\n" +
		"locals {\n  first = " + report + "[], null)\n}\n"
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config:      config + "output \"test\" {\n  value = " + report + "[{ level = \"fatal\", rule = \"r\", message = \"m\" }], null)\n}\n",
				ExpectError: regexp.MustCompile(`(?s)Invalid value for "findings" parameter: the level of each finding must be\s+"error"\s+or\s+"warning"`),
			},
			{
				Config: config + "output \"test\" {\n  value = " + report + "[{ level = \"error\", rule = \"r\", message = \"m\" }], local.first.record).errors\n}\n" +
					"output \"changes\" {\n  value = " + report + "[], local.first.record).changes\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("test", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("m")})),
					statecheck.ExpectKnownOutputValue("changes", knownvalue.ListExact(nil)),
				},
			},
		},
	})
}

// report calls audit_report.
func (p *testProvider) report(arguments ...any) (object, *tfprotov6.FunctionError) {
	p.t.Helper()
	function := p.schema.Functions["audit_report"]
	request := &tfprotov6.CallFunctionRequest{Name: "audit_report"}
	for i, argument := range arguments {
		request.Arguments = append(request.Arguments, p.argument("audit_report", i, argument))
	}
	resp := rpc(p, p.server.CallFunction, request)
	if resp.Error != nil {
		return nil, resp.Error
	}
	return p.fromDynamic(function.Return.Type, resp.Result), nil
}

// argument returns the value of an argument of a function.
func (p *testProvider) argument(function string, position int, value any) *tfprotov6.DynamicValue {
	p.t.Helper()
	typ := p.schema.Functions[function].Parameters[position].Type
	dynamic, err := tfprotov6.NewDynamicValue(typ, toTerraform(p.t, typ, value))
	if err != nil {
		p.t.Fatal(err)
	}
	return &dynamic
}

// audited is the argument of audit_report for the development server's workspace.
func audited(t *testing.T, s service) string {
	t.Helper()
	audit := configuredProvider(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "stats_periods": list{"last30Days"}})
	text, err := json.Marshal(audit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAuditReport(t *testing.T) {
	t.Parallel()
	finding := object{"level": "error", "rule": "admins", "message": "a\x1b\n::error::b"}
	p := newTestProvider(t)
	first, failure := p.report(audited(t, startService(t)), list{finding}, nil)
	if failure != nil {
		t.Fatal(failure.Text)
	}
	revised := startService(t, withSeed(revisedSeed("agt_trade", `"revision": "64"`, `"revision": "65"`, `"title": "Price list"`, `"title": "Prices"`)))
	second, failure := p.report(audited(t, revised), list{}, first["record"])
	if failure != nil {
		t.Fatal(failure.Text)
	}
	changed := list{}
	for _, change := range second["changes"].(list) {
		change := change.(object)
		changed = append(changed, change["what"].(string)+" "+change["id"].(string))
	}
	got := list{first["changes"], first["errors"], first["warnings"], changed, second["errors"]}
	want := list{list{}, list{"a :\u200b:error:\u200b:b"}, list{}, list{"agent revision agt_trade", "agent definition agt_trade"}, list{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected reports (-want +got):\n%s", diff)
	}
}

// OpenTofu sends a null argument as no value.
func TestNullArgumentOfOpenTofu(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	audit := p.argument("audit_report", 0, audited(t, startService(t)))
	resp := rpc(p, p.server.CallFunction, &tfprotov6.CallFunctionRequest{
		Name: "audit_report", Arguments: []*tfprotov6.DynamicValue{audit, p.argument("audit_report", 1, list{}), {}},
	})
	if resp.Error != nil {
		t.Error(resp.Error.Text)
	}
}

func TestAuditReportErrors(t *testing.T) {
	t.Parallel()
	audit := audited(t, startService(t))
	finding := func(level string) list { return list{object{"level": level, "rule": "r", "message": "m"}} }
	tests := map[string]struct {
		arguments []any
		argument  int64
		want      string
	}{
		"audit":        {[]any{`{"agents": "secret"}`, list{}, nil}, 0, "this is not the JSON text of an audit. Pass jsonencode(data.convo_workspace_audit.NAME)"},
		"null finding": {[]any{audit, append(finding("error"), nil), nil}, 1, "the finding with index 1, or one of its attributes, is null"},
		"null message": {[]any{audit, list{object{"level": "error", "rule": "r", "message": nil}}, nil}, 1,
			"the finding with index 0, or one of its attributes, is null"},
		"level":  {[]any{audit, finding("errors"), nil}, 1, `the level of each finding must be "error" or "warning"`},
		"record": {[]any{audit, finding("warning"), "secret"}, 2, "this is not a record. Pass the record of an earlier audit_report, or null to begin a new record. If it comes from a file, delete the file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := newTestProvider(t).report(test.arguments...)
			if failure == nil || failure.Text != test.want || failure.FunctionArgument == nil || *failure.FunctionArgument != test.argument {
				t.Errorf("got the error %+v, want %q", failure, test.want)
			}
		})
	}
}
