// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestAccWorkspaceAuditDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const config = `
data "convo_workspace_audit" "test" {
  workspace_id  = "larkspur"
  agent_ids     = ["agt_returns", %s]
  agent_query   = { folder = "a" }
  stats_periods = ["last7Days", "today"]
}
`
	testAcc(t, s, anyVersion,
		failing(fmt.Sprintf(config, `"agt_z", "agt_a"`), "The service did not list these agents: agt_a, agt_z."),
		reading(fmt.Sprintf(config, `"agt_scratch"`), "data.convo_workspace_audit.test", expectedAudit()),
	)
	requireRequests(t, s,
		"GET /v1/agents/agt_returns",
		"GET /v1/agents/agt_returns/analytics/stats?timeFilter=last7Days",
		"GET /v1/agents/agt_returns/analytics/stats?timeFilter=today",
		"GET /v1/agents/agt_scratch",
		"GET /v1/agents/agt_scratch/analytics/stats?timeFilter=last7Days",
		"GET /v1/agents/agt_scratch/analytics/stats?timeFilter=today",
		"GET /v1/agents?folder=a",
		"GET /v1/workspaces/larkspur",
		"GET /v1/workspaces/larkspur/members",
	)
}

// Without definitions and periods, only three requests are sent. The list of agents lacks the tags.
func TestAccWorkspaceAuditEphemeralResource(t *testing.T) {
	t.Parallel()
	s := startService(t, withoutFields("agents.tags"))
	const config = `
ephemeral "convo_workspace_audit" "test" {
  workspace_id           = "larkspur"
  agent_ids              = ["agt_returns"]
  stats_periods          = []
  definitions            = false
  include_graph_findings = %t
}
`
	agent := expectedFullSummary()
	for _, name := range []string{
		"current_user_mode", "definition_hash", "revision", "is_archived", "is_locked", "domain", "risk_score", "workspace_ref",
		"is_shared", "share_rules_json", "collaborators_json", "security_json", "credentials_ref", "definition_parts",
	} {
		agent[name] = nil
	}
	agent["external_hosts"], agent["tags"], agent["labels"], agent["graph_findings"], agent["stats"] = list{}, list{}, list{}, list{}, object{}
	want := expectedAudit()
	maps.Copy(want, object{
		"agent_ids": list{"agt_returns"}, "agent_query": nil, "stats_periods": list{}, "definitions": false, "include_graph_findings": false,
		"agents": object{"agt_returns": agent},
	})
	testAcc(t, s, ephemeralResources,
		failing(fmt.Sprintf(config, true), "include_graph_findings requires the agents' definitions, but the definitions argument is false. Set it to true, or remove include_graph_findings."),
		opening(fmt.Sprintf(config, false), "ephemeral.convo_workspace_audit.test", want),
	)
	requireRequests(t, s, "GET /v1/agents", "GET /v1/workspaces/larkspur", "GET /v1/workspaces/larkspur/members")
}

// No list or map of an audit is null, whatever a service leaves out, except for arguments.
func TestWorkspaceAuditHasNoNullLists(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startServiceWithFaults(t, faults{
		"/v1/workspaces/larkspur":         jsonHandler(200, `{"workspace":{}}`),
		"/v1/workspaces/larkspur/members": jsonHandler(200, `{"members":[{"user":{}}]}`),
		"/v1/agents":                      jsonHandler(200, `{"agents":[{"id":"a"},{"id":"b"}]}`),
		"/v1/agents/a":                    jsonHandler(200, `{"agent":{}}`),
	}))
	typ := p.schema.DataSourceSchemas[workspaceAuditType].ValueType()
	resp := rpc(p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: workspaceAuditType, Config: p.toDynamic(typ, larkspurAudit(nil))})
	state, err := resp.State.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	var null []string
	err = tftypes.Walk(state, func(path *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		isList := value.Type().Is(tftypes.List{}) || value.Type().Is(tftypes.Set{}) || value.Type().Is(tftypes.Map{})
		if isList && value.IsNull() {
			null = append(null, path.String())
		}
		return true, nil
	})
	slices.Sort(null)
	if want := []string{`AttributeName("agent_ids")`, `AttributeName("agent_query")`, `AttributeName("stats_periods")`}; err != nil || !slices.Equal(null, want) {
		t.Errorf("these lists and maps are null: %v, want %v (%v)", null, want, err)
	}
}

// Findings of all graphs come with the same requests.
func TestWorkspaceAuditOfGraphs(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"include_graph_findings": true}))
	agents := state["agents"].(object)
	orders := agents["agt_orders"].(object)["graph_findings"].(list)[1]
	if diff := cmp.Diff(object{
		"kind": "unreachable_node", "id": "grp_holiday", "ids": list{"grp_holiday"}, "title": "Holiday notice",
		"message": `No links or jumps lead from an entry point to the node "Holiday notice", so no session reaches it.`,
	}, orders); diff != "" {
		t.Errorf("unexpected finding (-want +got):\n%s", diff)
	}
	if got := len(s.Requests()); got != 3+12 {
		t.Errorf("sent %d requests", got)
	}
}

// expectedAudit is an audit of two agents, one with a value in every attribute and one with null wherever possible.
func expectedAudit() object {
	return object{
		"workspace_id":           "larkspur",
		"agent_ids":              list{"agt_returns", "agt_scratch"},
		"agent_query":            object{"folder": "a"},
		"stats_periods":          list{"last7Days", "today"},
		"definitions":            nil,
		"include_graph_findings": nil,
		"read_at":                knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+Z$`)),
		"workspace":              expectedWorkspace(),
		"members":                expectedMembers(),
		"emails_by_role":         expectedEmailsByRole(),
		"agents":                 object{"agt_returns": expectedFullAudit(), "agt_scratch": expectedSparseAudit()},
		"problems":               list{},
		"is_complete":            true,
	}
}

