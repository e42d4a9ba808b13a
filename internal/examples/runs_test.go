// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
)

func runProviderExamples(e *example) {
	e.only("provider_tls.tf")
	// A certificate of httptest stands for that of the CA, the service, and the client.
	gateway := newService(e.t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("X-Gateway-Key"); got != "4711" {
				e.t.Errorf("the gateway got the key %q", got)
			}
			next.ServeHTTP(w, r)
		})
	})
	gateway.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	gateway.StartTLS()
	gateway.BaseURL = gateway.URL + "/api"
	e.service = gateway
	key, err := x509.MarshalPKCS8PrivateKey(gateway.TLS.Certificates[0].PrivateKey)
	if err != nil {
		e.t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw}))
	e.write("ca.pem", certificate)
	e.write("client.pem", certificate)
	e.write("client-key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	e.take("provider_tls.tf", "main.tf")
	e.write("versions.tf", requiredProvider)
	e.write("read.tf", "data \"convo_agents\" \"all\" {}\noutput \"agents\" {\n  value = length(data.convo_agents.all.agents)\n}\n")
	e.succeeds("terraform init; terraform apply -var gateway_key=4711")
	e.outputs(`{"agents": 12}`)
	e.succeeds("rm main.tf read.tf terraform.tfstate")
	e.runNullExpressions()
}

// runNullExpressions evaluates the expressions that the guide recommends for missing
// values, each with null.
func (e *example) runNullExpressions() {
	e.t.Helper()
	_, section, _ := strings.Cut(e.read(filepath.Join(guidesRoot, "terms.md.tmpl")), "## Missing Values\n")
	outputs := `locals {
  allowed = ["chat.larkspur-bicycles.example"]
}
variable "agent" {
  type = object({
    is_locked  = bool
    risk_score = number
    name       = string
    domain     = string
    graph      = object({ links = list(object({ id = string })) })
  })
  default = { is_locked = null, risk_score = null, name = null, domain = null, graph = null }
}
`
	for i, row := range regexp.MustCompile("(?m)^\\| [^|]+ \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		outputs += fmt.Sprintf("output \"row%d\" {\n  value = [for agent in [var.agent] : %s][0]\n}\n", i, row[1])
	}
	e.write("main.tf", outputs)
	e.succeeds("terraform apply")
	e.outputs(`{"row0": false, "row1": false, "row2": "unnamed", "row3": false, "row4": []}`)
}

func runSessionAgentExamples(e *example) {
	e.parts("resource.tf", "resource_move.tf", "resource_payload.tf", "import-by-string-id.tf")
	const (
		renewed = `POST /v1/sessions/ses_returns_open/updateAgent {"agentId":"agt_returns"}`
		payload = `POST /v1/sessions/ses_orders_open/updateAgent {"agent":{"id":"agt_nonexistent"}}`
		moved   = `POST /v1/sessions/ses_orders_open/updateAgent {"agentId":"agt_returns"}`
	)
	e.take("resource.tf", "main.tf")
	e.succeeds("terraform init; terraform apply")
	e.sent(renewed)
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")

	// An import sends nothing; the next plan does what is configured.
	imported := []string{"will be updated in-place", `+ agent_id = "agt_returns"`, `+ "revision" = "42"`, "0 to add, 1 to change, 0 to destroy."}
	e.succeeds("rm terraform.tfstate; terraform import convo_session_agent.example ses_returns_open", "Import successful!")
	e.succeeds("terraform plan", imported...)
	e.take("import-by-string-id.tf", "import.tf")
	e.succeeds("rm terraform.tfstate; terraform plan", append(imported, "Plan: 1 to import,")...)
	e.sent(renewed)

	// Changed arguments and another session each send an update.
	e.succeeds("rm import.tf; terraform apply")
	e.sent(renewed, renewed)
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.source, "resource.tf")), "  agent_id   = \"agt_returns\"\n\n", "\n", 1))
	e.succeeds("terraform apply", `- agent_id = "agt_returns" -> null`)
	newest := "POST /v1/sessions/ses_returns_open/updateAgent {}"
	e.sent(renewed, renewed, newest)
	e.take("resource_payload.tf", "main.tf")
	e.succeeds("terraform plan", "must be replaced")
	e.succeeds("terraform apply")
	e.sent(renewed, renewed, newest, payload)
	e.take("resource_move.tf", "main.tf")
	e.succeeds("terraform apply")
	e.sent(renewed, renewed, newest, payload, moved)
	e.take("resource_payload.tf", "main.tf")

	// The sessions are on another host, which nothing else is requested from.
	elsewhere := e.service
	e.service = startService(e.t)
	e.write("main.tf", "provider \"convo\" {\n  alias    = \"sessions\"\n  base_url = \""+elsewhere.BaseURL+"\"\n}\n"+
		strings.Replace(e.read(filepath.Join(e.source, "resource_payload.tf")), "{", "{\n  provider = convo.sessions", 1))
	e.succeeds("rm terraform.tfstate; terraform apply")
	e.sent()
	e.service = elsewhere
	e.sent(renewed, renewed, newest, payload, moved, payload)
}

