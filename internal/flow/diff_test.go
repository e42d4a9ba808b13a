// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/flow"
)

// differences are the changes as "change part id (title) path: before -> after".
func differences(t testing.TB, before, after string) []string {
	t.Helper()
	var earlier definition.Definition
	if before != "" {
		earlier = parse(t, before)
	}
	text := func(json *string) string {
		if json == nil {
			return "nothing"
		}
		return *json
	}
	var lines []string
	for _, c := range flow.Diff(earlier, parse(t, after)) {
		line := fmt.Sprintf("%s %s %s (%s) %s: %s -> %s", c.Change, c.Part, c.ID, c.Title, c.Path, text(c.Before), text(c.After))
		if c.IsLayout {
			line += " (layout)"
		}
		lines = append(lines, line)
	}
	return lines
}

const diffDefinition = `{
	"profile": {"title": "Bookings", "labels": ["a", "b", "c"]},
	"exposure": {"access": {"share": {"token": "shr_1", "rules": null}}},
	"canvas": {"presetId": "p", "annotations": [{"id": "a1", "content": "Note", "x": 1, "y": 2, "width": 100, "height": 50, "zIndex": 1}]},
	"graph": {
		"entrypoints": [{"id": "e", "type": "start", "width": "auto", "graphCoordinates": {"x": 0, "y": 0}, "outgoingEdgeId": "l0"}],
		"links": [
			{"id": "l0", "from": {"blockId": "e"}, "to": {"groupId": "n0"}},
			{"id": "l1", "from": {"blockId": "b0"}, "to": {"groupId": "n1", "blockId": "b1"}}
		],
		"memory": [{"id": "v1", "name": "phone", "value": null}],
		"nodes": [
			{"id": "n0", "title": "Welcome", "graphCoordinates": {"x": 0, "y": 0}, "blocks": [
				{"id": "b0", "text": "Hi", "width": 300, "items": [{"id": "i0", "content": "Yes"}, {"id": "i1", "content": "No"}]}
			]},
			{"id": "n1", "title": "Goodbye", "graphCoordinates": {"x": 400, "y": 0}, "blocks": [{"id": "b1", "text": [{"t": "Bye"}, {"t": "now"}]}]},
			{"note": "no ID"}
		]
	}
}`

