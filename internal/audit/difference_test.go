// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// A change of settings is shown as what differs, without secrets.
func TestDifferenceOfSettings(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for name, test := range map[string]struct{ before, after, wantBefore, wantAfter, message string }{
		"number":       {`{"maxUses":30,"a":1}`, `{"maxUses":31,"a":1}`, "maxUses: 30", "maxUses: 31", "maxUses: 30 → 31"},
		"nested":       {`{"a":{"b.c":{"d":1}}}`, `{"a":{"b.c":{"d":2}}}`, "a.b.c.d: 1", "a.b.c.d: 2", "a.b.c.d: 1 → 2"},
		"text, number": {`{"a":30}`, `{"a":"30"}`, "a: 30", "a: ***", "a: 30 → ***"},
		"two":          {`{"a":1,"b":2}`, `{"a":2,"b":3}`, "a: 1, b: 2", "a: 2, b: 3", "a: 1, b: 2 → a: 2, b: 3"},
		"new setting":  {`{"a":1}`, `{"a":1,"b":true}`, "", "+ b: true", "+ b: true"},
		"new, changed": {`{"b":1}`, `{"a":1,"b":2}`, "b: 1", "+ a: 1, b: 2", "b: 1 → + a: 1, b: 2"},
		"null":         {`{"a":1}`, `{"a":null,"b":1}`, "− a: 1", "+ b: 1", "− a: 1, + b: 1"},
		"gone":         {`{"a":1,"b":""}`, `{"a":1}`, `− b: ""`, "", `− b: ""`},
		"list":         {`{"origins":["a.example","b.example"]}`, `{"origins":["a.example","c.example"]}`, "− origins: b.example", "+ origins: c.example", "− origins: b.example, + origins: c.example"},
		"empty list":   {`{"o":[]}`, `{"o":["admin"]}`, "o: []", "o: admin", "o: [] → admin"},
		"once more":    {`{"o":[1,1]}`, `{"o":[1,1,1]}`, "", "+ o: 1", "+ o: 1"},
		"order":        {`{"rules":["deny *.evil.example","allow *"]}`, `{"rules":["allow *","deny *.evil.example"]}`, "", "in another order", "in another order"},
		"no settings":  {`{"a":1}`, ``, "− a: 1", "", "− a: 1"},
		"no JSON":      {`hunter2`, `b`, "***", "another value", "*** → another value"},
		"secret":       {`{"p":{"accessCode":"hunter2"}}`, `{"p":{"accessCode":"hunter3"}}`, "p.accessCode: ***", "p.accessCode: another value", "p.accessCode: *** → another value"},
		"new secret":   {`{"a":1}`, `{"a":1,"x":"hunter2"}`, "", "+ x: ***", "+ x: ***"},
		"path of URL":  {`{"hook":"https://h.example/T0/hunter2"}`, `{"hook":"https://h.example/T0/hunter3"}`, "hook: h.example", "hook: another value", "hook: h.example → another value"},
		"user in URL":  {`{"to":"https://api:hunter2@a.example"}`, `{"to":"https://hunter2@b.example"}`, "to: a.example", "to: b.example", "to: a.example → b.example"},
		"in a list":    {`{"x":["hunter2"]}`, `{"x":["hunter3","hunter2"]}`, "", "+ x: ***", "+ x: ***"},
		"object":       {`[{"id":1,"x":"hunter2"}]`, `[{"id":2,"x":"hunter2"}]`, `{"id":1,"x":"***"}`, `{"id":2,"x":"***"}`, `{"id":1,"x":"***"} → {"id":2,"x":"***"}`},
	} {
		earlier := stored(t, withAgent(object{"security_json": test.before}))
		changed := withAgent(object{"security_json": test.after})
		if test.after == "" {
			changed = withAgent(object{"security_json": nil})
		}
		planned := planned(t, changed, earlier)
		changes := planned.Changes[1:]
		if len(changes) != 1 || changes[0].What != "agent security settings" || *changes[0].Before != test.wantBefore || *changes[0].After != test.wantAfter {
			t.Errorf("%s: got %s", name, cmp.Diff(nil, changes))
			continue
		}
		assessment := assess(t, changed, planned)
		if got, want := assessment.Findings[0].Message, "agent security settings: "+test.message; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if strings.Contains(fmt.Sprint(assessment.Findings, *changes[0].Before, *changes[0].After), secret) {
			t.Errorf("%s: a secret is shown", name)
		}
		// Only the record has the secret, with which the next audit is compared.
		if strings.Contains(test.after, secret) != strings.Contains(unpacked(t, planned.Record), secret) {
			t.Errorf("%s: got the record %s", name, unpacked(t, planned.Record))
		}
	}
}

