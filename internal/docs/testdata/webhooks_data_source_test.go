// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccWebhooksDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccWebhooksDataSourceConfig(s, "ws_larkspur01"),
				ConfigStateChecks: expectAttributes("data.convo_webhooks.test", object{"webhooks": list{
					object{"id": "wh_1", "target_url": "https://hooks.example/1", "last_sent_at": nil, "filter_json": `{"on":["start"]}`},
					object{"id": "wh_2", "target_url": "https://hooks.example/2", "last_sent_at": "2026-03-17T16:42:05.003Z", "filter_json": nil},
				}}),
			},
			{
				Config:      testAccWebhooksDataSourceConfig(s, "nope"),
				ExpectError: regexp.MustCompile(`Unable to read webhooks`),
			},
		},
	})
}

func testAccWebhooksDataSourceConfig(s service, workspaceID string) string {
	return testAccProviderConfig(s) + fmt.Sprintf(`
data "convo_webhooks" "test" {
  workspace_id = %q
}
`, workspaceID)
}
