// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func digestWith(nodes ...definition.Node) definition.Digest {
	return definition.Digest{Parts: map[string]string{"links": "l", "nodes": "n", "layout": "y"}, Nodes: nodes}
}

func TestText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 41)
	for want, digest := range map[string]definition.Digest{
		"":                        {},
		"entry+points=e layout=y": {Parts: map[string]string{"layout": "y", "entry points": "e"}},
		"layout=y links=l nodes=n @n1=h:Greeting+&+@=: @=g: @%40a%3D+%25=i:": digestWith(
			definition.Node{ID: "n1", Title: "Greeting\n & @=:", Hash: "h"}, definition.Node{Hash: "g"}, definition.Node{ID: "@a= %", Hash: "i"}),
		"layout=y links=l nodes=n @n=h:" + strings.Repeat("ä", 40) + "…": digestWith(definition.Node{ID: "n", Title: long, Hash: "h"}),
		"layout=y links=l nodes=n @=":                                    digestWith(make([]definition.Node, 501)...),
	} {
		if got := digest.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if words := strings.Fields(digestWith(make([]definition.Node, 500)...).Text()); len(words) != 503 {
		t.Errorf("with 500 nodes, there are %d words", len(words))
	}
}

func TestDifferenceOfTexts(t *testing.T) {
	t.Parallel()
	many := func(count int, edited string) string {
		var nodes []definition.Node
		for i := range count {
			nodes = append(nodes, definition.Node{ID: fmt.Sprintf("n%03d", i), Hash: "h"})
		}
		digest := digestWith(nodes...)
		digest.Parts["nodes"] = edited
		return digest.Text()
	}
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"equal":                {"links=a nodes=b @n=c:T", "links=a nodes=b @n=c:T", nil},
		"other order":          {"links=a nodes=b", "nodes=b links=a", nil},
		"nothing before":       {"", "links=a", nil},
		"nothing now":          {"links=a", "", nil},
		"part":                 {"entry+points=a links=a", "entry+points=b links=a", []string{"entry points"}},
		"new part":             {"links=a", "links=a rules=b", []string{"rules"}},
		"gone part":            {"links=a rules=b", "links=a", []string{"rules"}},
		"layout":               {"layout=a nodes=b @n=c:T", "layout=b nodes=b @n=c:T", []string{"layout"}},
		"layout and a node":    {"layout=a nodes=b @n=c:T", "layout=b nodes=c @n=d:T", []string{"layout", "node T (n)"}},
		"node":                 {"nodes=a @n1=a:A @n2=b:B", "nodes=b @n1=a:A @n2=c:C", []string{"node C (n2)"}},
		"new and removed node": {"nodes=a @n1=a:A", "nodes=b @n2=a:A", []string{"removed node A (n1)", "new node A (n2)"}},
		"no title":             {"nodes=a @n1=a:", "nodes=b @n1=b:", []string{"node n1"}},
		"no ID":                {"nodes=a @=a:A", "nodes=b @=b:A", []string{"node A"}},
		"no ID and no title":   {"nodes=a @=a:", "nodes=b @=b:", []string{"node without an ID"}},
		"all nodes removed":    {"nodes=a @n1=a:A", "nodes=b", []string{"removed node A (n1)"}},
		"first nodes":          {"nodes=a", "nodes=b @n1=a:A", []string{"new node A (n1)"}},
		"a hidden duplicate":   {"nodes=a @n1=a:A @n1=b:B", "nodes=b @n1=x:A @n1=b:B", []string{"nodes"}},
		"a duplicate":          {"nodes=a @n1=a:A @n1=b:B", "nodes=b @n1=a:A @n1=x:B", []string{"node B (n1)"}},
		"escapes":              {"nodes=a @%40a%3D+%25=a:x", "nodes=b @%40a%3D+%25=b:%26+%40%3D%3A", []string{"node & @=: (@a= %)"}},
		"a node like a part":   {"links=a nodes=a @links=a:", "links=a nodes=b @links=b:", []string{"node links"}},
		"too many nodes":       {many(501, "a"), many(502, "b"), []string{"nodes"}},
		"now too many nodes":   {many(500, "a"), many(501, "b"), []string{"nodes"}},
		"no longer too many":   {many(501, "a"), many(500, "b"), []string{"nodes"}},
		"500 nodes":            {many(500, "a"), many(499, "b"), []string{"removed node n499"}},
		"word of the future":   {"links=a", "links=a fonts=b:c=d !x", []string{"fonts"}},
		"no hashes":            {"links", "links", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, definition.Difference(test.before, test.after)); diff != "" {
				t.Errorf("unexpected difference (-want +got):\n%s", diff)
			}
		})
	}
}

