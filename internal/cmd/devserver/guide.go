// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// controlPath is the beginning of the control paths.
const controlPath = "/-/"

// printHelp writes the help of -h.
func printHelp(w io.Writer, flags *flag.FlagSet) error {
	var described strings.Builder
	flags.VisitAll(func(f *flag.Flag) {
		metavar, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&described, "  %s\n", strings.TrimSpace("-"+f.Name+" "+metavar))
		for line := range strings.SplitSeq(wrap(usage+defaultOf(f), 70), "\n") {
			fmt.Fprintf(&described, "        %s\n", line)
		}
	})
	_, err := fmt.Fprintf(w, help, described.String())
	return err
}

// defaultOf describes the default of a flag whose zero value is not the default.
func defaultOf(f *flag.Flag) string {
	if slices.Contains([]string{"", "0", "0s", "false"}, f.DefValue) {
		return ""
	}
	return fmt.Sprintf(" The default is %s.", f.DefValue)
}

// wrap breaks a text between words into lines of at most width bytes.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}

const help = `Usage: convo-devserver [flags]

Serves the reference service, a local implementation of the API, so that you can
try the provider without an account. The command prints the base URL, the tokens,
and the IDs to use, and logs each request to standard error. To stop it, press
Ctrl+C.

Flags:
%s
Examples:
  Serve on a fixed port, and then use the service in another shell:
    convo-devserver -listen 127.0.0.1:8080
    export CONVO_BASE_URL=http://127.0.0.1:8080/api CONVO_TOKEN=dev-token-write
    terraform plan

  Fail every third request with status 429, to see how the provider retries:
    convo-devserver -fail-every 3 -fail-status 429

  Serve 10,000 agents with a latency of 50 milliseconds:
    convo-devserver -agents 10000 -latency 50ms

Control paths:
  Use the URL paths below /-/ to change the data while the service runs. The next
  plan then shows the change. These paths are not part of the API. They require no
  token and respond only to clients on this machine. The body of a PATCH request
  is a JSON merge patch (RFC 7396), in which null removes a key.

  Set URL to the control paths of the service:
    URL=http://127.0.0.1:8080/-

  Change an agent's definition or its entry in the list of agents:
    curl -X PATCH $URL/agents/agt_returns -d '{"definition": {"profile": {"labels": ["returns"]}}}'
    curl -X PATCH $URL/agents/agt_returns -d '{"summary": {"isPublished": false}}'

  Save an agent, which increases its revision:
    curl -X POST $URL/agents/agt_returns/revise

  Add to an agent's counters for today:
    curl -X POST $URL/agents/agt_returns/count -d '{"views": 5, "starts": 2, "completed": 1}'

  Change a workspace:
    curl -X PATCH $URL/workspaces/larkspur -d '{"isPastDue": false}'

  Add a member or change the role of a member, and remove the member:
    curl -X PATCH $URL/workspaces/larkspur/members/zoe@oddspoke-agency.example -d '{"role": "ADMIN"}'
    curl -X DELETE $URL/workspaces/larkspur/members/zoe@oddspoke-agency.example
`

// printGuide writes the settings and the content of the service as lines that a shell can read.
func printGuide(w io.Writer, url string, s settings, seed devserver.Seed) error {
	const mostAgents = 20
	guide := fmt.Sprintf("export CONVO_BASE_URL=%s\nexport CONVO_TOKEN=%s\n", url+s.prefix, devserver.TokenWrite)
	for _, token := range slices.SortedFunc(maps.Keys(seed.Callers), func(a, b string) int {
		return cmp.Or(cmp.Compare(seed.Callers[a].WorkspaceID, seed.Callers[b].WorkspaceID), cmp.Compare(a, b))
	}) {
		caller := seed.Callers[token]
		guide += fmt.Sprintf("# token %-19s mode=%-5s workspace=%s\n", token, cmp.Or(caller.Mode, "none"), caller.WorkspaceID)
	}
	for _, workspace := range seed.Workspaces {
		guide += fmt.Sprintf("# workspace %s slug=%q\n", workspace.ID, workspace.Slug)
	}
	for i, agent := range seed.Agents {
		if i == mostAgents {
			guide += fmt.Sprintf("# and %d more agents\n", len(seed.Agents)-mostAgents)
			break
		}
		guide += fmt.Sprintf("# agent %s workspace=%s\n", agent.ID, agent.WorkspaceID)
	}
	for _, session := range seed.Sessions {
		guide += fmt.Sprintf("# session %s active=%t\n", session.ID, session.Active)
	}
	if s.control {
		guide += fmt.Sprintf("# control paths %s (described by convo-devserver -h)\n", url+controlPath)
	}

	if _, err := io.WriteString(w, guide); err != nil {
		return fmt.Errorf("print the base URL: %w", err)
	}
	return nil
}
