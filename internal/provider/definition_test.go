// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// A file means the same as what yamldecode makes of it, so that a definition can be
// compared with one that passed through it. This holds for all that yamlencode writes, and
// for most of what people write.
func TestAccYAMLDefinitions(t *testing.T) {
	t.Parallel()
	needsCLI(t, "functions", "1.8", "1.7")
	documents := []string{
		"graph: {}\n",
		"---\ngraph: {}\n...\n",
		"# Comment\r\ngraph:\r\n  nodes: # Comment\r\n  - id: a\r\n",
		"\ufeffgraph: {}\n",
		`{"graph": {"nodes": [{"id": "a", "text": "é\u00e9\n\"\\ \u2028"},],},}`,
		"graph: {a: true, b: True, c: yes, d: No, e: on, f: OFF, g: y, h: N, i: 'yes', j: \"no\", k: yES, l: true story}",
		"graph: {a: null, b: ~, c: , d: Null, e: 'null', f: nULL}\nempty:\n",
		"graph: {a: 1, b: -1.50, c: 1e3, d: 1E+05, e: +7, f: .5, g: 5., h: 007, i: -0, j: 1.5e-3, k: 0x1F, l: 0o17}",
		"graph: {a: 1.2.3, b: 1-2, c: 12:30, d: 1e, e: +, f: ., g: 0x, k: '1', l: 1 2}",
		"graph:\n  a: |\n    Hello {{name}}\n\n      yes\n  b: >\n    folded\n    text\n  c: |-\n    no end\n  d: >+\n    end\n\n  e: plain\n    text\n\n    lines\n  f: \"a\n    b\\\n    c\"\n",
		"graph:\n  x: 1\n  y: 2\n  1: a\n  1.5: b\n  'yes': c\n  ? e\n  : f\n",
		"graph:\n  a: 1\n  a: 2\n  a: 3\n",
		"base: &base {a: 1, b: {c: 1}}\ngraph:\n  all: *base\n  list: [*base, *base]\n  text: &text Hello\n  copy: *text\n",
		"base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\ngraph:\n  before: {<<: *base, b: 5}\n  after: {b: 5, <<: *base}\n  several: {<<: *base, <<: *more, d: 6}\n  inline: {<<: {e: 7}}\n  nested: {<<: {<<: *base}}\n",
		"graph:\n  x: &a 1\n  y: &a 2\n  z: *a\n",
		"graph: {a: !!str 12, b: !!int 12, c: !!float 1.5, d: !!bool yes, e: !!null ~, g: !!map {}, h: !!seq [], j: !!str yes}",
		"graph: {a: 'it''s', b: \"\\t\\x41\\u00e9\\U0001F600\\0\", c: a#b, d: a:b, 'e: f': [a, [b], {c: d}]}",
	}
	texts, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]knownvalue.Check, len(documents))
	for i := range want {
		want[i] = knownvalue.ListExact([]knownvalue.Check{})
	}
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: functionsConfiguration() + fmt.Sprintf(`
output "differences" {
  value = [for text in jsondecode(%+q) : provider::convo::definition_diff(jsonencode(yamldecode(text)), text)]
}
`, texts),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("differences", knownvalue.ListExact(want))},
		}},
	})
}
