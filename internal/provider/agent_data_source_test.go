// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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

// A second implementation of the rules for names and nulls agrees with the state
// of agents whose states nobody wrote by hand.
func TestAgentsMatchTheirDefinitions(t *testing.T) {
	t.Parallel()
	seed := devserver.ManyAgents(40)
	seed.Agents = append(seed.Agents, devserver.DefaultSeed().Agents...)
	p := configured(t, startService(t, devserver.WithSeed(seed)))
	attributes := p.schema.DataSourceSchemas["convo_agent"].ValueType().(tftypes.Object).AttributeTypes
	for _, argument := range []string{"agent_id", "query", "include_definition_json", "definition_json", "current_user_mode"} {
		delete(attributes, argument)
	}
	for _, agent := range seed.Agents {
		state := p.mustRead("convo_agent", object{"agent_id": agent.ID, "include_definition_json": true})
		agree(t, agent.ID, attributes, parse(t, agent.Definition), state)
		want := parse(t, agent.Definition)
		withoutShareToken(want)
		if diff := cmp.Diff(want, parse(t, []byte(state["definition_json"].(string)))); diff != "" {
			t.Errorf("%s: definition_json differs (-want +got):\n%s", agent.ID, diff)
		}
	}
}

// withoutShareToken sets the share token of a definition to null.
func withoutShareToken(definition any) {
	for _, key := range []string{"exposure", "access", "share"} {
		fields, _ := definition.(map[string]any)
		definition = fields[key]
	}
	if share, ok := definition.(map[string]any); ok && share["token"] != nil {
		share["token"] = nil
	}
}

// agree compares an object of the service with the attributes made of it.
func agree(t *testing.T, location string, types map[string]tftypes.Type, document any, state object) {
	t.Helper()
	source, _ := document.(map[string]any)
	for name, typ := range types {
		words := strings.Split(strings.TrimSuffix(name, "_json"), "_")
		key := words[0]
		for _, word := range words[1:] {
			key += strings.ToUpper(word[:1]) + word[1:]
		}
		here := location + "." + key
		want, got := source[key], state[name]
		switch {
		case want == nil || got == nil:
			if want != nil || got != nil {
				t.Errorf("%s: got %v, want %v", here, got, want)
			}
		case strings.HasSuffix(name, "_json"):
			if diff := cmp.Diff(want, parse(t, []byte(got.(string)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", here, diff)
			}
		default:
			agreeValue(t, here, typ, want, got)
		}
	}
}

func agreeValue(t *testing.T, location string, typ tftypes.Type, want, got any) {
	t.Helper()
	if want == nil || got == nil {
		if want != nil || got != nil {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
		return
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		agree(t, location, typ.AttributeTypes, want, got.(object))
	case tftypes.List:
		elements := want.([]any)
		if len(elements) != len(got.(list)) {
			t.Errorf("%s: got %d elements, want %d", location, len(got.(list)), len(elements))
			return
		}
		for i := range elements {
			agreeValue(t, fmt.Sprintf("%s[%d]", location, i), typ.ElementType, elements[i], got.(list)[i])
		}
	default:
		if text, ok := want.(json.Number); ok && typ.Is(tftypes.Number) {
			float, _, err := big.ParseFloat(text.String(), 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			want = number(float.Text('f', -1))
		}
		if want != got {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
	}
}

func parse(t *testing.T, document []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
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
