// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// analysisIn analyzes the definition under the key agent.
func analysisIn(text string) (flow.Analysis, error) {
	document, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		return flow.Analysis{}, err
	}
	return flow.AnalysisIn(document, "agent")
}

// AnalysisIn reads the same graph as Parse, wherever the definition is in the
// document.
func TestAnalysisIn(t *testing.T) {
	t.Parallel()
	const sent = `{"graph":{"nodes":[{"id":"a"}],"links":[{"id":"l","from":{"blockId":"x"},"to":{"groupId":"a"}}]}}`
	want, err := definition.Parse([]byte(sent))
	if err != nil {
		t.Fatal(err)
	}
	for document, wantErr := range map[string]error{
		`{"agent":` + sent + `}`: nil,
		`{"currentUserMode":"read", "agent" : ` + sent + ` ,"more":[{"agent":{}}]}`: nil,
		`{"agent":{"graph":{}},"agent":` + sent + `}`:                               nil,
		`{"ag\u0065nt":` + sent + `}`:                                               nil,
		`{"other":` + sent + `}`:                                                    definition.ErrNotObject,
		`{"agent":[]}`:                                                              definition.ErrNotObject,
		`[]`:                                                                        definition.ErrNotObject,
		`{"agent":{}}`:                                                              definition.ErrNoGraph,
	} {
		got, err := analysisIn(document)
		if !errors.Is(err, wantErr) {
			t.Errorf("%s: got the error %v, want %v", document, err, wantErr)
			continue
		}
		if diff := cmp.Diff(flow.Findings(want), got.Findings); wantErr == nil && diff != "" {
			t.Errorf("unexpected findings of %s (-want +got):\n%s", document, diff)
		}
	}
}

// AnalysisIn reads keys in the order in which the service sends them, Parse sorts them.
// Both call an item by the same title. The order of an array has a meaning.
func TestOrderOfKeys(t *testing.T) {
	t.Parallel()
	for parts, want := range map[string]string{
		`"z":{"title":"Z"},"a":{"title":"A"}`:                  `"A"`,
		`"z":{"title":"Z"},"a":{"x":{"text":"X"},"b":["B"]}`:   `"X"`,
		`"b":[{"text":"second"},{"text":"first"}],"c":{"a":1}`: `"second"`,
		`"z":{"title":"Z"},"value":"V","a":{"title":"A"}`:      `"V"`,
		`"title":"A","title":"B"`:                              `"B"`,
		`"z":{"title":"Z"},"a":[` + repeat(200, "%d") + `]`:    `"Z"`,
	} {
		definition := `{"graph":{"links":[{"id":"l","to":{"groupId":"n"}}],"entrypoints":[{"id":"e","outgoingEdgeId":"l"}],"nodes":[
			{"id":"n","items":[{"outgoingEdgeId":"gone",` + parts + `,"id":"i"}]}]}}`
		asSent, err := analysisIn(`{"agent":` + definition + `}`)
		if err != nil {
			t.Fatal(err)
		}
		want := `The link "gone", at which the element ` + want + ` in the node "n" continues, is not in the graph. A session may end there.`
		for _, findings := range [][]flow.Finding{asSent.Findings, flow.Findings(parse(t, definition))} {
			if len(findings) != 1 || findings[0].Message != want {
				t.Errorf("%s: got %v, want %s", parts, findings, want)
			}
		}
	}
}

// The memory of one definition is reused for the next one.
func TestFindingsInLargeGraphs(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1000, 2, 300, 3} {
		document := strings.Replace(chain(size, "Node"), `"to": {"groupId": "n0"}`, `"to": {"groupId": "gone"}`, 1)
		got, err := analysisIn(`{"agent": ` + document + `}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := got.Findings; len(got) == 0 || got[0].Kind != flow.DanglingLink || got[0].ID != fmt.Sprintf("l%d", size-1) {
			t.Errorf("%d nodes: got %v", size, got)
		}
	}
}
