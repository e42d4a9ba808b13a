// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
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
	want := []flow.Finding{{Kind: "graph_not_understood", IDs: []string{}, Message: "The graph cannot be analyzed: the definition has no graph object."}}
	for _, text := range []string{`{}`, `{"graph":[]}`, `{"graph":null}`, `{"graph":[1]}`} {
		if diff := cmp.Diff(want, analysisOf(t, text).Findings); diff != "" {
			t.Errorf("%s: unexpected findings (-want +got):\n%s", text, diff)
		}
	}
}
