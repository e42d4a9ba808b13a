// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"regexp"
	"strings"
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
	config := testAccProviderConfig(startService(t)) + "data \"convo_workspace_audit\" \"test\" {\n  workspace_id = \"larkspur\"\n}\n"
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config:      config + "output \"test\" {\n  value = " + report + "[{ level = \"fatal\", rule = \"r\", message = \"m\" }], null)\n}\n",
				ExpectError: regexp.MustCompile(`(?s)Invalid value for "findings" parameter: the level of each finding must be\s+"error"\s+or\s+"warning"`),
			},
			{
				Config: config + "output \"test\" {\n  value = " + report + "[{ level = \"error\", rule = \"r\", message = \"m\" }], []).errors\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("test", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("m")})),
				},
			},
		},
	})
}

// callAudit calls a function for audits.
func (p *testProvider) callAudit(name string, arguments ...any) (object, *tfprotov6.FunctionError) {
	p.t.Helper()
	function := p.schema.Functions[name]
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		request.Arguments = append(request.Arguments, p.argument(name, i, argument))
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

// audited is the first argument of the functions for the development server's workspace.
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
	p := newTestProvider(t)
	audit := audited(t, startService(t))
	finding := object{"level": "error", "rule": "admins", "message": "a\x1b\n::error::b"}
	got, failure := p.callAudit("audit_report", audit, list{finding}, nil)
	if failure != nil {
		t.Fatal(failure.Text)
	}
	if diff := cmp.Diff(list{list{"a :\u200b:error:\u200b:b"}, list{}}, list{got["errors"], got["warnings"]}); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	none, change := "There are no changes.\n", object{"what": "member", "id": "a@example.com", "name": "Ann", "before": nil, "after": "ADMIN"}
	for _, test := range []struct {
		changes any
		want    string
	}{
		{nil, "\nThere is no earlier record of this workspace.\n"}, {list{}, none}, {list{change}, "\n| member | Ann | a@example.com | – | ADMIN |\n"},
		{list{object{"what": "x", "id": nil, "name": nil, "before": nil, "after": nil}}, "\n| x | – | – | – | – |\n"}, {list{nil}, "\n| – | – | – | – | – |\n"},
	} {
		got, failure := p.callAudit("audit_report", audit, list{}, test.changes)
		if failure != nil {
			t.Error(failure.Text)
		} else if !strings.Contains(got["markdown"].(string), test.want) {
			t.Errorf("with the changes %v, the report lacks %q:\n%s", test.changes, test.want, got["markdown"])
		}
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
		"level": {[]any{audit, finding("errors"), nil}, 1, `the level of each finding must be "error" or "warning"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := newTestProvider(t).callAudit("audit_report", test.arguments...)
			if failure == nil || failure.Text != test.want || failure.FunctionArgument == nil || *failure.FunctionArgument != test.argument {
				t.Errorf("got the error %+v, want %q", failure, test.want)
			}
		})
	}
}