const recordGuide = "templates/guides/manage-audit-records.md.tmpl"

// An apply with a change of access fails, and its error has the key that accepts the change.
func runAuditRecordExamples(e *example) {
	e.parts("resource.tf")
	e.take("resource.tf", "main.tf")
	e.needs("write-only arguments", "1.11", "1.11", "terraform init; terraform plan", "Write-only attributes are only supported in Terraform 1.11 and later")
	const refused = "The audit was not recorded, and the record is unchanged. If the following findings are right, add their keys to the accepted argument, and keep " +
		"them there until the audit is recorded. Otherwise, undo the changes. "
	const first = " -var 'accepted={first_record=\"Compared\"}'"
	e.fails("terraform init; terraform apply", "Error: Changes are not accepted", refused+"first_record/ws_larkspur01/")
	e.succeeds("terraform apply"+first, `+ after = "workspace ws_larkspur01 with 12 agents and 8 members"`)
	e.succeeds("terraform plan -detailed-exitcode"+first, "No changes.")
	e.succeeds(e.between(recordGuide, "## Print a Record\n\n```shell\n", "\n```"), "agt_returns")
	e.revise("agt_returns", `"domain": "chat.larkspur-bicycles.example"`, `"domain": "returns.example"`)
	log, _ := e.run("terraform apply" + first)
	e.contains("terraform apply", log, []string{"Error: Changes are not accepted", refused + "access_changed/agt_returns/"})
	key := regexp.MustCompile(`/[a-z2-7]{24}`).FindString(log)
	accept := `terraform apply -var 'accepted={"access_changed/agt_returns` + key + `"="New domain. Adaeze"}'`
	e.succeeds(accept, `+ after = "domain returns.example"`)
	e.succeeds("terraform output changes", `"reason" = "New domain. Adaeze"`)
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")
	e.fails("terraform destroy", "prevent_destroy")
	e.movesRecord()
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.dir, "main.tf")), "prevent_destroy = true", "", 1))
	e.succeeds("terraform destroy", "1 destroyed")
}

// movesRecord moves the record to another backend, as the guide says.
func (e *example) movesRecord() {
	e.t.Helper()
	main := e.read(filepath.Join(e.dir, "main.tf"))
	e.write("main.tf", main+"\nterraform {\n  backend \"local\" {\n    path = \"moved.tfstate\"\n  }\n}\n")
	e.succeeds(e.between(recordGuide, "edit these settings, and `", "`") + " -force-copy")
	e.succeeds("test ! -s terraform.tfstate; terraform plan -detailed-exitcode", "No changes.")
}

// runUpdateSessionsExample updates open sessions, although one in the file has ended.
func runUpdateSessionsExample(e *example) {
	e.copy()
	e.write("sessions.csv", e.read(filepath.Join(e.source, "sessions.csv")))
	update := func(id string) string {
		return "POST /v1/sessions/" + id + `/updateAgent {"agentId":"agt_returns"}`
	}
	e.succeeds("terraform init; terraform apply", "Warning: The service rejected the update", `session "ses_returns_done" is not active`)
	e.outputs(`{"rejected": ["ses_returns_done"]}`)
	all := []string{update("ses_returns_done"), update("ses_returns_open"), update("ses_workshop_open")}
	e.sent(all...)
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")
	e.sent(all...)

	// An edit and, later, its publication each send an update. A session ends after its first update.
	e.write("sessions.csv", "place,session_id\r\nFront desk,ses_returns_open\r\nWorkshop,ses_workshop_open\r\n")
	e.edit("sessions.json", `("ses_workshop_open": )true`, "${1}false")
	e.edit("agents/agt_returns.json", `"revision": "42"`, `"revision": "43"`)
	e.succeeds("terraform apply", "will be updated in-place", `~ "revision" = "42" -> "43"`, "The session keeps its agent")
	e.outputs(`{"rejected": ["ses_workshop_open"]}`)
	e.sent(update("ses_returns_open"), update("ses_workshop_open"))
	e.edit("agents/agt_returns.json", `"publishedAt": "2026-03-12T08:30:00.000Z"`, `"publishedAt": "2026-03-18T08:05:00.000Z"`)
	e.succeeds("terraform apply", "will be updated in-place",
		`~ "published" = "2026-03-12T08:30:00.000Z" -> "2026-03-18T08:05:00.000Z" # (2 unchanged elements hidden) }`)
	e.sent(update("ses_returns_open"), update("ses_workshop_open"))
	e.succeeds("terraform plan -detailed-exitcode", "No changes.")

	e.preventsBrokenChats()

	// The guide's trigger for services in which no value changes.
	e.write("main.tf", strings.Replace(e.read(filepath.Join(e.dir, "main.tf")), "triggers = {", "triggers = {\n    applied = plantimestamp()", 1))
	e.succeeds("terraform apply", "will be updated in-place")
	e.service = startService(e.t, withError("GET /v1/agents/agt_returns", http.StatusNotFound))
	e.fails("terraform destroy", "404 Not Found")
	e.succeeds(e.between("templates/guides/update-sessions.md.tmpl", "because the agent was deleted, run `", "`"), "Successfully removed 2 resource instance(s).")
	e.sent()

	// A removed block leaves the session alone, without a warning.
	needsCLI(e.t, "removed blocks without destroy", "1.7", "1.9")
	e.service = startService(e.t)
	e.write("main.tf", requiredProvider+"resource \"convo_session_agent\" \"current\" {\n  session_id = \"ses_orders_open\"\n}\n")
	e.succeeds("terraform apply")
	e.write("main.tf", requiredProvider+"removed {\n  from = convo_session_agent.current\n  lifecycle {\n    destroy = false\n  }\n}\n")
	if output := e.succeeds("terraform apply", "0 destroyed"); strings.Contains(output, "The session keeps its agent") {
		e.t.Errorf("the removed block causes the warning:\n%s", output)
	}
	e.succeeds("! grep ses_orders_open terraform.tfstate")
}