// expectedFullAudit is what an audit has of the agent agt_returns.
func expectedFullAudit() object {
	audited := expectedFullSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"definition_hash":   "h2:96a045ed74c6e5229f71a6a5fece13e77c73ead1e6c538135d9d798f91c429d1",
		"definition_parts": `{"parts":{"appearance":"jxjp7KXb","entry points":"jm0T_d2d","integrations":"K13MoS4_","layout":"taX3YoXC","links":"OIzlfnBd","nodes":"jdGse_tT","other":"aJUTvuJZ","profile":"iLgtECSU","rules":"mDv1TrFt","tags":"vCZSC3yG","variables":"-rNXcqYr"},` +
			`"nodes":{"grp_exchange":{"title":"Exchange","hash":"-hzMkEhE"},"grp_refund":{"title":"Refund","hash":"Bw6iikXk"},"grp_welcome":{"title":"Welcome","hash":"LBgblIlY"}}}`,
		"external_hosts":     list{},
		"credentials_ref":    "cred_messaging_eu",
		"revision":           "42",
		"labels":             list{"service", "returns", "größe"},
		"is_archived":        false,
		"is_locked":          false,
		"domain":             "chat.larkspur-bicycles.example",
		"risk_score":         number("12.75"),
		"workspace_ref":      "ws_larkspur01",
		"is_shared":          true,
		"share_rules_json":   `{"allow":["larkspur-bicycles.example"],"expiresAfterDays":30,"password":null}`,
		"collaborators_json": `[{"type":"READ","userId":"usr_zoe"},{"invited":"ulrich@oddspoke-agency.example","since":1773300000}]`,
		"security_json": `{"allowedOrigins":["https://larkspur-bicycles.example","https://*.larkspur-bicycles.example"],` +
			`"captcha":{"provider":"none","threshold":0.5}}`,
		"graph_findings": list{},
		"stats": object{
			"today":     counters("7", "3", "1", "33"),
			"last7Days": counters("70", "26", "12", "46"),
		},
	})
	return audited
}

// expectedSparseAudit is what an audit has of the agent agt_scratch.
func expectedSparseAudit() object {
	audited := expectedSparseSummary()
	maps.Copy(audited, object{
		"current_user_mode": "write",
		"definition_hash":   "h2:f490abc576b4d5f31924f0d212f21705577ce92a3ed79e62943bd0ba463d8987",
		"definition_parts": `{"parts":{"entry points":"_NlwG_A9","layout":"47DEQpj8","links":"PaWxfnnF","nodes":"PaWxfnnF","other":"aJUTvuJZ","profile":"6MjLDxM-","rules":"o7R3N331","tags":"gD1Yi7FE"},` +
			`"nodes":{}}`,
		"external_hosts":     list{},
		"credentials_ref":    nil,
		"revision":           "1",
		"labels":             list{},
		"is_archived":        nil,
		"is_locked":          nil,
		"domain":             nil,
		"risk_score":         number("0"),
		"workspace_ref":      nil,
		"url":                "",
		"is_shared":          false,
		"share_rules_json":   nil,
		"collaborators_json": nil,
		"security_json":      nil,
		"graph_findings":     list{},
		"stats":              object{"today": counters("0", "0", "0", ""), "last7Days": counters("0", "0", "0", "")},
	})
	return audited
}

// expectedMembers are sorted by email address.
func expectedMembers() list {
	const people = "https://cdn.larkspur-bicycles.example/people/"
	return list{
		expectedMember("ADMIN", "Adaeze Nwosu", "adaeze@larkspur-bicycles.example", people+"adaeze.jpg"),
		expectedMember("MEMBER", "Beatriz Conceição", "beatriz@larkspur-bicycles.example", people+"beatriz.jpg"),
		expectedMember("MEMBER", "山田 花子", "hanako@larkspur-bicycles.example", people+"hanako.jpg"),
		expectedMember("BILLING", "Ilija Đorđević", "ilija@larkspur-bicycles.example", people+"ilija.jpg"),
		expectedMember("MEMBER", "Mirela Oancea", "mirela@larkspur-bicycles.example", people+"mirela.jpg"),
		expectedMember("ADMIN", "Søren Ågaard", "soren@larkspur-bicycles.example", people+"soren.jpg"),
		expectedMember("GUEST", "Workshop tablet", "workshop@larkspur-bicycles.example", ""),
		expectedMember("GUEST", "Zoë O’Dowd", "zoe@oddspoke-agency.example", "https://oddspoke-agency.example/zoe.png"),
	}
}

func expectedMember(role, name, email, image string) object {
	return object{"workspace_id": "ws_larkspur01", "role": role, "user": object{"name": name, "email": email, "image": image}}
}

func expectedEmailsByRole() object {
	return object{
		"ADMIN":   list{"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"},
		"BILLING": list{"ilija@larkspur-bicycles.example"},
		"GUEST":   list{"workshop@larkspur-bicycles.example", "zoe@oddspoke-agency.example"},
		"MEMBER":  list{"beatriz@larkspur-bicycles.example", "hanako@larkspur-bicycles.example", "mirela@larkspur-bicycles.example"},
	}
}
