// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// analysisOf analyzes the text of a definition.
func analysisOf(t testing.TB, text string) flow.Analysis {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, err := definition.Of(v)
	if err != nil {
		t.Fatal(err)
	}
	return flow.Analyze(d)
}

func TestAnalyzeWithoutAGraph(t *testing.T) {
	t.Parallel()
	want := []flow.Finding{{Kind: flow.GraphNotUnderstood, IDs: []string{}, Message: "The graph cannot be analyzed: the definition has no graph object."}}
	for _, text := range []string{`{}`, `[]`, `{"graph":null}`, `{"graph":[1]}`} {
		if diff := cmp.Diff(want, analysisOf(t, text).Findings); diff != "" {
			t.Errorf("%s: unexpected findings (-want +got):\n%s", text, diff)
		}
	}
}

// The order of keys makes no difference to the title of an item. That of an array has a
// meaning.
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
		want := `The link "gone", at which the element ` + want + ` in the node "n" continues, is not in the graph. A session may end there.`
		if findings := flow.Findings(parse(t, definition)); len(findings) != 1 || findings[0].Message != want {
			t.Errorf("%s: got %v, want %s", parts, findings, want)
		}
	}
}

func TestFindingsInLargeGraphs(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1000, 2, 300, 3} {
		document := strings.Replace(chain(size, "Node"), `"to": {"groupId": "n0"}`, `"to": {"groupId": "gone"}`, 1)
		if got := flow.Findings(parse(t, document)); len(got) == 0 || got[0].Kind != flow.DanglingLink || got[0].ID != fmt.Sprintf("l%d", size-1) {
			t.Errorf("%d nodes: got %v", size, got)
		}
	}
}