// One edit is one change, also back. The digest agrees: its hash is equal if nothing differs, and its only different part
// is the layout if only the layout differs.
func TestDiff(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		old, replacement string
		want             []string
	}{
		"nothing":                 {`"Hi"`, `"\u0048i"`, nil},
		"labels in another order": {`["a", "b", "c"]`, `["c", "a", "b"]`, nil},
		"null":                    {`"presetId": "p"`, `"presetId": "p", "odd": null`, nil},
		"a field":                 {`"Bookings"`, `"Book"`, []string{`changed field  () profile.title: "Bookings" -> "Book"`}},
		"a field that is new":     {`"title": "Bookings"`, `"title": "Bookings", "odd key": {"a": 1}`, []string{`added field  () profile["odd key"]: nothing -> {"a":1}`}},
		"an element that is new":  {`["a", "b", "c"]`, `["x", "a", "b", "c"]`, []string{`added field  () profile.labels[0]: nothing -> "x"`}},
		"the share token":         {`shr_1`, `shr_2`, nil},
		"a node's title":          {`"Welcome"`, `"Hello"`, []string{`changed node n0 (Hello) title: "Welcome" -> "Hello"`}},
		"a node that is moved": {
			`{"x": 400, "y": 0}`, `{"x": 410, "y": 20}`,
			[]string{`changed node n1 (Goodbye) : {"graphCoordinates":{"x":400,"y":0}} -> {"graphCoordinates":{"x":410,"y":20}} (layout)`},
		},
		"a node that is new": {`{"note"`, `{"id": "n2", "title": "Two"}, {"note"`, []string{`added node n2 (Two) : nothing -> {"id":"n2","title":"Two"}`}},
		"a node that is gone": {
			`{"id": "n1", "title": "Goodbye", "graphCoordinates": {"x": 400, "y": 0}, "blocks": [{"id": "b1", "text": [{"t": "Bye"}, {"t": "now"}]}]},`, ``,
			[]string{`removed node n1 (Goodbye) : {"blocks":[{"id":"b1","text":[{"t":"Bye"},{"t":"now"}]}],"graphCoordinates":{"x":400,"y":0},"id":"n1","title":"Goodbye"} -> nothing`},
		},
		"a node without an ID": {`"no ID"`, `"none"`, []string{`changed node  () [0].note: "no ID" -> "none"`}},
		"a node without an ID that is new": {
			`{"note"`, `{"note": 1}, {"note"`, []string{`added node  () [0]: nothing -> {"note":1}`},
		},
		"a block": {`"Hi"`, `"Hi!"`, []string{`changed node n0 (Welcome) blocks["b0"].text: "Hi" -> "Hi!"`}},
		"a size of something else": {
			`"title": "Welcome",`, `"title": "Welcome", "limit": {"x": 5}, "range": {"y": 1, "position": {"x": 1}},`,
			[]string{`changed node n0 (Welcome) limit: nothing -> {"x":5}`, `changed node n0 (Welcome) range: nothing -> {"position":{"x":1},"y":1}`},
		},
		"a position with something else": {`{"x": 400, "y": 0}`, `{"x": 410, "y": 0, "limit": "1"}`, []string{
			`changed node n1 (Goodbye) graphCoordinates.limit: nothing -> "1"`, `changed node n1 (Goodbye) graphCoordinates.x: 400 -> 410`,
		}},
		"a position and a size": {
			`"title": "Welcome",`, `"title": "Welcome", "position": {"x": 5}, "x": 1, "width": 3,`,
			[]string{`changed node n0 (Welcome) : {} -> {"position":{"x":5},"width":3,"x":1} (layout)`},
		},
		"a size in a block":   {`"width": 300`, `"width": 30`, []string{`changed node n0 (Welcome) blocks["b0"].width: 300 -> 30`}},
		"an item that is new": {`{"id": "i0"`, `{"id": "i2"}, {"id": "i0"`, []string{`changed node n0 (Welcome) blocks["b0"].items["i2"]: nothing -> {"id":"i2"}`}},
		"an item":             {`"No"`, `"Never"`, []string{`changed node n0 (Welcome) blocks["b0"].items["i1"].content: "No" -> "Never"`}},
		"items in another order": {
			`{"id": "i0", "content": "Yes"}, {"id": "i1", "content": "No"}`, `{"id": "i1", "content": "No"}, {"id": "i2"}, {"id": "i0", "content": "Yes!"}`, []string{
				`changed node n0 (Welcome) blocks["b0"].items: ["i0","i1"] -> ["i1","i2","i0"]`,
				`changed node n0 (Welcome) blocks["b0"].items["i0"].content: "Yes" -> "Yes!"`,
				`changed node n0 (Welcome) blocks["b0"].items["i2"]: nothing -> {"id":"i2"}`,
			},
		},
		"a link": {
			`{"groupId": "n1", "blockId": "b1"}`, `{"groupId": "n0", "blockId": "b0"}`,
			[]string{`changed link l1 (Welcome → Welcome) to.blockId: "b1" -> "b0"`, `changed link l1 (Welcome → Welcome) to.groupId: "n1" -> "n0"`},
		},
		"a link that is gone": {
			`{"id": "l0", "from": {"blockId": "e"}, "to": {"groupId": "n0"}},`, ``,
			[]string{`removed link l0 (start → Welcome) : {"from":{"blockId":"e"},"id":"l0","to":{"groupId":"n0"}} -> nothing`},
		},
		"a size that was a word": {`"auto"`, `9`, []string{`changed entrypoint e (start) width: "auto" -> 9`}},
		"a link that is broken":  {`{"groupId": "n0"}`, `{"groupId": "n9"}`, []string{`changed link l0 (start → n9) to.groupId: "n0" -> "n9"`}},
		"an entry point":         {`"l0"}]`, `"l1"}]`, []string{`changed entrypoint e (start) outgoingEdgeId: "l0" -> "l1"`}},
		"an annotation that is moved": {
			`"x": 1, "y": 2, "width": 100`, `"x": 5, "y": 6, "width": 120`,
			[]string{`changed annotation a1 (Note) : {"width":100,"x":1,"y":2} -> {"width":120,"x":5,"y":6} (layout)`},
		},
		"IDs of another kind": {`{"note"`, `{"id": 5}, {"id": ""}, {"id": {}}, {"note"`, []string{
			`added node  () [0]: nothing -> {"id":""}`, `added node  () [1]: nothing -> {"id":{}}`, `added node 5 () : nothing -> {"id":5}`,
		}},
		"a number for an ID": {`"id": "v1"`, `"id": 1`, []string{
			`added variable 1 (phone) : nothing -> {"id":1,"name":"phone","value":null}`, `removed variable v1 (phone) : {"id":"v1","name":"phone","value":null} -> nothing`,
		}},
		"another shape": {`"memory": [{"id": "v1", "name": "phone", "value": null}]`, `"memory": {"v1": "phone"}`, []string{
			`changed field  () graph.memory: [{"id":"v1","name":"phone","value":null}] -> {"v1":"phone"}`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := strings.Replace(diffDefinition, test.old, test.replacement, 1)
			if diff := cmp.Diff(test.want, differences(t, diffDefinition, after)); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			if back := differences(t, after, diffDefinition); len(back) != len(test.want) {
				t.Errorf("the changes back are %v", back)
			}
			checkDigests(t, diffDefinition, after, flow.Diff(parse(t, diffDefinition), parse(t, after)))
		})
	}
	// Digests have nothing of this group.
	want := []string{`changed field  () exposure.access.share.rules: null -> 1`}
	if diff := cmp.Diff(want, differences(t, diffDefinition, strings.Replace(diffDefinition, `"rules": null`, `"rules": 1`, 1))); diff != "" {
		t.Errorf("unexpected changes beside the share token (-want +got):\n%s", diff)
	}
}

