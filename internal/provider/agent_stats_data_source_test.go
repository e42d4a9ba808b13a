// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccAgentStatsDataSource(t *testing.T) {
	t.Parallel()
	s := startService(t)
	resource.Test(t, resource.TestCase{
		PreCheck:                 func() { testAccPreCheck(t) },
		ProtoV6ProviderFactories: testAccProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				Config: testAccProviderConfig(s) + `
data "convo_agent_stats" "test" {
  agent_id = "agt_returns"
}
`,
				ConfigStateChecks: expectAttributes("data.convo_agent_stats.test", counters("1535810", "153600", "15368", "10")),
			},
		},
	})
}

func TestAgentStatsDataSource_period(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configuredProvider(t, s).mustRead("convo_agent_stats", object{
		"agent_id": "agt_returns", "period": "last7Days",
	})
	requireAttributes(t, state, counters("70", "26", "12", "46"))
	requireRequests(t, s, "GET /v1/agents/agt_returns/analytics/stats?timeFilter=last7Days")
}

// A percentage is rounded down, so that no agent reaches a threshold by rounding.
func TestAgentStatsDataSource_completionPercent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ starts, completed, percent string }{
		"just below":        {starts: "10000", completed: "6999", percent: "69"},
		"more than started": {starts: "2", completed: "3", percent: "150"},
		"no starts":         {starts: "0", completed: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServiceReturning(t, `{"stats":{"totalViews":0,"totalStarts":`+test.starts+`,"totalCompleted":`+test.completed+`}}`)
			state := configuredProvider(t, s).mustRead("convo_agent_stats", object{"agent_id": "a"})
			want := object{"agent_id": "a", "period": nil}
			maps.Copy(want, counters("0", test.starts, test.completed, test.percent))
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
		})
	}
}

// counters are those of a period, with a null percentage for "".
func counters(views, starts, completed, percent string) object {
	c := object{
		"total_views": number(views), "total_starts": number(starts), "total_completed": number(completed), "completion_percent": nil,
	}
	if percent != "" {
		c["completion_percent"] = number(percent)
	}
	return c
}
