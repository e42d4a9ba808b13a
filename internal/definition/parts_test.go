// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
)

func TestPartsAsJSON(t *testing.T) {
	t.Parallel()
	const parts = `{"parts":{"layout":"y","links":"l","nodes":"n"}`
	for want, nodes := range map[string]map[string]definition.Node{
		parts + `,"nodes":{}}`: {},
		parts + `,"nodes":{"":{"title":"","hash":"g"},"n1":{"title":"Say \"é\"","hash":"h"}}}`: {"n1": {Title: `Say "é"`, Hash: "h"}, "": {Hash: "g"}},
	} {
		p := definition.Parts{Parts: map[string]string{"links": "l", "nodes": "n", "layout": "y"}, Nodes: nodes}
		if got := p.JSON(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestChangedParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"equal":                {`{"parts":{"nodes":"a"},"nodes":{"n":{"title":"T","hash":"c"}}}`, `{"nodes":{"n":{"hash":"c","title":"T"}},"parts":{"nodes":"a"}}`, nil},
		"nothing before":       {``, `{"parts":{"links":"a"}}`, nil},
		"nothing now":          {`{"parts":{"links":"a"}}`, ``, nil},
		"another text":         {`links=a`, `{"parts":{"links":"a"}}`, nil},
		"part":                 {`{"parts":{"entry points":"a","links":"a"}}`, `{"parts":{"entry points":"b","links":"a"}}`, []string{"entry points"}},
		"new part":             {`{"parts":{"links":"a"}}`, `{"parts":{"links":"a","rules":"b"}}`, []string{"rules"}},
		"gone part":            {`{"parts":{"links":"a","rules":"b"}}`, `{"parts":{"links":"a"}}`, []string{"rules"}},
		"no parts":             {`{}`, `{"parts":{"links":"a"},"new":1}`, []string{"links"}},
		"layout and a node":    {`{"parts":{"layout":"a","nodes":"b"},"nodes":{"n":{"title":"T","hash":"c"}}}`, `{"parts":{"layout":"b","nodes":"c"},"nodes":{"n":{"title":"T","hash":"d"}}}`, []string{"layout", "node T (n)"}},
		"new and removed node": {`{"parts":{"nodes":"a"},"nodes":{"n1":{"title":"A","hash":"a"}}}`, `{"parts":{"nodes":"b"},"nodes":{"n2":{"title":"A","hash":"a"}}}`, []string{"removed node A (n1)", "new node A (n2)"}},
		"no title":             {`{"parts":{"nodes":"a"},"nodes":{"n1":{"hash":"a"}}}`, `{"parts":{"nodes":"b"},"nodes":{"n1":{"hash":"b"}}}`, []string{"node n1"}},
		"no ID":                {`{"parts":{"nodes":"a"},"nodes":{"":{"title":"A","hash":"a"}}}`, `{"parts":{"nodes":"b"},"nodes":{"":{"title":"A","hash":"b"}}}`, []string{"node A"}},
		"no ID and no title":   {`{"parts":{"nodes":"a"},"nodes":{"":{"hash":"a"}}}`, `{"parts":{"nodes":"b"},"nodes":{"":{"hash":"b"}}}`, []string{"node without an ID"}},
		"a hidden duplicate":   {`{"parts":{"nodes":"a"},"nodes":{"n":{"hash":"a"}}}`, `{"parts":{"nodes":"b"},"nodes":{"n":{"hash":"a"}}}`, []string{"nodes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, definition.ChangedParts(test.before, test.after)); diff != "" {
				t.Errorf("unexpected difference (-want +got):\n%s", diff)
			}
		})
	}
}
