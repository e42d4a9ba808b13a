// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// However a service spells a value, its record, its changes, and their keys are the same.
func TestSpellings(t *testing.T) {
	t.Parallel()
	earlier := stored(t, nil)
	ann, desk := audittest.Member("ADMIN", "Ann", "ünal@x.example"), audittest.Member("GUEST", "Desk", nil)
	for name, spellings := range map[string][]object{
		"settings": {
			withAgent(object{"security_json": `{"a":{"uses":10,"since":"2026-01-02T03:04:05.5Z"},"owners":["ünal@x.example",7,null,true],"rules":[{"b":1},[]],
				"hook":"https://h.example/Path?a=b","origins":["h.example","https://h.example"],"hostnames":["h.example","//h.example/A"],"word":"word"}`}),
			withAgent(object{"security_json": ` {"word":"w\u006frd","hostnames":["H.Example","//h.example:443/A"],"origins":["h.example:443","HTTPS://H.Example"],
				"hook":"HTTPS://h.example:443/Path?a=b","none":null,"rules":[{"b":1.0},[ ]],"owners":["ÜNAL@X.EXAMPLE",7e0,null,true],
				"a":{"since":"2026-01-02T04:34:05.500+01:30","uses":100.00E-1}}`}),
		},
		"rules":         {withAgent(object{"share_rules_json": `{"uses":0.5}`}), withAgent(object{"share_rules_json": `{"uses":5e-1}`})},
		"no rules":      {withAgent(object{"share_rules_json": nil, "public_id": "p"}), withAgent(object{"share_rules_json": `{"a":null}`, "public_id": "p"})},
		"collaborators": {withAgent(object{"collaborators_json": `[{"email":"ünal@x.example","since":50},"z"]`}), withAgent(object{"collaborators_json": `["z",{"since":5e1,"email":"Ünal@X.example"}]`})},
		"URL":           {withAgent(object{"url": "https://h.example/Path?a=b"}), withAgent(object{"url": "HTTPS://H.Example:443/Path?a=b"})},
		"domain":        {withAgent(object{"domain": "h.example"}), withAgent(object{"domain": "H.Example"}), withAgent(object{"domain": "h.example:443"})},
		"domain as URL": {withAgent(object{"domain": "//h.example"}), withAgent(object{"domain": "//H.Example:443"})},
		"time":          {withAgent(object{"published_at": "2026-01-02T03:04:05.5Z"}), withAgent(object{"published_at": "2026-01-02T04:34:05.500+01:30"})},
		"lists":         {withAgent(object{"external_hosts": list{"a", "b"}, "definition_hash": "h"}), withAgent(object{"external_hosts": list{"b", "a"}, "definition_hash": "h", "labels": list{"a", "b"}})},
		"no domain ID":  {withAgent(object{"domain_id": nil}), withAgent(object{"domain_id": ""})},
		"members":       {{"members": list{ann, desk}}, {"members": list{desk, audittest.Member("ADMIN", "Ann", "ÜNAL@X.example")}}},
	} {
		want := planned(t, spellings[0], earlier)
		for _, spelling := range spellings[1:] {
			got := planned(t, spelling, earlier)
			if diff := cmp.Diff(want, got); diff != "" || len(got.Changes) < 2 {
				t.Errorf("%s: another record or change (-usual +other):\n%s\n%s", name, diff, unpacked(t, *got.Record))
			}
			spelling["read_at"] = "2026-03-01T10:00:00Z"
			if again := planned(t, spelling, want); *again.Record != *want.Record {
				t.Errorf("%s: another spelling is a change: %v", name, again.Changes[len(want.Changes):])
			}
		}
	}
}

// Values that differ only a little are changes.
func TestSimilarValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]any{
		"security_json": {`{"a":0.5}`, `{"a":"0.5"}`, `{"A":0.5}`, `{"a":[0.5]}`, `{"a":12345678901234567890}`, `{"a":12345678901234567891}`, `{"a":"Abc.def"}`, `{"a":"abc.def"}`,
			`{"a":[]}`, `{"a":["x","x"]}`, `{"a":["x"]}`, `{"a":[["x"],["y"]]}`, `{"a":[["y"],["x"]]}`, `{"password":"A@b"}`, `{"password":"a@b"}`,
			`{"password":"http://A.b"}`, `{"password":"http://a.b"}`, `{"a":"https://u@x/a"}`, `{"a":"https://U@x/a"}`, `{"a":"http://x:443/a"}`, `{"a":"http://x/a"}`, nil,
			`"Strict"`, `"strict"`, `["Strict"]`, `["strict"]`},
		"collaborators_json": {`["a"]`, `["a","a"]`, `[["a","b"]]`, `[{"a":1},{"b":1}]`, `[{"a":1}]`, `[{"a":[{"x":1},{"y":1}]}]`, `[{"a":[{"y":1},{"x":1}]}]`},
		"url":                {"https://x.example/A", "https://x.example/a", "http://x.example/a", "https://x.example:444/a", "https://x.example/a?b=1", "https://p@x.example/a", "Orders", "orders", "null", "{}"},
		"domain":             {"x.example", "y.example", "x.example:80", "x", "null"},
		"published_at":       {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02", "today"},
		"public_id":          {"a", "A", "á", "á ", "null"},
	} {
		for i, before := range values {
			earlier := recordOf(t, withAgent(object{name: before}))
			for j, after := range values[i:] {
				if changes := changesSince(t, earlier, withAgent(object{name: after})); (len(changes) == 0) != (j == 0) {
					t.Errorf("%s from %v to %v: got %v", name, before, after, changes)
				}
			}
		}
	}
}