// The difference of two definitions names exactly the edited node.
func TestDifferenceNamesEditedNode(t *testing.T) {
	t.Parallel()
	edits := 0
	for _, agent := range devserver.DefaultSeed().Agents {
		before := digestOf(t, string(agent.Definition))
		decoder := json.NewDecoder(bytes.NewReader(agent.Definition))
		decoder.UseNumber()
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			t.Fatal(err)
		}
		graph, _ := object["graph"].(map[string]any)
		nodes, _ := graph["nodes"].([]any)
		for _, element := range nodes {
			node, _ := element.(map[string]any)
			if node["id"] == nil {
				continue
			}
			edits++
			node["edited"] = true
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			delete(node, "edited")
			want := []string{fmt.Sprint("node ", node["id"])}
			if title, _ := node["title"].(string); title != "" {
				want = []string{fmt.Sprintf("node %s (%s)", title, node["id"])}
			}
			after := digestOf(t, string(text))
			if diff := cmp.Diff(want, definition.Difference(before.Text(), after.Text())); diff != "" {
				t.Errorf("unexpected difference (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, definition.Difference(after.Text(), before.Text())); diff != "" {
				t.Errorf("unexpected difference of the way back (-want +got):\n%s", diff)
			}
		}
	}
	if edits < 20 {
		t.Errorf("only %d nodes were edited", edits)
	}
}

// Whatever the nodes are, equal texts have no difference, and one edited node is named.
func FuzzDifference(f *testing.F) {
	for _, text := range []string{"", "n", "@", "@=", "a b", "a=b:c", "%", "+", "ä\u2028", "\xff", "\x00", strings.Repeat("x", 100)} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, id, title string) {
		if !utf8.ValidString(id) || !utf8.ValidString(title) {
			return // Digests have no other texts.
		}
		other := definition.Node{ID: "other" + id, Hash: "o"}
		before := digestWith(definition.Node{ID: id, Title: title, Hash: "h"}, other).Text()
		after := digestWith(definition.Node{ID: id, Title: title, Hash: "i"}, other).Text()
		if got := definition.Difference(before, before); got != nil {
			t.Errorf("equal texts differ in %q", got)
		}
		if got := definition.Difference(before, after); len(got) != 1 || !strings.HasPrefix(got[0], "node ") || !strings.Contains(got[0], id) {
			t.Errorf("the difference is %q", got)
		}
		if strings.ContainsAny(before, "\n\r\x00") || len(strings.Fields(before)) != 5 {
			t.Errorf("unexpected text %q", before)
		}
		got := definition.Difference(before, digestWith(other).Text())
		if len(got) != 1 || !strings.HasPrefix(got[0], "removed node ") || slices.Contains(got, "nodes") {
			t.Errorf("the difference is %q", got)
		}
	})
}

// A long ID is cut, and still differs from another one with the same beginning.
func TestLongIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 1<<20)
	first := digestWith(definition.Node{ID: long + "1", Hash: "h"}).Text()
	second := digestWith(definition.Node{ID: long + "2", Hash: "h"}).Text()
	if len(first) > 1000 || first == second {
		t.Errorf("the texts have %d and %d bytes", len(first), len(second))
	}
}
