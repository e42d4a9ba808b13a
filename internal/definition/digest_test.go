// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/definition"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// digestIn returns the digest of a definition, which can be without a graph.
func digestIn(text string) (definition.Digest, error) {
	d, err := definition.InResponse([]byte(`{"agent":` + text + `}`))
	if err != nil {
		return definition.Digest{}, err
	}
	return d.Digest(), nil
}

func digestOf(t *testing.T, text string) definition.Digest {
	t.Helper()
	digest, err := digestIn(text)
	if err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
	return digest
}

func TestEqualContentHasTheSameDigest(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"white space":        {`{"a":[1,{"b":""}]}`, " { \"a\" :\t[ 1 ,\n{ \"b\" : \"\" } ] }\r\n"},
		"order of keys":      {`{"a":{"x":1,"y":[{"p":1,"q":2}]},"b":2}`, `{"b":2,"a":{"y":[{"q":2,"p":1}],"x":1}}`},
		"escapes":            {`{"A/é":"<A/\n\u0001🚀"}`, `{"\u0041\/\u00e9":"\u003c\u0041\/\u000a\u0001\ud83d\ude80"}`},
		"not Unicode":        {`{"a":"` + "\uFFFD" + `"}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`},
		"one":                {`{"a":1}`, `{"a":1.0}`, `{"a":1e0}`, `{"a":10e-1}`, `{"a":0.1E+1}`, `{"a":0.0001e004}`},
		"zero":               {`{"a":0}`, `{"a":-0}`, `{"a":0.00}`, `{"a":-0e5}`},
		"a hundred":          {`{"a":-100}`, `{"a":-1e2}`, `{"a":-1000.00e-1}`},
		"a fraction":         {`{"a":0.0125}`, `{"a":1.25e-2}`, `{"a":125E-4}`},
		"a large number":     {`{"a":1e30}`, `{"a":10e29}`, `{"a":0.1E+31}`},
		"null":               {`{"a":{}}`, `{"a":{"b":null},"c":null,"graph":null,"profile":null,"ref":null}`},
		"null in an element": {`{"graph":{"nodes":[{"x":1}]}}`, `{"graph":{"nodes":[{"x":1,"y":null,"id":null,"graphCoordinates":null}]}}`},
		"null in a position": {`{"graph":{"nodes":[{"position":{"x":1}}]}}`, `{"graph":{"nodes":[{"position":{"x":1,"y":null}}]}}`},
		"omitted groups": {
			`{}`, `{"ref":{"revision":"2"},"exposure":{"access":{"url":"https://a.example"}},"tenancy":[1],"timestamps":"t","safeguards":2,"telemetry":{}}`,
		},
		"order of lists": {
			`{"graph":{"links":[1,2],"nodes":[{"id":"a","x":1},{"id":"b","x":2}],"memory":["a","b"],"entrypoints":[{"id":"a"},{"id":"b"}]},
			  "canvas":{"annotations":[{"id":"a","x":1},{"id":"b"}]},"profile":{"labels":["a","b"]},"taxonomy":{"tags":{"ids":["a","b","b"]}}}`,
			`{"graph":{"links":[2,1],"nodes":[{"id":"b","x":2},{"id":"a","x":1}],"memory":["b","a"],"entrypoints":[{"id":"b"},{"id":"a"}]},
			  "canvas":{"annotations":[{"id":"b"},{"id":"a","x":1}]},"profile":{"labels":["b","a"]},"taxonomy":{"tags":{"ids":["b","a","b"]}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := digestOf(t, texts[0])
			for _, text := range texts[1:] {
				if diff := cmp.Diff(want, digestOf(t, text)); diff != "" {
					t.Errorf("%s: unexpected digest (-want +got):\n%s", text, diff)
				}
			}
		})
	}
}

// base is a definition that has every part.
const base = `{
	"profile": {"title": "Survey", "labels": ["a"]},
	"graph": {
		"links": [{"id": "l"}],
		"nodes": [
			{"id": "n1", "title": "First", "graphCoordinates": {"x": 1, "y": 2}, "blocks": [{"text": "Hello", "x": 5, "graphCoordinates": {"x": 3}}]},
			{"id": "n2", "name": "Second", "x": 1, "y": [1], "width": "wide"}
		],
		"memory": [{"name": "v"}],
		"entrypoints": [{"id": "e", "type": "start", "graphCoordinates": {"x": 0, "y": 0}}],
		"extra": 1
	},
	"canvas": {"presetId": "p", "annotations": [{"id": "s", "content": "Note", "x": 1, "y": 2, "width": 3, "height": 4, "zIndex": 5, "position": {"x": 6}}]},
	"execution": {"rules": [1, 2], "simulation": null},
	"taxonomy": {"tags": {"ids": ["t"], "relations": [1, 2]}},
	"integrations": {"messaging": {"credentialsRef": "c"}},
	"ref": {"revision": "1"},
	"more": {"list": [1, [2], {}]}
}`

func TestDifferentContent(t *testing.T) {
	t.Parallel()
	for edit, want := range map[string][]string{ // The parts and nodes that change.
		`"Survey" -> "survey"`:                             {"profile"},
		`"labels": ["a"] -> "labels": []`:                  {"profile"},
		`"title": "Survey", -> `:                           {"profile"},
		`{"id": "l"} -> {"id": "m"}`:                       {"links"},
		`[{"id": "l"}] -> {"id": "l"}`:                     {"links"},
		`"Hello" -> "Hello!"`:                              {"nodes", "node n1"},
		`"First" -> "1st"`:                                 {"nodes", "node n1"},
		`"x": 5 -> "x": 6`:                                 {"nodes", "node n1"},
		`{"x": 3} -> {"x": 4}`:                             {"nodes", "node n1"},
		`{"x": 1, "y": 2} -> {"x": 1.5, "y": 2}`:           {"layout"},
		`"graphCoordinates": {"x": 1, "y": 2}, -> `:        {"layout"},
		`{"x": 1, "y": 2} -> {"x": 1, "y": "2"}`:           {"layout", "nodes", "node n1"},
		`"x": 1, "y": [1] -> "x": 2, "y": [1]`:             {"layout"},
		`"y": [1] -> "y": [2]`:                             {"nodes", "node n2"},
		`"wide" -> "wider"`:                                {"nodes", "node n2"},
		`{"name": "v"} -> {"name": "w"}`:                   {"variables"},
		`{"x": 0, "y": 0} -> {"x": 0, "y": 1}`:             {"layout"},
		`"start" -> "end"`:                                 {"entry points"},
		`"presetId": "p" -> "presetId": "q"`:               {"appearance"},
		`"Note" -> "Notes"`:                                {"appearance"},
		`"zIndex": 5 -> "zIndex": 6`:                       {"layout"},
		`{"x": 6} -> {"x": 7}`:                             {"layout"},
		`{"id": "n1", -> {"id": "n0"}, {"id": "n1",`:       {"node n0", "nodes"},
		`"height": 4 -> "height": 5`:                       {"layout"},
		`"width": 3 -> "width": 4`:                         {"layout"},
		`"rules": [1, 2] -> "rules": [2, 1]`:               {"rules"},
		`"rules": [1, 2] -> "rules": [12]`:                 {"rules"},
		`"rules": [1, 2] -> "rules": [[1], 2]`:             {"rules"},
		`"rules": [1, 2] -> "rules": [[1, 2]]`:             {"rules"},
		`"rules": [1, 2] -> "rules": [1, 2, null]`:         {"rules"},
		`"simulation": null -> "simulation": {}`:           {"rules"},
		`"simulation": null -> "simulation": []`:           {"rules"},
		`"simulation": null -> "simulation": ""`:           {"rules"},
		`"simulation": null -> "simulation": false`:        {"rules"},
		`"relations": [1, 2] -> "relations": [2, 1]`:       {"tags"},
		`["t"] -> ["t", "t"]`:                              {"tags"},
		`"c"}} -> "d"}}`:                                   {"integrations"},
		`"extra": 1 -> "extra": 2`:                         {"other"},
		`"extra": 1 -> "extra": "1"`:                       {"other"},
		`"extra": 1 -> "extra": 1e9999999999`:              {"other"},
		`"extra": 1 -> "extra": -1`:                        {"other"},
		`"extra": 1 -> "extra": 10`:                        {"other"},
		`"extra": 1 -> "extra": 0.1`:                       {"other"},
		`"extra": 1 -> "extra": true`:                      {"other"},
		`"more": {"list": [1, [2], {}]} -> "more": {}`:     {"other"},
		`[1, [2], {}] -> [1, [2, {}]]`:                     {"other"},
		`"more" -> "nodes"`:                                {"other"},
		`"list": [1, [2], {}] -> "list": [1, [2], {}, {}]`: {"other"},
	} {
		t.Run(edit, func(t *testing.T) {
			t.Parallel()
			old, replacement, _ := strings.Cut(edit, " -> ")
			if strings.Count(base, old) == 0 {
				t.Fatal("the definition does not contain the text")
			}
			before, after := digestOf(t, base), digestOf(t, strings.Replace(base, old, replacement, 1))
			if before.Hash == after.Hash {
				t.Error("the hash has not changed")
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, changes(before, after)); diff != "" {
				t.Errorf("unexpected changes (-want +got):\n%s", diff)
			}
		})
	}
}

// What the API documents of some groups changes without an edit, and what it does not is told.
func TestGroupsThatChangeWithoutAnEdit(t *testing.T) {
	t.Parallel()
	const documented = `{"graph":{},
		"ref":{"key":"%[1]d","revision":"%[1]d","publicKey":"%[1]d"},
		"exposure":{"state":{"published":%[2]t,"archived":%[2]t,"locked":%[2]t},"schedule":{"publishedAt":"%[1]d"},
			"access":{"url":"https://%[1]d.example","domain":"%[1]d","share":{"token":"%[1]d","rules":{"a":%[1]d}}}},
		"tenancy":{"workspaceRef":"%[1]d","domainRef":"%[1]d","workspace":{"isSuspended":%[2]t,"isPastDue":%[2]t,"members":[{"userId":"%[1]d"}],"collaborators":[%[1]d]}},
		"timestamps":{"created":"%[1]d","updated":"%[1]d"},
		"safeguards":{"security":{"a":%[1]d},"riskScore":%[1]d},
		"telemetry":{"tables":{"order":["%[1]d"],"visibility":{"a":%[2]t},"width":{"a":%[1]d}}}}`
	want, text := digestOf(t, `{"graph":{}}`), fmt.Sprintf(documented, 1, true)
	for _, other := range []string{text, fmt.Sprintf(documented, 2, false)} {
		if diff := cmp.Diff(want, digestOf(t, other)); diff != "" {
			t.Errorf("%s: unexpected digest (-want +got):\n%s", other, diff)
		}
	}
	for _, parent := range []string{`"ref":{`, `"exposure":{`, `"state":{`, `"schedule":{`, `"access":{`, `"share":{`, `"tenancy":{`, `"workspace":{`, `"timestamps":{`, `"safeguards":{`, `"telemetry":{`, `"tables":{`} {
		edited := digestOf(t, strings.Replace(text, parent, parent+`"paused":true,`, 1))
		if diff := cmp.Diff([]string{"other"}, changes(want, edited)); diff != "" || edited.Hash == want.Hash {
			t.Errorf("%s: unexpected changes (-want +got):\n%s", parent, diff)
		}
	}
}

// changes returns the parts and nodes that are different, sorted.
func changes(x, y definition.Digest) []string {
	contents := func(d definition.Digest) map[string]string {
		all := maps.Clone(d.Parts.Parts)
		for id, node := range d.Parts.Nodes {
			all["node "+id] = node.Hash
		}
		return all
	}
	from, to := contents(x), contents(y)
	all := maps.Clone(from)
	maps.Copy(all, to)
	maps.DeleteFunc(all, func(name, _ string) bool { return from[name] == to[name] })
	return slices.Sorted(maps.Keys(all))
}

// The hash does not change between releases.
func TestHashIsStable(t *testing.T) {
	t.Parallel()
	sum := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "#" + string(sum[:])
	}
	got := digestOf(t, `{"b": [1.0, true], "a": "x", "profile": {"icon": null}, "graph": {"nodes": [{"x": 10, "id": "n"}]}}`)
	want := "h2:" + hex.EncodeToString([]byte(sum(
		`"layout":node"x":10,"n",,` +
			`"nodes":` + sum("["+sum(`{"id":"n",`)+",") + "," +
			`"other":` + sum(`{"a":"x","b":`+sum("[1,true,")+`,"graph":`+sum("{")+",") + "," +
			`"profile":` + sum("{") + ","))[1:])
	if got.Hash != want {
		t.Errorf("got %s, want %s", got.Hash, want)
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	nodes := digestOf(t, `{"graph":{"nodes":[
		{"id":"c","title":null,"name":"Name"}, {"id":"b","title":"Ti\u0074le \"b\"","name":"Name"},
		{"id":1,"title":["t"]}, "text", {"id":"a","title":"","name":"Name\n2","blocks":[{"id":"d"}]}]}}`).Parts.Nodes
	hashes, titles := map[string]bool{}, map[string]string{}
	for id, node := range nodes {
		if !regexp.MustCompile(`^[\w-]{8}$`).MatchString(node.Hash) {
			t.Errorf("the hash is %q", node.Hash)
		}
		hashes[node.Hash], titles[id] = true, node.Title
	}
	want := map[string]string{"1": "", "a": "Name 2", "b": `Title "b"`, "c": "Name"}
	if diff := cmp.Diff(want, titles); diff != "" || len(hashes) != 4 {
		t.Errorf("%d hashes, unexpected titles (-want +got):\n%s", len(hashes), diff)
	}
}

// Elements without an ID that exchange their positions change the layout.
func TestExchangedPositions(t *testing.T) {
	t.Parallel()
	before := digestOf(t, `{"graph":{"nodes":[{"t":"a","x":1},{"t":"b","x":2}]}}`)
	after := digestOf(t, `{"graph":{"nodes":[{"t":"a","x":2},{"t":"b","x":1}]}}`)
	if diff := cmp.Diff([]string{"layout"}, changes(before, after)); diff != "" {
		t.Errorf("unexpected changes (-want +got):\n%s", diff)
	}
}

// Whatever the bytes, there is no panic, and the JSON of the value has the same digest.
func FuzzDigest(f *testing.F) {
	for _, text := range []string{
		base, `{}`, `null`, `[]`, `{"a":`, "{\"\xff\":\"\\ud800\u2028\"}",
		`{"graph":{"nodes":[{"id":"a","x":-0.0,"position":{"x":1e400,"y":null}},[],{"id":"a","id":null}],"entrypoints":{}}}`,
		`{"graph":[1],"execution":{"rules":["http\u003a//{{a}}@[::1]:1","https://a.example\\"]},"graph":{"links":[{},{}]}}`,
		`{"canvas":{"annotations":[{"zIndex":10,"content":"a"}]},"profile":null,"taxonomy":{"tags":{"ids":["b","a"]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := digestIn(string(text))
		v, invalid := jsonvalue.Parse(text)
		if invalid == nil && err != nil {
			t.Fatal(err)
		}
		if err == nil && invalid == nil {
			if diff := cmp.Diff(digestOf(t, v.JSON()), got); diff != "" {
				t.Errorf("unexpected digest (-want +got):\n%s", diff)
			}
		}
	})
}
