// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"
)

func TestAccAgentStatsDataSource(t *testing.T) {
	t.Parallel()
	want := counters("1535810", "153600", "15368", "10")
	want["agent_id"], want["period"] = "agt_returns", nil
	testAcc(t, startService(t), anyVersion,
		failing(`data "convo_agent_stats" "test" { agent_id = "agt_nope" }`, `The service returned 404 Not Found for agent "agt_nope": Not found (NOT_FOUND).`),
		reading(`data "convo_agent_stats" "test" { agent_id = "agt_returns" }`, "data.convo_agent_stats.test", want),
	)
}

func TestAccAgentStatsEphemeralResource(t *testing.T) {
	t.Parallel()
	config := func(period string) string {
		return fmt.Sprintf(`
ephemeral "convo_agent_stats" "test" {
  agent_id = "agt_returns"
  period   = %q
}
`, period)
	}
	want := counters("70", "26", "12", "46")
	want["agent_id"], want["period"] = "agt_returns", "last7Days"
	testAcc(t, startService(t), ephemeralResources,
		failing(config("last7days"), `Attribute period value must be one of: ["today" "last7Days"`),
		opening(config("last7Days"), "ephemeral.convo_agent_stats.test", want),
	)
}

// A percentage is rounded down, so that no agent reaches a threshold by rounding.
func TestAgentStatsDataSource_completionPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ starts, completed, percent string }{{"10000", "6999", "69"}, {"2", "3", "150"}, {"0", "0", ""}} {
		s := startServiceReturning(t, `{"stats":{"totalViews":0,"totalStarts":`+test.starts+`,"totalCompleted":`+test.completed+`}}`)
		state := configuredProvider(t, s).mustRead("convo_agent_stats", object{"agent_id": "a"})
		requireAttributes(t, state, counters("0", test.starts, test.completed, test.percent))
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
