// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Findings of all graphs come with the same requests.
func TestWorkspaceAuditOfGraphs(t *testing.T) {
	t.Parallel()
	s := startService(t)
	state := configured(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "include_graph_findings": true})
	kinds := object{}
	for id, agent := range state["agents"].(object) {
		found := list{}
		for _, finding := range agent.(object)["graph_findings"].(list) {
			found = append(found, finding.(object)["kind"].(string)+" "+finding.(object)["id"].(string))
		}
		if len(found) > 0 {
			kinds[id] = found
		}
	}
	want := object{
		"agt_jobs":        list{"unused_variable var_contact"},
		"agt_kiosk":       list{"dangling_link lnk_cargo"},
		"agt_orders":      list{"unreachable_node grp_holiday"},
		"agt_returns":     list{"unused_variable var_courier"},
		"agt_scratch":     list{"entrypoint_without_link ent_start"},
		"agt_trade":       list{"entrypoint_without_link ent_renew"},
		"agt_warranty":    list{"graph_not_understood "},
		"agt_winter_sale": list{"duplicate_id lnk_checkout"},
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
	orders := state["agents"].(object)["agt_orders"].(object)["graph_findings"].(list)[0]
	if diff := cmp.Diff(object{
		"kind": "unreachable_node", "id": "grp_holiday", "title": "Holiday notice",
		"message": `No links or jumps lead from an entry point to the node "Holiday notice".`,
	}, orders); diff != "" {
		t.Errorf("unexpected finding (-want +got):\n%s", diff)
	}
	if got := state["summary"].(object)["graph_findings"]; got != number("8") {
		t.Errorf("got %v findings in all", got)
	}
	if got := len(s.Requests()); got != 3+12 {
		t.Errorf("sent %d requests", got)
	}
}

// An agent without a graph is no problem of the audit, and not a sound graph
// either.
func TestWorkspaceAuditWithoutAGraph(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
		switch r.URL.Path {
		case "/v1/agents":
			return jsonHandler(200, `{"agents":[{"id":"a"}]}`)
		case "/v1/agents/a":
			return jsonHandler(200, `{"agent":{},"currentUserMode":"read"}`)
		}
		return nil
	}))
	state := configured(t, s).mustRead(workspaceAuditType, object{"workspace_id": "larkspur", "include_graph_findings": true})
	want := list{object{
		"kind": "graph_not_understood", "id": "", "title": "",
		"message": "The graph cannot be analyzed: the definition has no graph object.",
	}}
	if diff := cmp.Diff(want, state["agents"].(object)["a"].(object)["graph_findings"]); diff != "" {
		t.Errorf("unexpected findings (-want +got):\n%s", diff)
	}
}

func TestWorkspaceAuditGraphArguments(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	config := object{"workspace_id": "w", "include_graph_findings": true, "definitions": false}
	d := requireError(t, p.validateData(workspaceAuditType, config), "Graph findings require the agents' definitions")
	if d.Attribute.String() != `AttributeName("include_graph_findings")` {
		t.Errorf("the error is at %s", d.Attribute)
	}
	for _, definitions := range []any{nil, true, unknown} {
		config["definitions"] = definitions
		requireNoErrors(t, p.validateData(workspaceAuditType, config))
	}
}
