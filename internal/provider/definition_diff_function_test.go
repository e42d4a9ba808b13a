// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// repairedDefinition is the broken definition without the node that cannot be
// reached, and with a link that leads to the first node.
var repairedDefinition = strings.NewReplacer(`"groupId": "grp_help"`, `"groupId": "grp_hello"`, `},
		{"id": "grp_old", "title": "Old"}`, `}`).Replace(brokenDefinition)

func TestAccDefinitionDiffFunction(t *testing.T) {
	t.Parallel()
	testAcc(t, startService(t), functions,
		failing(`output "test" { value = provider::convo::definition_diff(null, "{}") }`, nullDefinition),
		returning(definitionLocals+`
output "test" {
  value = {
    changed = provider::convo::definition_diff(local.repaired, local.broken)
    equal   = provider::convo::definition_diff(local.broken, local.broken)
    added   = provider::convo::definition_diff(local.broken, null)[*].id
  }
}
`, object{
			"changed": list{
				object{
					"change": "removed", "part": "node", "id": "grp_old", "title": "Old", "path": "",
					"before": `{"id":"grp_old","title":"Old"}`, "after": nil, "is_layout": false,
				},
				object{
					"change": "changed", "part": "link", "id": "lnk_help", "title": "Hello → Hello", "path": "to.groupId",
					"before": `"grp_help"`, "after": `"grp_hello"`, "is_layout": false,
				},
			},
			"equal": list{},
			"added": list{"grp_hello", "grp_old", "lnk_help", "lnk_start", "ent_start"},
		}),
	)
}
