// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// An analyzer reads the same graph as Parse, wherever the definition is in the
// document, and whatever it has read before.
func TestFindingsOf(t *testing.T) {
	t.Parallel()
	var analyzer flow.Analyzer
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
		got, err := analyzer.FindingsOf([]byte(document), "agent")
		if !errors.Is(err, wantErr) {
			t.Errorf("%s: got the error %v, want %v", document, err, wantErr)
			continue
		}
		if wantErr == nil && !slices.Equal(got, want.Findings()) {
			t.Errorf("%s: got %v, want %v", document, got, want.Findings())
		}
	}
}
