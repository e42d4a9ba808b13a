// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAccAgentDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const config = `
data "convo_agent" "test" { name = %q }
output "greeting" {
  value = jsondecode(data.convo_agent.test.graph.nodes_json)[0].blocks[0].content.richText[0].children[0].text
}
`
	step := reading(fmt.Sprintf(config, "Returns & refunds"), "data.convo_agent.test", expectedFullAgent())
	// The definition is not sensitive, so that expressions can use it.
	step.ConfigStateChecks = append(step.ConfigStateChecks,
		statecheck.ExpectSensitiveValue("data.convo_agent.test", tfjsonpath.New("exposure").AtMapKey("access").AtMapKey("share").AtMapKey("token")),
		statecheck.ExpectKnownOutputValue("greeting", knownvalue.StringExact("Hello 👋 <b>& welcome</b>, {{customerName}}!")))
	testAcc(t, s, anyVersion,
		failing(fmt.Sprintf(config, "Returns"), `None of the 12 agents that the service lists has the name "Returns". Names must match exactly, also in letter case.`), step)
	requireRequests(t, s, "GET /v1/agents", "GET /v1/agents/agt_returns")
}

func TestAccAgentEphemeralResource(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), ephemeralResources,
		failing(`ephemeral "convo_agent" "test" { agent_id = "agt_nope" }`, `The service returned 404 Not Found for agent "agt_nope": Not found (NOT_FOUND).`),
		opening(`