// In settings, only what cannot be a secret is shown.
func TestShownSettings(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		`"isPublic":true`:                        "isPublic: true",
		`"pin":false`:                            "pin: false",
		`"maxUses":250`:                          "maxUses: 250",
		`"rate":0.50`:                            "rate: 0.5",
		`"pin":4711`:                             "pin: ***",
		`"access":{"accessCode":{"value":4711}}`: "access.accessCode.value: ***",
		`"codes":[4711,4712]`:                    "codes: ***, codes: ***",
		`"id":90071992547409921`:                 "id: ***",
		`"until":"2026-03-01T00:00:00Z"`:         "until: 2026-03-01T00:00:00Z",
		`"from":"2026-03-01"`:                    "from: 2026-03-01",
		`"owner":"Ana@Example.com"`:              "owner: ana@example.com",
		`"x":"p@ssw0rd"`:                         "x: ***",
		`"password":"ann@example.com"`:           "password: ***",
		`"hook":"https://u:p@h.example/T0/B0/x"`: "hook: h.example",
		`"webhook":"https://h.example?key=1"`:    "webhook: h.example",
		`"origins":["a.example","*.b.example"]`:  "origins: a.example, origins: *.b.example",
		`"domain":"localhost:3000"`:              "domain: localhost:3000",
		`"domain":"hunter2"`:                     "domain: ***",
		`"x":"eyJhbGciOi.eyJzdWIi.SflKxw"`:       "x: ***",
		`"x":"https://hunter2/"`:                 "x: ***",
		`"mode":"Everyone"`:                      "mode: Everyone",
		`"mode":"hunter2"`:                       "mode: ***",
		`"rules":["deny *.evil.example"]`:        "rules: ***",
		`"userId":"usr_1"`:                       "userId: usr_1",
		`"x":""`:                                 `x: ""`,
	} {
		settings := "{" + setting + "}"
		if got := (&audit.Agent{Security: &settings}).Shown("security_json"); got != want {
			t.Errorf("%s: got %s, want %s", setting, got, want)
		}
	}
}

// Secrets are in no text about an agent that is new, and neither are those in its address.
func TestSecretsOfNewAgent(t *testing.T) {
	t.Parallel()
	earlier := stored(t, object{"agents": object{}})
	with := func(secret string) object {
		return withAgent(object{"url": "https://u:" + secret + "@a.example/x?key=" + secret + "#end", "share_rules_json": `{"x":"hunter2"}`})
	}
	added := with("hunter2")
	got := assess(t, added, planned(t, added, earlier))
	if message := got.Findings[0].Message; strings.Contains(message, "hunter2") || !strings.Contains(message, "URL https://a.example/x?***, ") || !strings.Contains(message, "rules x: ***, ") {
		t.Errorf("got %q", message)
	}
	if changes := changesSince(t, recordOf(t, added), with("hunter3")); len(changes) != 1 || *changes[0].After != "URL https://a.example/x?*** (another value)" {
		t.Errorf("got %v", changes)
	}
}

// A change of a long list shows what is different, also in the middle, and says what it leaves
// out.
func TestDifferenceOfLongList(t *testing.T) {
	t.Parallel()
	hosts := make(list, 80)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("host-%02d.example", i)
	}
	many, want := slices.Clone(hosts), []string{}
	for i := range 30 {
		many = append(many, fmt.Sprintf("new-%02d.example", i))
		want = append(want, fmt.Sprintf("+ new-%02d.example", i))
	}
	earlier := recordOf(t, withAgent(object{"external_hosts": hosts}))
	for name, test := range map[string]struct {
		hosts         list
		before, after string
	}{
		"one more": {slices.Insert(slices.Clone(hosts), 40, any("evil.example")), "", "+ evil.example"},
		"another":  {append(slices.Clone(hosts[1:]), "evil.example"), "− host-00.example", "+ evil.example"},
		"30 more":  {many, "", strings.Join(want[:20], ", ") + ", and 10 more"},
		"long":     {append(slices.Clone(hosts), "x"+strings.Repeat("x", 1000), "y", "z"), "", "+ x" + strings.Repeat("x", 1000) + ", + y, + z"},
	} {
		changes := changesSince(t, earlier, withAgent(object{"external_hosts": test.hosts}))
		if len(changes) != 1 || changes[0].What != "agent external hosts" {
			t.Fatalf("%s: got %v", name, changes)
		}
		if diff := cmp.Diff([]string{test.before, test.after}, []string{*changes[0].Before, *changes[0].After}); diff != "" {
			t.Errorf("%s: unexpected texts (-want +got):\n%s", name, diff)
		}
	}
}
