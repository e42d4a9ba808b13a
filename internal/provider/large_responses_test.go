// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
	"github.com/convo/terraform-provider-convo/internal/devserver/devservertest"
)

// tooMany returns a JSON array with more equal elements than are accepted.
func tooMany(element string) string {
	return "[" + strings.Repeat(element+",", 100_000) + element + "]"
}

// Compressed, each of these definitions is a small response, but takes much memory.
func TestResponsesThatTakeMuchMemory(t *testing.T) {
	t.Parallel()
	const message = "the response contains an array or object with more than 100,000 elements"
	many := tooMany("{}")
	for name, definition := range map[string]string{
		"nodes":         `{"graph":{"nodes":` + many + `}}`,
		"links":         `{"graph":{"links":` + many + `}}`,
		"variables":     `{"graph":{"memory":` + many + `}}`,
		"entry points":  `{"graph":{"entrypoints":` + many + `}}`,
		"annotations":   `{"canvas":{"annotations":` + many + `}}`,
		"rules":         `{"execution":{"rules":` + tooMany("0") + `}}`,
		"collaborators": `{"tenancy":{"workspace":{"collaborators":` + tooMany("0") + `}}}`,
		"labels":        `{"profile":{"labels":` + tooMany(`""`) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := jsonHandler(http.StatusOK, `{"agent":`+definition+`,"currentUserMode":"read"}`)
			s := startService(t, withSeed(devservertest.ManyAgents(15)), withFault(func(r *http.Request) http.Handler {
				if strings.HasPrefix(r.URL.Path, "/v1/agents/") {
					return handler
				}
				return nil
			}))
			p := configuredProvider(t, s)
			_, diagnostics := p.read("convo_agent", object{"agent_id": "agt_gen000001"})
			requireError(t, diagnostics, `The request for agent "agt_gen000001" failed: `+message+".")

			var problems []object
			for i := range 15 {
				problems = append(problems, object{
					"kind": "read_failed", "agent_id": fmt.Sprintf("agt_gen%06d", i), "operation": "read agent", "message": message,
				})
			}
			requireProblems(t, p.mustRead(workspaceAuditType, larkspurAudit(nil)), problems...)
		})
	}
	t.Run("agents", func(t *testing.T) {
		t.Parallel()
		_, diagnostics := configuredProvider(t, startServiceReturning(t, `{"agents":`+many+`}`)).read("convo_agents", object{})
		requireError(t, diagnostics, "The request for the agents failed: "+message+".")
	})
}

// The values of an agent must fit into the result. A failed read changes no value.
func TestAgentWithLargeValues(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("x", 5<<20)
	s := startServiceWithFaults(t, faults{
		"/v1/agents/agt_jobs": jsonHandler(http.StatusOK, `{"agent":{"ref":{"revision":"7"},"profile":{"labels":["`+label+`"]}},"currentUserMode":"read"}`),
	})
	got := configuredProvider(t, s).mustRead(workspaceAuditType, larkspurAudit(object{"agent_ids": list{"agt_jobs"}}))
	requireProblems(t, got, object{
		"kind": "read_failed", "agent_id": "agt_jobs", "operation": "read agent",
		"message": "an audit keeps at most 4 MiB of each agent, but the values of this agent take 5.0 MiB",
	})
	agent := got["agents"].(object)["agt_jobs"].(object)
	if agent["revision"] != nil || agent["definition_hash"] != nil || len(agent["labels"].(list)) != 0 {
		t.Errorf("got values of a definition that was not kept: %v", agent["revision"])
	}
}

// Sizes that a service can have are accepted.
func TestLargeResponses(t *testing.T) {
	t.Parallel()
	summary := `{"id":"agt_%d","name":"Orders, returns, and refunds","icon":null,"description":"","url":"https://convo.example/%[1]d","publicId":"orders",` +
		`"isPublished":true,"publishedAt":"2026-01-02T03:04:05.678Z","domainId":null,"tags":["sales","europe"],"createdAt":"2025-01-02T03:04:05.678Z"}`
	var agents []string
	for i := range 40_000 {
		agents = append(agents, fmt.Sprintf(summary, i))
	}
	seed := devserver.DefaultSeed()
	seed.Agents = append(seed.Agents, devservertest.LargeAgent("agt_0", 20_000_000))
	p := configuredProvider(t, startServiceWithFaults(t, faults{
		"/v1/agents": jsonHandler(http.StatusOK, `{"agents":[`+strings.Join(agents, ",")+`]}`),
	}, withSeed(seed)))
	// Decoding the states would take most of the time.
	for name, config := range map[string]object{
		"convo_agents":     {},
		"convo_agent":      {"agent_id": "agt_0", "include_definition_json": true},
		workspaceAuditType: larkspurAudit(object{"agent_ids": list{"agt_0"}, "include_graph_findings": true}),
	} {
		config := p.toDynamic(p.schema.DataSourceSchemas[name].ValueType(), config)
		resp := rpc(p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
		requireNoErrors(t, resp.Diagnostics)
		if resp.State == nil {
			t.Errorf("%s has no state", name)
		}
	}
}
