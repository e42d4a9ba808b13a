// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAccAuditRecordFunction(t *testing.T) {
	t.Parallel()
	if !cliHas("1.8", "1.7") {
		return // TestAccGraphFindingsFunction_old shows what an older CLI does.
	}
	const record = "provider::convo::audit_record(jsonencode(data.convo_workspace_audit.test), "
	config := testAccProviderConfig(startService(t)) + "data \"convo_workspace_audit\" \"test\" {\n  workspace_id = \"larkspur\"\n}\n" +
		"locals {\n  first = " + record + "null)\n}\n"
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config:      config + "output \"test\" {\n  value = " + record + "\"{}\")\n}\n",
				ExpectError: regexp.MustCompile(`(?s)Invalid value for "previous" parameter: this is not a record`),
			},
			{
				Config: config + "output \"first\" {\n  value = local.first.changes == null\n}\n" +
					"output \"second\" {\n  value = " + record + "local.first.record).changes\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("first", knownvalue.Bool(true)),
					statecheck.ExpectKnownOutputValue("second", knownvalue.ListExact(nil)),
				},
			},
		},
	})
}

// changesOf returns the changes that audit_record finds, each as its first two
// attributes.
func changesOf(t *testing.T, before, after service) []string {
	t.Helper()
	p := newTestProvider(t)
	first, failure := p.callAudit("audit_record", audited(t, before), nil)
	if failure != nil {
		t.Fatal(failure.Text)
	}
	second, failure := p.callAudit("audit_record", audited(t, after), first["record"])
	if failure != nil {
		t.Fatal(failure.Text)
	}
	if first["changes"] != nil {
		t.Errorf("without a record, the changes are %v", first["changes"])
	}
	changes := []string{}
	for _, change := range second["changes"].(list) {
		change := change.(object)
		changes = append(changes, change["what"].(string)+" "+change["id"].(string))
	}
	return changes
}

// Each edit of a definition is one change, and what is no edit is none.
func TestAuditRecord(t *testing.T) {
	t.Parallel()
	edited := func(agentID string, texts ...string) service {
		return startService(t, withSeed(revisedSeed(agentID, texts...)))
	}
	anotherUser := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+devserver.TokenRead)
			next.ServeHTTP(w, r)
		})
	}
	members := devserver.DefaultSeed()
	workspace := members.Workspaces[0].Documents
	workspace["members"] = []byte(strings.Replace(string(workspace["members"]), "mirela@", "new@", 1))
	tests := map[string]struct {
		after service
		want  []string
	}{
		"two reads":     {after: startService(t)},
		"columns":       {after: edited("agt_trade", `"width": {`, `"width": {"new": 300, `)},
		"time":          {after: edited("agt_trade", `"updated": "`, `"updated": "9`)},
		"edit":          {edited("agt_trade", `"revision": "64"`, `"revision": "65"`, `"title": "Price list"`, `"title": "Prices"`), []string{"agent definition agt_trade"}},
		"labels":        {edited("agt_trade", `"dealers"`, `"traders"`), []string{"agent definition agt_trade"}},
		"domain":        {edited("agt_trade", `"domain": "trade.`, `"domain": "desk.`, `"url": "https://trade.`, `"url": "https://desk.`), []string{"agent address agt_trade"}},
		"no sharing":    {edited("agt_trade", `"shr_Tr11"`, `null`), []string{"agent sharing agt_trade"}},
		"security":      {edited("agt_trade", `"security": `, `"security": {"new": true}, "was": `), []string{"agent security settings agt_trade"}},
		"collaborators": {edited("agt_trade", `"collaborators": []`, `"collaborators": [{"userId": "usr_new"}]`), []string{"agent collaborators agt_trade"}},
		"locked":        {edited("agt_trade", `"locked": true`, `"locked": false`), []string{"agent state agt_trade"}},
		"revision":      {edited("agt_trade", `"revision": "64"`, `"revision": "65"`), []string{"agent revision agt_trade"}},
		"another user":  {after: startService(t, anotherUser)},
		"no definition": {after: startService(t, withFault(unpaidAgents))},
		"address of a member": {
			startService(t, withSeed(members)), []string{"member mirela@larkspur-bicycles.example", "member new@larkspur-bicycles.example"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]string{}, test.want...), changesOf(t, startService(t), test.after)); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
		})
	}
	// The definitions are encoded in the same way, because the hash is of their text.
	reencoded := startService(t, withoutFields("agent.none"))
	if got := changesOf(t, reencoded, startService(t, withoutFields("agent.exposure"))); len(got) > 0 {
		t.Errorf("without exposure, the changes are %q", got)
	}
}

// OpenTofu sends a null argument as no value.
func TestNullArgumentOfOpenTofu(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	audit := p.argument("audit_record", 0, audited(t, startService(t)))
	resp := rpc(p, p.server.CallFunction, &tfprotov6.CallFunctionRequest{Name: "audit_record", Arguments: []*tfprotov6.DynamicValue{audit, {}}})
	if resp.Error != nil {
		t.Error(resp.Error.Text)
	}
}

func TestAuditRecordErrors(t *testing.T) {
	t.Parallel()
	audit := audited(t, startService(t))
	for _, test := range []struct {
		arguments []any
		argument  int64
		want      string
	}{
		{[]any{`{"agents": "secret"}`, nil}, 0, "this is not the JSON text of an audit. Pass jsonencode(data.convo_workspace_audit.NAME)"},
		{[]any{audit, "secret"}, 1, "this is not a record. Pass the record of an earlier audit_record, or null to begin a new record. If it comes from a file, delete the file"},
	} {
		_, failure := newTestProvider(t).callAudit("audit_record", test.arguments...)
		if failure == nil || failure.Text != test.want || failure.FunctionArgument == nil || *failure.FunctionArgument != test.argument {
			t.Errorf("got the error %+v, want %q", failure, test.want)
		}
	}
}
