// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// dataSourceRow is what the tests that range over all data sources know about one.
type dataSourceRow struct {
	arguments object // that are required, valid for the development server
	wrong     object // a wrong value for each argument but conditions
	noun      string // what the response is for, in errors
	key       string // of the response, without which there is no result
}

// dataSources are the rows by name.
var dataSources = map[string]dataSourceRow{
	"convo_agent":       {object{"agent_id": "agt_returns"}, object{"agent_id": "a ", "name": "", "query": object{"a": nil}}, `agent "agt_returns"`, "agent"},
	"convo_agent_stats": {object{"agent_id": "agt_returns"}, object{"agent_id": "", "period": "ever"}, `agent "agt_returns"`, "stats"},
	"convo_agents":      {object{}, object{"query": object{"a": nil}}, "the agents", "agents"},
	"convo_members":     {object{"workspace_id": "larkspur"}, object{"workspace_id": "a\nb"}, `workspace "larkspur"`, "members"},
	"convo_workspace":   {object{"workspace_id": "larkspur"}, object{"workspace_id": "https://service.example/ws_1"}, `workspace "larkspur"`, "workspace"},
	workspaceAuditType: {
		object{"workspace_id": "larkspur"}, object{"workspace_id": "", "agent_ids": list{""}, "stats_periods": list{"ever"}, "agent_query": object{"a": nil}},
		`workspace "larkspur"`, "workspace",
	},
}

func TestEveryDataSourceHasARow(t *testing.T) {
	t.Parallel()
	schemas := newTestProvider(t).schema.DataSourceSchemas
	for name := range dataSources {
		if schemas[name] == nil {
			t.Errorf("the provider does not serve %s. Add it to DataSources in provider.go (step 4 of Add a Data Source in ADDING.md)", name)
		}
	}
	for name, schema := range schemas {
		row, ok := dataSources[name]
		if !ok {
			t.Errorf("dataSources lacks a row for %s. Add it in data_source_test.go (step 5 of Add a Data Source in ADDING.md)", name)
		}
		for _, attribute := range schema.Block.Attributes {
			if attribute.Required && row.arguments[attribute.Name] == nil {
				t.Errorf("dataSources[%q].arguments lacks %s. Add it in data_source_test.go", name, attribute.Name)
			}
			if _, ok := row.wrong[attribute.Name]; !ok && (attribute.Required || attribute.Optional) && !attribute.Type.Is(tftypes.Bool) {
				t.Errorf("dataSources[%q].wrong lacks %s. Add it in data_source_test.go", name, attribute.Name)
			}
		}
	}
}

// Every wrong argument is reported at its attribute.
func TestWrongArguments(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	for name, row := range dataSources {
		reported := object{}
		for _, d := range errorsIn(p.validateData(name, row.wrong)) {
			argument, _, _ := strings.Cut(strings.TrimPrefix(d.Attribute.String(), `AttributeName("`), `"`)
			reported[argument] = row.wrong[argument]
		}
		if diff := cmp.Diff(row.wrong, reported); diff != "" {
			t.Errorf("%s: unexpected errors (-want +got):\n%s", name, diff)
		}
	}
}

// A response without the object or list that it is about is an error.
func TestResponseWithoutItsContent(t *testing.T) {
	t.Parallel()
	for name, row := range dataSources {
		for _, body := range []string{`{}`, fmt.Sprintf(`{%q:null}`, row.key)} {
			t.Run(name+body, func(t *testing.T) {
				t.Parallel()
				_, diagnostics := configuredProvider(t, startServiceReturning(t, body)).read(name, row.arguments)
				requireError(t, diagnostics, row.noun, row.key+": required, but null or missing.")
			})
		}
	}
}

// Values that a response should have, but lacks, are named in a warning.
func TestMissingValues(t *testing.T) {
	t.Parallel()
	s := startService(t, withoutFields("workspace.plan", "stats.totalStarts", "currentUserMode"))
	p := configuredProvider(t, s)
	state, diagnostics := p.read("convo_agent_stats", object{"agent_id": "agt_returns"})
	requireWarning(t, diagnostics, `agent "agt_returns"`, ": totalStarts.")
	if state["total_starts"] != nil || state["completion_percent"] != nil {
		t.Errorf("got the state %v", state)
	}
	_, diagnostics = p.read("convo_workspace", object{"workspace_id": "larkspur"})
	requireWarning(t, diagnostics, `workspace "larkspur"`, ": plan.")
	_, diagnostics = p.read("convo_agent", object{"agent_id": "agt_returns"})
	requireWarning(t, diagnostics, `agent "agt_returns"`, ": currentUserMode.")
}

// A list that may be incomplete causes a warning that names the evidence, and a
// complete one does not.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	lists := 0
	for name, row := range dataSources {
		read := func(total int) []*tfprotov6.Diagnostic {
			s := startServiceReturning(t, fmt.Sprintf(`{%q:[{}],"total":%d}`, row.key, total))
			_, diagnostics := configuredProvider(t, s).read(name, row.arguments)
			return diagnostics
		}
		if len(errorsIn(read(1))) > 0 {
			continue // Its response has no list.
		}
		lists++
		requireNone(t, read(1))
		requireWarning(t, read(2), "[] The list of "+row.key+" may be incomplete\n", "(evidence: the field total).")
	}
	if lists < 2 {
		t.Errorf("read %d lists", lists)
	}
}
