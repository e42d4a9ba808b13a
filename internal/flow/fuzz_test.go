// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Whatever the definition, there is no panic, and what comes out is text that
// Terraform takes and that stays on its line.
func FuzzFlow(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{"graph":null}`, `{"graph":{}}`, `{"graph":{"nodes":{},"links":1,"memory":"x","entrypoints":[[]]}}`,
		"{\"graph\":{\"nodes\":[{\"id\":\"\xff\",\"title\":\"\xfe\"}],\"links\":[{\"to\":{\"groupId\":\"\xff\"}}]}}",
		graph(`, {"id": 1e2, "from": {"itemId": "i"}, "to": {"groupId": "n2"}}`, `, {"id": "n2", "title": "\"]<%`+"`"+`\n", "blocks": [{"id": "i", "content": "{{v}} '"}]}`, `{"id": "v", "name": "{{"}`),
		graph(`, {"id": "l1", "to": {"groupId": "n9"}}`, `, {"id": "n1", "go": ["n0", {"n0": 1}]}, {"id": -0.5e-7}`, `null, {"id": "n1"}`),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		graph, err := definition.Parse(sent)
		if err != nil {
			return
		}
		findings := flow.Analyze(graph).Findings
		for _, finding := range findings {
			checkText(t, finding.Title+finding.Message)
			if !utf8.ValidString(finding.ID) || finding.Message == "" {
				t.Errorf("unexpected finding %q", finding)
			}
		}
		if diff := cmp.Diff(findings, flow.Analyze(graph).Findings); diff != "" {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
		other := parse(t, `{"graph": {"nodes": [{"id": "n1", "title": "One"}], "links": [{"id": "l1"}]}}`)
		if changes := flow.Diff(parse(t, string(sent)), graph); len(changes) > 0 {
			t.Errorf("differs from itself: %v", changes)
		}
		for _, change := range flow.Diff(graph, other) {
			checkText(t, change.Title)
			for _, text := range []*string{change.Before, change.After} {
				if text == nil {
					continue
				}
				if canonical, err := jsonvalue.Parse([]byte(*text)); err != nil || canonical.JSON() != *text {
					t.Errorf("%s is not canonical JSON", *text)
				}
			}
		}
		for _, before := range []definition.Definition{{}, other} {
			checkDiagram(t, flow.Diagram(graph, before))
		}
	})
}
