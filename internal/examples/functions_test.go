// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// bookingsDiagram is the diagram of the definition that the picture shows.
const bookingsDiagram = `flowchart TD
e_ent_start(["start"])
e_ent_start --> n_grp_welcome
n_grp_welcome["Welcome"]
n_grp_welcome -->|"Book a table"| n_grp_table
m_grp_hours{{"Missing#58; grp#95;hours"}}:::missing
n_grp_welcome -->|"Opening hours"| m_grp_hours
n_grp_table["How many guests?"]
n_grp_table --> n_grp_confirm
n_grp_confirm["Confirmation"]
n_grp_menu["Winter menu"]:::unreachable
n_grp_menu -.-> n_grp_welcome
classDef unreachable stroke-dasharray:5 5
classDef missing stroke:#e5534b,stroke-width:2px
classDef orphaned stroke:#8c959f,stroke-width:2px,stroke-dasharray:3 3
`

// needs skips the rest of an example that an older CLI refuses. The last arguments
// are a command line that fails there, and parts of what it prints.
func (e *example) needs(feature, terraform, openTofu, command string, want ...string) {
	e.t.Helper()
	if !cliHas(terraform, openTofu) {
		e.fails(command, want...)
	}
	needsCLI(e.t, feature, terraform, openTofu)
}

func runGraphFindingsExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform apply")
	e.outputOf("findings", list{
		object{
			"kind": "empty_node", "id": "grp_exchange", "ids": list{"grp_exchange"}, "title": "Exchange",
			"message": "The node \"Exchange\" is empty. A session that reaches it ends there.",
		},
		object{
			"kind": "unused_variable", "id": "var_courier", "ids": list{"var_courier"}, "title": "courierAccount",
			"message": "The variable \"courierAccount\" is not used. Sessions do not need it.",
		},
	})
}

func runFlowDiagramExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	e.succeeds("terraform init; terraform apply; terraform output -raw diagram", "flowchart TD", `n_grp_welcome["Welcome"]`)
	e.write("definition.json", e.read(filepath.Join(pictures, "diagram.json")))
	e.write("function.tf", "output \"diagram\" {\n  value = provider::convo::flow_diagram(file(\"definition.json\"))\n}\n")
	e.succeeds("terraform apply")
	e.outputOf("diagram", bookingsDiagram)
	e.picture("diagram", "```mermaid\n"+bookingsDiagram+"```\n")
}

// pictures has the sources of the pictures.
const pictures = root + "/internal/tools/pictures"

// picture requires that a picture's source is the Markdown that the provider writes.
func (e *example) picture(name, markdown string) {
	e.t.Helper()
	source := filepath.Join(pictures, name+".md")
	if *update {
		if err := os.WriteFile(source, []byte(markdown), 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(e.read(source), markdown); diff != "" {
		e.t.Errorf("%s is outdated; run make pictures (-source +provider):\n%s", source, diff)
	}
}

// The agent is as in the file at first, and then has another title.
func runDefinitionDiffExample(e *example) {
	e.parts("function.tf")
	e.copy()
	e.needs("functions", "1.8", "1.7", "terraform init && terraform validate")
	agents := devserver.DefaultSeed().Agents
	returns := slices.IndexFunc(agents, func(agent devserver.Agent) bool { return agent.ID == "agt_returns" })
	saved := string(agents[returns].Definition)
	e.write("definitions/agt_returns.yaml", saved)
	e.succeeds("terraform init; terraform apply")
	e.outputOf("changes", list{})
	e.write("definitions/agt_returns.yaml", strings.Replace(saved, `"Welcome"`, `"Hello"`, 1))
	e.succeeds("terraform apply")
	e.outputOf("changes", list{object{
		"change": "changed", "part": "node", "id": "grp_welcome", "title": "Welcome", "path": "title",
		"before": `"Hello"`, "after": `"Welcome"`, "is_layout": false,
	}})
}
