// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// readCase is a read of the development server's data.
type readCase struct {
	source   string   // the type of the data source
	config   object   // its arguments, with nil for those that are not set
	requests []string // all that the read sends, sorted
	// want is the state without these arguments, written by hand from the
	// development server's data.
	want object
}

// testRead tests a read in each way that Terraform can request it, and after
// temporary faults.
func testRead(t *testing.T, test readCase) {
	t.Helper()
	t.Run("framework", func(t *testing.T) {
		t.Parallel()
		s := startService(t)
		state, diagnostics := newFrameworkTestProvider(t).configuredFor(s).read(test.source, test.config)
		test.check(t, s, state, diagnostics)
	})
	t.Run("fast read", func(t *testing.T) {
		t.Parallel()
		s := startService(t)
		state, diagnostics := configuredProvider(t, s).read(test.source, test.config)
		test.check(t, s, state, diagnostics)
	})
	t.Run("ephemeral resource", func(t *testing.T) {
		t.Parallel()
		s := startService(t)
		result, diagnostics := configuredProvider(t, s).open(test.source, test.config)
		test.check(t, s, result, diagnostics)
	})
	for fault, handler := range temporaryFaults() {
		t.Run("after "+fault, func(t *testing.T) {
			t.Parallel()
			// By default, four failures in a row are survived.
			s := startService(t, devserver.WithFault(firstFaults(4, handler)))
			configuredProvider(t, s, object{"max_retries": nil}).mustRead(test.source, test.config)
			if got := len(s.Requests()); got != 4+len(test.requests) {
				t.Errorf("sent %d requests, want %d", got, 4+len(test.requests))
			}
		})
	}
}

func (test readCase) check(t *testing.T, s service, state object, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	requireExactly(t, diagnostics)
	want := maps.Clone(test.want)
	maps.Copy(want, test.config)
	if diff := cmp.Diff(want, state); diff != "" {
		t.Errorf("unexpected state (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(test.requests, s.sent()); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}
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
				reported[string(d.Attribute.Steps()[0].(tftypes.AttributeName))] = true
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(config)), slices.Sorted(maps.Keys(reported))); diff != "" {
				t.Errorf("unexpected errors (-want +got):\n%s", diff)
			}
		})
	}
}

// Arguments that are not known yet are not sent.
func TestReadOfUnknownArguments(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configuredProvider(t, s).read("convo_agents", object{"query": unknown})
	requireError(t, diagnostics, "[AttributeName(\"query\")]")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}
