// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestAccAgentDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.UnitTest(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: testAccProviderConfig(s) + `
data "convo_agent" "test" {
  agent_id                = "agt_returns"
  include_definition_json = true
}
output "greeting" {
  value = jsondecode(data.convo_agent.test.graph.nodes_json)[0].blocks[0].content.richText[0].children[0].text
}
output "revision" {
  value = jsondecode(data.convo_agent.test.definition_json).ref.revision
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.convo_agent.test", tfjsonpath.New("current_user_mode"), knownvalue.StringExact("write")),
				statecheck.ExpectKnownValue("data.convo_agent.test", tfjsonpath.New("exposure").AtMapKey("state").AtMapKey("published"), knownvalue.Bool(true)),
				statecheck.ExpectSensitiveValue("data.convo_agent.test", tfjsonpath.New("exposure").AtMapKey("access").AtMapKey("share").AtMapKey("token")),
				// The definition is not sensitive, so that expressions can use it.
				statecheck.ExpectKnownOutputValue("greeting", knownvalue.StringExact("Hello 👋 <b>& welcome</b>, {{customerName}}!")),
				statecheck.ExpectKnownOutputValue("revision", knownvalue.StringExact("42")),
			},
		}},
	})
}

func (*agentDataSource) readCases() []readCase {
	return []readCase{
		{
			name:     "agent with all fields, and a query",
			config:   object{"agent_id": "agt_returns", "query": object{"workspaceId": "a b"}},
			requests: []string{"GET /v1/agents/agt_returns?workspaceId=a+b"},
			want:     expectedFullAgent(),
			task:     "read agent", about: `agent "agt_returns"`,
			missing: map[string]string{`{"agent":{}}`: "current_user_mode", `{"agent":{},"currentUserMode":null}`: "current_user_mode"},
			invalid: map[string]string{
				`{"currentUserMode":"read"}`: "  - agent: required, but missing\n\n",
				`{"agent":{"canvas":{"annotations":[{},{"zIndex":"1"}]},"graph":{"links":{}}}}`: "  - agent.canvas.annotations[1].zIndex: expected a " +
					"number, got a string\n  - agent.graph.links: expected an array, got an object\n\n",
			},
		},
		{
			name:     "agent with few fields, and its definition",
			config:   object{"agent_id": "agt_scratch", "include_definition_json": true},
			requests: []string{"GET /v1/agents/agt_scratch"},
			want:     expectedSparseAgent(),
		},
	}
}

// definition_json is the whole definition with null instead of the share token,
// whatever the definition contains.
func TestAgentDefinitionJSON(t *testing.T) {
	t.Parallel()
	seed := devserver.ManyAgents(10)
	seed.Agents = append(seed.Agents, devserver.DefaultSeed().Agents...)
	p := configured(t, startService(t, devserver.WithSeed(seed)))
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
	for _, agent := range seed.Agents {
		state := p.mustRead("convo_agent", object{"agent_id": agent.ID, "include_definition_json": true})
		want := token.ReplaceAllString(string(agent.Definition), "null")
		if diff := cmp.Diff(parse(want), parse(state["definition_json"].(string))); diff != "" {
			t.Errorf("%s: unexpected definition_json (-want +got):\n%s", agent.ID, diff)
		}
	}
}

// Undocumented fields and enum values, and any JSON where a string is expected,
// do not cause errors.
func TestAgentWithUndocumentedContent(t *testing.T) {
	t.Parallel()
	p := configured(t, responding(t, `{
		"agent": {"brandNew": {"x": [1]}, "profile": {"title": 12, "more": null}, "canvas": {"annotations": [{"color": "mauve"}]},
			"graph": {"memory": [{"value": {"b": 2, "a": [1.0]}}, {"value": false}]}},
		"currentUserMode": "owner", "extra": 1
	}`))
	state := p.mustRead("convo_agent", object{"agent_id": "a"})
	if state["current_user_mode"] != "owner" {
		t.Errorf("got the mode %v", state["current_user_mode"])
	}
	if title := state["profile"].(object)["title"]; title != "12" {
		t.Errorf("got the title %v", title)
	}
	if color := state["canvas"].(object)["annotations"].(list)[0].(object)["color"]; color != "mauve" {
		t.Errorf("got the color %v", color)
	}
	var values list
	for _, variable := range state["graph"].(object)["memory"].(list) {
		values = append(values, variable.(object)["value"])
	}
	if diff := cmp.Diff(list{`{"a":[1.0],"b":2}`, "false"}, values); diff != "" {
		t.Errorf("unexpected values (-want +got):\n%s", diff)
	}
}