// preventsBrokenChats adds the guide's precondition, which stops an apply after a node or a block was removed.
func (e *example) preventsBrokenChats() {
	e.t.Helper()
	if !cliHas("1.8", "1.8") {
		return
	}
	main := e.read(filepath.Join(e.dir, "main.tf"))
	precondition := e.between("templates/guides/update-sessions.md.tmpl", "to the resource:\n\n```terraform\n", "```")
	checked := strings.Replace(main, `agent_id = "agt_returns"`, "agent_id = \"agt_returns\"\n  include_definition_json = true", 1)
	e.write("main.tf", strings.Replace(checked, "  triggers = {", precondition+"  triggers = {", 1)+e.guideBlock("update-sessions"))
	e.succeeds("terraform apply; "+e.between("templates/guides/update-sessions.md.tmpl", "```shell\n", "\n"), "0 added, 0 changed")
	e.succeeds("terraform plan", "No changes.")
	e.succeeds(`sed -i.bak 's/"zebra":1/"my setting":1,&/; s/itm_damaged/itm_gone/g' agt_returns.json; terraform plan`, "No changes.")

	e.succeeds("sed -i.bak 's/grp_refund/grp_gone/g; s/blk_reason/blk_gone/g' agt_returns.json")
	e.fails("terraform apply", `Nodes or blocks were removed, so an update could break a chat: grp_gone, grp_welcome blocks["blk_gone"]`)
	if strings.Contains(e.output.String(), "acct-0042") {
		e.t.Error("the error prints the definition")
	}
	e.succeeds("rm agt_returns.json; terraform plan", "No changes.")
	e.write("main.tf", main)
}

// ephemeralSnippet runs an example that needs a new enough CLI, and requires a text in the
// plan.
func ephemeralSnippet(want string) func(*example) {
	return func(e *example) {
		e.parts("ephemeral-resource.tf")
		e.copy()
		e.needs("ephemeral resources", "1.10", "1.11", "terraform init", "ephemeral")
		e.succeeds("terraform init; terraform plan", want)
	}
}

// needsEphemeralValues requires that a CLI without ephemeral values refuses the example.
// OpenTofu 1.10 has the version that Terraform requires, but not the values.
func (e *example) needsEphemeralValues() {
	e.t.Helper()
	want := "Core version"
	if cliHas("", "1.10") {
		want = `"ephemeral" is not expected here.`
	}
	e.needs("ephemeral values", "1.10", "1.11", "terraform init", want)
}

func runActionExamples(e *example) {
	e.only("action.tf")
	e.take("action.tf", "main.tf")
	// Terraform 1.13 ignores the block, and older versions and OpenTofu reject it.
	e.needs("actions", "1.14", "", "terraform apply -invoke=action.convo_update_session_agent.workshop", "-invoke")
	e.succeeds("terraform init")
	e.succeeds("terraform plan -invoke=action.convo_update_session_agent.workshop", "Actions: 1 to invoke.")
	command := e.between("templates/actions/update_session_agent.md.tmpl", "```shell\n", "\n")
	e.succeeds(command, `The service returned "success".`)
	e.sent(`POST /v1/sessions/ses_workshop_open/updateAgent {"agentId":"agt_workshop"}`)
}