// checkDigests checks that the digests of two definitions agree with their changes.
func checkDigests(t *testing.T, before, after string, changes []definition.Difference) {
	t.Helper()
	var digests [2]definition.Digest
	for i, text := range []string{before, after} {
		digests[i] = parse(t, text).Digest()
	}
	parts := definition.ChangedParts(digests[0].Parts.JSON(), digests[1].Parts.JSON())
	onlyLayout := len(changes) > 0 && !slices.ContainsFunc(changes, func(c definition.Difference) bool { return !c.IsLayout })
	if (digests[0].Hash == digests[1].Hash) != (len(changes) == 0) || slices.Equal(parts, []string{definition.Layout}) != onlyLayout {
		t.Fatalf("the digest differs in %v\nbefore: %s\nafter:  %s\n%v", parts, before, after, differences(t, before, after))
	}
}

// Every element and every group of a new agent is new.
func TestDiffOfNewAgents(t *testing.T) {
	t.Parallel()
	want := []string{
		`added node n (Welcome) : nothing -> {"id":"n","title":"Welcome"}`,
		`added link l (→ Welcome) : nothing -> {"id":"l","to":{"groupId":"n"}}`,
		`added annotation a () : nothing -> {"id":"a"}`,
		`added field  () exposure: nothing -> {"access":{"share":{"token":null}}}`,
		`added field  () profile: nothing -> {"title":"<b>"}`,
	}
	got := differences(t, "", `{"profile": {"title": "<b>"}, "canvas": {"annotations": [{"id": "a"}], "presetId": null},
		"exposure": {"access": {"share": {"token": {"secret": ["shr_1"]}}}},
		"graph": {"nodes": [{"id": "n", "title": "Welcome"}], "links": [{"id": "l", "to": {"groupId": "n"}}], "memory": null, "entrypoints": []}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// Elements with the same ID are matched in order, after those that are equal.
func TestDiffOfDuplicates(t *testing.T) {
	t.Parallel()
	nodes := func(nodes string) string { return `{"graph": {"nodes": [` + nodes + `]}}` }
	const a, b, c = `{"id": "n", "title": "A"}`, `{"id": "n", "title": "B"}`, `{"id": "n", "title": "C"}`
	tests := map[string]struct {
		before, after string
		want          []string
	}{
		"one is gone":   {a + "," + b + "," + a, b + "," + a, []string{`removed node n (A) : {"id":"n","title":"A"} -> nothing`}},
		"one more":      {a, a + "," + a, []string{`added node n (A) : nothing -> {"id":"n","title":"A"}`}},
		"another order": {a + `, {"id": "m"}`, `{"id": "m"}, ` + a, nil},
		"in order": {a + "," + b, c + "," + b + "," + c, []string{
			`added node n (C) : nothing -> {"id":"n","title":"C"}`, `changed node n (C) title: "A" -> "C"`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := nodes(test.before), nodes(test.after)
			if diff := cmp.Diff(test.want, differences(t, before, after)); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
			checkDigests(t, before, after, flow.Diff(parse(t, before), parse(t, after)))
		})
	}
}

// What no element shows differs as a whole.
func TestDiffOfWholeArrays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, want string }{
		"empty, and none":   {`{"graph": {"nodes": []}}`, `{"graph": {}}`, `removed field  () graph.nodes: [] -> nothing`},
		"of elements":       {`{"graph": {}, "a": [{"id": "x"}, {"id": "x", "b": 1}]}`, `{"graph": {}, "a": [{"id": "x", "b": 1}, {"id": "x"}]}`, `changed field  () a: [{"id":"x"},{"b":1,"id":"x"}] -> [{"b":1,"id":"x"},{"id":"x"}]`},
		"of what has no ID": {`{"graph": {}, "a": [1, {"id": "x"}]}`, `{"graph": {}, "a": [{"id": "x"}, 1]}`, `changed field  () a: [1,{"id":"x"}] -> [{"id":"x"},1]`},
	} {
		if diff := cmp.Diff([]string{test.want}, differences(t, test.before, test.after)); diff != "" {
			t.Errorf("%s: unexpected changes (-want +got):\n%s", name, diff)
		}
	}
}
