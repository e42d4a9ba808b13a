// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// auditUnseen runs the pipeline where it sees less than before, or not all.
func auditUnseen(e *example) {
	e.service = startService(e.t)
	e.audit(`TF_VAR_owner_labels=[]`).check("recorded", auditTitle+"**0 errors, 6 warnings**\n\n")

	// A token lists 3 of 12 agents, while an agent that it lists and one that it does not list are edited.
	seed := revisedSeed("agt_trade", `"revision": "64"`, `"revision": "65"`)
	edited := slices.IndexFunc(seed.Agents, func(a devserver.Agent) bool { return a.ID == "agt_orders" })
	seed.Agents[edited].Definition = []byte(strings.Replace(string(seed.Agents[edited].Definition), `"revision": "8"`, `"revision": "9"`, 1))
	less := seed
	less.Agents = slices.DeleteFunc(slices.Clone(seed.Agents), func(a devserver.Agent) bool {
		return !slices.Contains([]string{"agt_trade", "agt_kiosk", "agt_returns"}, a.ID)
	})
	e.service = startService(e.t, withSeed(less))
	run := e.audit()
	run.check("failed", auditTitle+"**1 error, 5 warnings**\n\n")
	run.printed("9 agents or members are gone, or the token has less access than before.", "set maximum_removed to 9. Gone: Frame size finder (agt_bikefit), Careers")
	run.contains("| ❌\u00a0Error | workspace\\_removed | 9 agents or members are gone", "\n| agent | Order status | agt\\_orders | published, locked, https")

	// The record is kept, so that no edit is lost.
	e.service = startService(e.t, withSeed(seed))
	run = e.audit("RECORD=false")
	run.contains(auditChanged + auditOther + "| agent revision | Order status | agt\\_orders | revision 8 | revision 9 |\n" +
		"| agent revision | Trade desk | agt\\_trade | revision 64 | revision 65 |\n\n## Agents")

	// The variable accepts it.
	e.service = startService(e.t, withSeed(less))
	run = e.audit("TF_VAR_maximum_removed=9")
	run.check("recorded", auditTitle+"**0 errors, 5 warnings**\n\n")
	e.service = startService(e.t)
	e.audit().check("recorded", auditTitle+"**0 errors, 7 warnings**\n\n")

	// Without definitions, it is unknown to which workspace the agents belong.
	main := e.read(filepath.Join(e.source, "main.tf"))
	e.write("main.tf", strings.Replace(main, "include_graph_findings = true", "definitions = false", 1))
	run = e.audit()
	run.check("failed", auditTitle+"**1 error, 2 warnings**\n\n")
	run.contains("| ❌\u00a0Error | workspace\\_agents | The agents' workspace is unknown. |\n",
		"| definition | 12 of 12 |", "| Trade desk | agt\\_trade | published, otherwise unknown | unknown | unknown | 49 |", "\nThere are no changes.\n",
		"| 8 | 12 | 6 | unknown | unknown |")
	rules := e.read(filepath.Join(e.source, "rules.tf"))
	e.write("rules.tf", strings.Replace(rules, `local.audit.summary.foreign_agents == null ? ["The agents' workspace is unknown."] :`, "", 1))
	e.audit().check("recorded", auditTitle+"**0 errors, 2 warnings**\n\n")
	e.take("rules.tf", "rules.tf")

	// The service ignores the period.
	e.write("main.tf", strings.Replace(main, `["last30Days"]`, `["last30Days", "today"]`, 1))
	e.service = startService(e.t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/stats") {
				r.URL.RawQuery = ""
			}
			next.ServeHTTP(w, r)
		})
	})
	run = e.audit()
	run.check("recorded", auditTitle+"**0 errors, 8 warnings**\n\n")
	run.contains("| ⚠️\u00a0Warning | workspace\\_problems | Workspace: read agent statistics: Every agent with sessions has the same statistics")
	e.take("main.tf", "main.tf")

	// The service withholds the definitions of a past-due workspace.
	e.service = startService(e.t, withFault(unpaidAgents))
	run = e.audit()
	run.check("failed", auditTitle+"**2 errors, 2 warnings**\n\n"+auditFindings+"| ⚠️\u00a0Warning | workspace | A payment is past due. |\n")
	run.contains("| ❌\u00a0Error | workspace\\_problems | 12 agents: read agent: 404, NOT\\_FOUND, Not found. The workspace is past due, and some services",
		"| read\\_failed | read agent | 404, NOT\\_FOUND, Not found. The workspace is past due, and some services then withhold the definitions of its agents. | 12 | agt\\_bikefit,")

	// The service never returns a field that a rule requires.
	e.service = startService(e.t, withoutFields("workspace.isQuarantined"))
	e.audit().printed(`It is unknown whether the workspace is quarantined. See the rule "workspace" in rules.tf.`)
	e.write("rules.tf", strings.Replace(e.read(filepath.Join(e.source, "rules.tf")), `["suspended", "quarantined"]`, `["suspended"]`, 1))
	e.audit().check("recorded", auditTitle+"**0 errors, 8 warnings**\n\n")
	e.take("rules.tf", "rules.tf")
	e.service = startService(e.t)
	auditScript(e)
}

// auditScript runs the script with programs in place of the CLI.
func auditScript(e *example) {
	// The plan writes its progress to the log, and more errors than a comment on GitHub has room for.
	e.write("fake.sh", `case $1 in
output) echo '{}' ;;
plan)
  echo "2026-01-01T00:00:00Z [INFO]  provider.x: Auditing agents: 459 of 2000 reads done in 10s, time left: 34s: tf_rpc=Read" >> "$TF_LOG_PATH"
  head -c 100000 /dev/zero | tr '\0' 'x' >&2
  exit 1 ;;
esac
`)
	e.fails("rm -f audit.log; TERRAFORM='./fake.sh'; export TERRAFORM; chmod +x fake.sh; sh audit.sh",
		"Auditing agents: 459 of 2000 reads done in 10s, time left: 34s",
		"There is no earlier record to compare with. In CI, the record requires a backend.")
	if strings.Contains(e.output.String(), "tf_rpc") {
		e.t.Errorf("the progress contains fields of the log:\n%.500s", &e.output)
	}
	if report := e.read(filepath.Join(e.dir, "report.md")); len(report) > 5000 || !strings.HasPrefix(report, "# The audit failed\n\n## Errors\n\n    xxx") {
		e.t.Errorf("the report has %d bytes: %.100s", len(report), report)
	}
	if log := e.read(filepath.Join(e.dir, "audit.log")); !strings.Contains(log, "[INFO]") {
		e.t.Errorf("the log is %q", log)
	}
	// The script ends if the plan does not even begin.
	e.write("fake.sh", "echo '{}'; rm fake.sh")
	e.fails("TERRAFORM=./fake.sh sh audit.sh", "not found")
	e.succeeds("rm audit.log; test ! -e progress")
}
