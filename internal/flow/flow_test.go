// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// FindingsIn reads the same graph as Parse, wherever the definition is in the
// document.
func TestFindingsIn(t *testing.T) {
	t.Parallel()
	const definition = `{"graph":{"nodes":[{"id":"a"}],"links":[{"id":"l","from":{"blockId":"x"},"to":{"groupId":"a"}}]}}`
	want, err := flow.Parse([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	for document, wantErr := range map[string]error{
		`{"agent":` + definition + `}`: nil,
		`{"currentUserMode":"read", "agent" : ` + definition + ` ,"more":[{"agent":{}}]}`: nil,
		`{"agent":{"graph":{}},"agent":` + definition + `}`:                               nil,
		"\uFEFF" + `{"ag\u0065nt":` + definition + `}`:                                    nil,
		`{"other":` + definition + `}`:                                                    flow.ErrNotObject,
		`{"agent":[]}`:                                                                    flow.ErrNotObject,
		`[]`:                                                                              flow.ErrNotObject,
		`{"agent":{}}`:                                                                    flow.ErrNoGraph,
	} {
		got, err := flow.FindingsIn([]byte(document), "agent")
		if !errors.Is(err, wantErr) {
			t.Errorf("%s: got the error %v, want %v", document, err, wantErr)
			continue
		}
		if diff := cmp.Diff(want.Findings(), got); wantErr == nil && diff != "" {
			t.Errorf("unexpected findings of %s (-want +got):\n%s", document, diff)
		}
	}
}

// A graph of any size has exactly the one mistake.
func TestFindingsInLargeGraphs(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1000, 1, 300, 2} {
		var nodes, links strings.Builder
		for i := range size {
			fmt.Fprintf(&nodes, `{"id":"n%d","blocks":[{"id":"b%d"}]},`, i, i)
			fmt.Fprintf(&links, `{"id":"l%d","from":{"blockId":"b%d"},"to":{"groupId":"n%d"}},`, i, i, i+1)
		}
		document := `{"agent":{"graph":{"nodes":[` + nodes.String() + `null],"links":[` + links.String() +
			`{"id":"first","from":{"blockId":"e"},"to":{"groupId":"n0"}}],"entrypoints":[{"id":"e"}]}}}`
		got, err := flow.FindingsIn([]byte(document), "agent")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Kind != flow.DanglingLink || got[0].ID != fmt.Sprintf("l%d", size-1) {
			t.Errorf("%d nodes: got %v", size, got)
		}
	}
}