ephemeral "convo_agent" "test" {
  agent_id                = "agt_scratch"
  include_definition_json = true
}
`, "ephemeral.convo_agent.test", expectedSparseAgent()))
}

// definition_json is the whole definition with null instead of the share token,
// whatever the definition contains.
func TestAgentDataSource_definitionJSON(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startService(t))
	token := regexp.MustCompile(`"shr_\w+"`)
	parse := func(document string) any {
		decoder := json.NewDecoder(strings.NewReader(document))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, agent := range devserver.DefaultSeed().Agents {
		state := p.mustRead("convo_agent", object{"agent_id": agent.ID, "include_definition_json": true})
		want := token.ReplaceAllString(string(agent.Definition), "null")
		if diff := cmp.Diff(parse(want), parse(state["definition_json"].(string))); diff != "" {
			t.Errorf("%s: unexpected definition_json (-want +got):\n%s", agent.ID, diff)
		}
	}
}

// Undocumented fields and enum values, and any JSON where a string is expected,
// do not cause errors.
func TestAgentDataSource_undocumentedContent(t *testing.T) {
	t.Parallel()
	s := startServiceReturning(t, `{
		"agent": {"brandNew": {"x": [1]}, "profile": {"title": 12, "more": null}, "canvas": {"annotations": [{"color": "mauve"}]},
			"graph": {"memory": [{"value": {"b": 2, "a": [1.0]}}, {"value": false}]}},
		"currentUserMode": "owner", "extra": 1
	}`)
	p := configuredProvider(t, s)
	state := p.mustRead("convo_agent", object{"agent_id": "a"})
	got := list{state["current_user_mode"], state["profile"].(object)["title"], state["canvas"].(object)["annotations"].(list)[0].(object)["color"]}
	for _, variable := range state["graph"].(object)["memory"].(list) {
		got = append(got, variable.(object)["value"])
	}
	if diff := cmp.Diff(list{"owner", "12", "mauve", `{"a":[1.0],"b":2}`, "false"}, got); diff != "" {
		t.Errorf("unexpected values (-want +got):\n%s", diff)
	}
}

// expectedFullAgent has a value in every attribute.
func expectedFullAgent() object {
	return object{
		"agent_id": "agt_returns", "name": "Returns & refunds", "query": nil, "include_definition_json": nil, "definition_json": nil,
		"current_user_mode": "write",
		"ref":               object{"key": "agt_returns", "revision": "42", "public_key": "returns-refunds-x81q"},
		"profile": object{
			"title":   "Returns & refunds",
			"summary": "Walks a customer through returning a bike, a part or a <b>wrong size</b>, and books the courier.",
			"icon":    "📦",
			"labels":  list{"service", "returns", "größe"},
		},
		"graph": object{
			"links": list{
				object{
					"id":   "lnk_start",
					"from": object{"block_id": "blk_start", "item_id": "itm_start"},
					"to":   object{"group_id": "grp_welcome", "block_id": "blk_hello"},
				},
				object{
					"id":   "lnk_wrong_size",
					"from": object{"block_id": "blk_reason", "item_id": "itm_wrong_size"},
					"to":   object{"group_id": "grp_exchange", "block_id": "blk_sizes"},
				},
				object{
					"id":   "lnk_damaged",
					"from": object{"block_id": "blk_reason", "item_id": "itm_damaged"},
					"to":   object{"group_id": "grp_refund", "block_id": "blk_photo"},
				},
			},
			"nodes_json": `[` +
				`{"blocks":[` +
				`{"content":{"richText":[` +
				`{"children":[{"text":"Hello 👋 <b>& welcome</b>, {{customerName}}!"}],"type":"p"},` +
				`{"children":[{"bold":true,"text":"𝔏arkspur — Zürich · 東京 · 𠮷野家"}],"type":"p"}]},` +
				`"id":"blk_hello","type":"text"},` +
				`{"id":"blk_reason","items":[` +
				`{"content":"Wrong size","id":"itm_wrong_size","outgoingEdgeId":"lnk_wrong_size"},` +
				`{"content":"Damaged \"on arrival\"\tor\\and late\n","id":"itm_damaged","outgoingEdgeId":"lnk_damaged"}],` +
				`"options":{"buttonLabel":null,"isMultipleChoice":false,"variableId":"var_reason"},"type":"choice input"}],` +
				`"graphCoordinates":{"x":-120.5,"y":1e3},"id":"grp_welcome","title":"Welcome"},` +
				`{"Middle":3,"alpha":2,"blocks":[],"escaped":"<script>&` + "\u2028" + `","id":"grp_exchange","note":null,` +
				`"numbers":{"beyondDouble":9007199254740993,"capitalExponent":6.022E+23,"huge":12345678901234567890123,` +
				`"longFraction":3.14159265358979323846264338327950288,"negativeBeyondDouble":-9007199254740993,` +
				`"negativeZero":-0,"small":1e-7,"tenth":0.1,"trailingZero":2.50},` +
				`"settings":{},"title":"Exchange","zebra":1},` +
				`{"condition":{"or":[{"and":[{"not":{"or":[{"and":[{"not":{"compare":{` +
				`"left":{"variable":{"id":"var_amount","scale":[0,[1,[2,[3,[]]]]]}},"operator":">=","right":{"value":250.75}}}},` +
				`true]},false]}},"isReturning"]}]},"id":"grp_refund","title":"Refund"},` +
				`"a node that is only a string",null]`,
			"memory": list{
				object{"id": "var_customer", "name": "customerName", "is_session_variable": true, "value": "Żaneta 🚲"},
				object{"id": "var_reason", "name": "reason", "is_session_variable": true, "value": ""},
				object{"id": "var_courier", "name": "courierAccount", "is_session_variable": false, "value": "acct-0042"},
			},
			"entrypoints": list{
				object{
					"id":                "ent_start",
					"graph_coordinates": object{"x": number("-480.25"), "y": number("0")},
					"type":              "start",
					"outgoing_edge_id":  "lnk_start",
				},
				object{
					"id":                "ent_reminder",
					"graph_coordinates": object{"x": number("1000"), "y": number("-120.5")},
					"type":              "command",
					"outgoing_edge_id":  "lnk_damaged",
				},
			},
		},
		"canvas": object{
			"appearance_json": `{"chat":{"hostAvatar":{"isEnabled":true,"url":null},"inputs":{},"opacity":0.85,"roundness":"medium"},` +
				`"customCss":".bubble > b { color: #268bd2; } /* é */",` +
				`"general":{"background":{"content":"#fdf6e3","type":"color"},"font":{"family":"Atkinson Hyperlegible","type":"hosted"}}}`,
			"annotations": list{
				object{
					"id":      "ann_courier",
					"type":    "stickyNote",
					"content": "Courier pick-up only on weekdays.\nAsk Søren before changing 🛵",
					"x":       number("-120.5"),
					"y":       number("1000"),
					"width":   number("240"),
					"height":  number("160.75"),
					"color":   "yellow",
					"z_index": number("3"),
				},
				object{
					"id":      "ann_legal",
					"type":    "stickyNote",
					"content": "14 days, see the terms & conditions",
					"x":       number("0"),
					"y":       number("-32.125"),
					"width":   number("180.5"),
					"height":  number("90"),
					"color":   "yellow",
					"z_index": number("0"),
				},
			},
			"preset_id": "preset_larkspur",
		},
		"execution": object{
			"rules_json": `{"general":{"isInputPrefillEnabled":true,"isTypingEmulationEnabled":false},` +
				`"timeouts":[30,60,null],"typingEmulation":{"maxDelay":1.5,"speed":450}}`,
			"simulation_json": `{"isEnabled":true,"scenarios":[{"name":"wrong size","steps":["Wrong size","56 cm"]},` +
				`{"name":"damaged","steps":[]}]}`,
		},
		"exposure": object{
			"state":    object{"published": true, "archived": false, "locked": false},
			"schedule": object{"published_at": "2026-03-12T08:30:00.000Z"},
			"access": object{
				"url":    "https://chat.larkspur-bicycles.example/returns",
				"domain": "chat.larkspur-bicycles.example",
				"share": object{
					"token":      "shr_5Tz0nQ",
					"rules_json": `{"allow":["larkspur-bicycles.example"],"expiresAfterDays":30,"password":null}`,
				},
			},
		},
		"tenancy": object{
			"workspace_ref": "ws_larkspur01",
			"domain_ref":    "dom_chat",
			"workspace": object{
				"is_suspended": false,
				"is_past_due":  true,
				"members": list{
					object{"user_id": "usr_soren"},
					object{"user_id": "usr_adaeze"},
					object{"user_id": "usr_hanako"},
				},
				"collaborators_json": `[{"type":"READ","userId":"usr_zoe"},{"invited":"ulrich@oddspoke-agency.example","since":1773300000}]`,
			},
		},
		"timestamps": object{"created": "2023-06-02T13:45:09.118Z", "updated": "2026-03-17T16:42:05.003Z"},
		"taxonomy": object{
			"tags": object{
				"ids":            list{"tag_service", "tag_en", "tag_seasonal"},
				"relations_json": `[{"position":0,"tagId":"tag_service"},["tag_en","tag_seasonal"]]`,
			},
		},
		"safeguards": object{
			"security_json": `{"allowedOrigins":["https://larkspur-bicycles.example","https://*.larkspur-bicycles.example"],` +
				`"captcha":{"provider":"none","threshold":0.5}}`,
			"risk_score": number("12.75"),
		},
		"telemetry": object{
			"tables": object{
				"order":           list{"submittedAt", "var_reason", "var_customer"},
				"visibility_json": `{"submittedAt":true,"var_customer":false}`,
				"width_json":      `{"submittedAt":180,"var_reason":240.5}`,
			},
		},
		"integrations": object{"messaging": object{"credentials_ref": "cred_messaging_eu"}},
	}
}

// expectedSparseAgent keeps absent, null and empty apart.
func expectedSparseAgent() object {
	return object{
		"agent_id": "agt_scratch", "name": nil, "query": nil, "include_definition_json": true,
		"definition_json": `{"canvas":null,"execution":{"rules":{},"simulation":null},` +
			`"exposure":{"access":{"share":{"rules":null},"url":""},"schedule":{"publishedAt":null},"state":{"published":false}},` +
			`"graph":{"entrypoints":[{"id":"ent_start","type":"start"}],"links":[],"memory":null,"nodes":[]},` +
			`"profile":{"labels":[],"title":""},"ref":{"key":"agt_scratch","publicKey":null,"revision":"1"},` +
			`"safeguards":{"riskScore":0},"taxonomy":{"tags":null},"telemetry":{"tables":{"order":[],"visibility":{}}},` +
			`"timestamps":{"created":"2026-03-18T08:59:59.999Z"}}`,
		"current_user_mode": "write",
		"ref":               object{"key": "agt_scratch", "revision": "1", "public_key": nil},
		"profile":           object{"title": "", "summary": nil, "icon": nil, "labels": list{}},
		"graph": object{
			"links":      list{},
			"nodes_json": `[]`,
			"memory":     nil,
			"entrypoints": list{
				object{"id": "ent_start", "graph_coordinates": nil, "type": "start", "outgoing_edge_id": nil},
			},
		},
		"canvas":    nil,
		"execution": object{"rules_json": `{}`, "simulation_json": nil},
		"exposure": object{
			"state":    object{"published": false, "archived": nil, "locked": nil},
			"schedule": object{"published_at": nil},
			"access":   object{"url": "", "domain": nil, "share": object{"token": nil, "rules_json": nil}},
		},
		"tenancy":      nil,
		"timestamps":   object{"created": "2026-03-18T08:59:59.999Z", "updated": nil},
		"taxonomy":     object{"tags": nil},
		"safeguards":   object{"security_json": nil, "risk_score": number("0")},
		"telemetry":    object{"tables": object{"order": list{}, "visibility_json": `{}`, "width_json": nil}},
		"integrations": nil,
	}
}

// A name selects the only agent that has it. Terraform writes texts in one Unicode form.
func TestAgentDataSource_name(t *testing.T) {
	t.Parallel()
	const listed = `{"id":"agt_orders","name":"Orders"},{"id":"agt_1","name":"Twice"},{"id":"agt_2","name":"Twice"},
		{"name":"No ID"},{"id":"agt_3"},{"id":"agt_cafe","name":"Cafe\u0301"}`
	read := func(list, name string) (object, []string, []*tfprotov6.Diagnostic) {
		s := startServiceWithFaults(t, faults{
			"/v1/agents":          jsonHandler(200, list),
			"/v1/agents/agt_cafe": jsonHandler(200, `{"agent":{},"currentUserMode":"read"}`),
		})
		state, diagnostics := configuredProvider(t, s).read("convo_agent", object{"name": name, "query": object{"workspaceId": "w"}})
		return state, s.sent(), diagnostics
	}
	state, sent, diagnostics := read(`{"agents":[`+listed+`]}`, "Caf\u00e9")
	requireNone(t, diagnostics)
	if state["agent_id"] != "agt_cafe" {
		t.Errorf("unexpected state %v", state)
	}
	if diff := cmp.Diff([]string{"GET /v1/agents/agt_cafe", "GET /v1/agents?workspaceId=w"}, sent); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"orders": `None of the 6 agents that the service lists has the name "orders". Names must match exactly, also in letter case.`,
		"Twice":  `The name "Twice" is not unique. The agents with these IDs have it: agt_1, agt_2.`,
		"No ID":  `The service lists the agent with the name "No ID" without an ID.`,
	} {
		_, _, diagnostics := read(`{"agents":[`+listed+`]}`, name)
		requireError(t, diagnostics, `[AttributeName("name")] Unable to find agent`, want)
	}
	_, _, diagnostics = read(`{"agents":[`+listed+`],"nextCursor":"c"}`, "Orders")
	requireError(t, diagnostics, `[AttributeName("name")] Unable to find agent`, "may be incomplete", "nextCursor")
	_, _, diagnostics = read(`{"agents":[]}`, "Orders")
	requireError(t, diagnostics, "None of the 0 agents", "use a token for that workspace, or set query.", "set agent_id instead of name.")
	_, _, diagnostics = read(`{"code":"BAD_REQUEST"}`, "Orders")
	requireError(t, diagnostics, "Unable to read agents")
}

func TestAgentDataSource_idOrName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config object
		want   string
	}{
		"neither":            {object{}, "No attribute specified when one (and only one) of [agent_id,name] is required"},
		"both":               {object{"agent_id": "a", "name": "A"}, "2 attributes specified when one (and only one) of [agent_id,name] is required"},
		"query without name": {object{"agent_id": "a", "query": object{"x": "y"}}, `Attribute "name" must be specified when "query" is specified`},
		"empty name":         {object{"name": ""}, `[AttributeName("name")]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, newTestProvider(t).validateData("convo_agent", test.config), test.want)
		})
	}
}
