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

func TestAnalyzeWithoutAGraph(t *testing.T) {
	t.Parallel()
	want := []flow.Finding{{Kind: "graph_not_understood", IDs: []string{}, Message: "The graph cannot be analyzed: the definition has no graph object."}}
	for _, text := range []string{`{}`, `{"graph":[]}`, `{"graph":null}`, `{"graph":[1]}`} {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, flow.Analyze(definition.Definition{Value: v}).Findings); diff != "" {
			t.Errorf("%s: unexpected findings (-want +got):\n%s", text, diff)
		}
	}
}
