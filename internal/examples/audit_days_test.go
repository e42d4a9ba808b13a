// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"regexp"
	"strings"
)

// recordedAt are the times in a report.
var recordedAt = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC`)

// auditDays audits day after day: the first audit, and days without changes.
func auditDays(e *example) {
	w := newWeek(e)
	w.accepted = map[string]string{}
	first := w.run().fails("first_record/ws_larkspur01/", "The record begins with this audit: workspace ws_larkspur01 with 12 agents and 8 members.", "Warning: The apply will fail")
	first.reports(
		"# Audit of Larkspur Bicycles\n\n**❌ Failed: 1 error, 8 warnings, 0 accepted**\n",
		"| Trade desk | agt\\_trade | published, locked | `https://trade.larkspur-bicycles.example/`, trade.larkspur-bicycles.example | shared | ",
	)
	firstKey := first.key("first_record", "ws_larkspur01")
	w.accepted[firstKey] = "Compared with the service. Adaeze"
	w.run().passes("create", "**✅ Passed: 0 errors, 8 warnings, 0 accepted**\n", " | Compared with the service. Adaeze |\n")
	w.run().changesNothing()
}

// auditAccess changes a domain: an audit fails until the change is accepted.
func auditAccess(e *example) {
	w := newWeek(e)
	w.accepted = map[string]string{"first_record": "Compared with the service. Adaeze", "workspace_past_due": "The bank is informed. Adaeze"}
	w.run().passes("create")
	delete(w.accepted, "first_record")
	w.edit("agt_returns", `"domain": "chat.larkspur-bicycles.example"`, `"domain": "returns.example"`)
	red := w.run().fails("access_changed/agt_returns/")
	key := red.key("access_changed", "agt_returns")
	report := red.reports("**❌ Failed: 1 error, ",
		" | agent address | Returns \\& refunds | agt\\_returns | domain chat.larkspur-bicycles.example | domain returns.example |")
	// The times and the key, which depends on them, differ from run to run. The last table is too wide.
	shown, _, _ := strings.Cut(report, "\n## Agents\n")
	shown = strings.ReplaceAll(shown, key, "access_changed/agt_returns/5xmclwobh6scc4557jd5mrlj")
	times := []string{"2026-01-06 05:20 UTC", "2026-01-05 05:20 UTC"}
	e.picture("report", recordedAt.ReplaceAllStringFunc(shown, func(string) string {
		at := times[0]
		times = times[1:]
		return at
	}))
	// RULE/ID accepts no change in advance.
	w.accepted = map[string]string{"access_changed/agt_returns": "Every day has the same key."}
	w.run().fails(key)
	w.accepted = map[string]string{key: "Approved in CHANGE-7."}
	w.run().passes("update", "0 accepted**", "| Approved in CHANGE-7. |\n")
}
