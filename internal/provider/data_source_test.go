// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// By default, every data source survives four temporary faults in a row.
func TestReadRetries(t *testing.T) {
	t.Parallel()
	for source := range newTestProvider(t).schema.DataSourceSchemas {
		for fault, handler := range temporaryFaults() {
			t.Run(source+" after "+fault, func(t *testing.T) {
				t.Parallel()
				without, with := startService(t), startService(t, devserver.WithFault(firstFaults(4, handler)))
				p := configuredProvider(t, without)
				config := p.requiredArguments(source)
				want := p.mustRead(source, config)
				state := configuredProvider(t, with, object{"max_retries": nil}).mustRead(source, config)
				if diff := cmp.Diff(want, state); diff != "" {
					t.Errorf("unexpected state (-without faults +with faults):\n%s", diff)
				}
				if want, got := len(without.Requests())+4, len(with.Requests()); got != want {
					t.Errorf("sent %d requests, want %d", got, want)
				}
			})
		}
	}
}

// requiredArguments returns valid values for the required arguments of a data
// source.
func (p *testProvider) requiredArguments(source string) object {
	p.t.Helper()
	values := object{"workspace_id": "larkspur", "agent_id": "agt_returns"}
	config := object{}
	for _, attribute := range p.schema.DataSourceSchemas[source].Block.Attributes {
		if !attribute.Required {
			continue
		}
		if values[attribute.Name] == nil {
			p.t.Fatalf("requiredArguments has no value for %s. Add one.", attribute.Name)
		}
		config[attribute.Name] = values[attribute.Name]
	}
	return config
}

// Every wrong argument is reported at its attribute. TestDiagnostics shows the
// texts.
func TestReadArguments(t *testing.T) {
	t.Parallel()
	for source, config := range map[string]object{
		"convo_workspace":   {"workspace_id": ".."},
		"convo_members":     {"workspace_id": "."},
		"convo_agents":      {"query": object{"a": nil}},
		"convo_agent":       {"agent_id": "", "query": object{"": "a"}},
		"convo_agent_stats": {"agent_id": "", "period": "", "query": object{"a": nil}},
		workspaceAuditType:  {"workspace_id": "", "agent_ids": list{""}, "stats_periods": list{nil}, "agent_query": object{"a": nil}},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			reported := map[string]bool{}
			for _, d := range errorsIn(newTestProvider(t).validateData(source, config)) {
				argument, _, _ := strings.Cut(d.Attribute.String(), ".") // Without an element in it.
				reported[argument] = true
			}
			want := map[string]bool{}
			for argument := range config {
				want[fmt.Sprintf("AttributeName(%q)", argument)] = true
			}
			if diff := cmp.Diff(want, reported); diff != "" {
				t.Errorf("unexpected errors (-want +got):\n%s", diff)
			}
		})
	}
}
