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
	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// A change of settings is shown as what differs, without secrets.
func TestDifferenceOfSettings(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for name, test := range map[string]struct{ before, after, wantBefore, wantAfter, message string }{
		"number":        {`{"maxUses":30,"a":1}`, `{"maxUses":31,"a":1}`, "maxUses: 30", "maxUses: 31", "maxUses: 30 → 31"},
		"nested":        {`{"a":{"b.c":{"d":"x"}}}`, `{"a":{"b.c":{"d":"y"}}}`, "a.b.c.d: x", "a.b.c.d: y", "a.b.c.d: x → y"},
		"text, number":  {`{"a":30}`, `{"a":"30"}`, "a: 30", "a: 30 (another value)", "a: 30 → 30 (another value)"},
		"two":           {`{"a":1,"b":2}`, `{"a":2,"b":3}`, "a: 1, b: 2", "a: 2, b: 3", "a: 1, b: 2 → a: 2, b: 3"},
		"new setting":   {`{"a":1}`, `{"a":1,"b":true}`, "", "+ b: true", "+ b: true"},
		"new, changed":  {`{"b":1}`, `{"a":1,"b":2}`, "b: 1", "b: 2, + a: 1", "b: 1 → b: 2, + a: 1"},
		"null":          {`{"a":1}`, `{"a":null,"b":1}`, "− a: 1", "+ b: 1", "− a: 1, + b: 1"},
		"gone":          {`{"a":1,"b":""}`, `{"a":1}`, `− b: ""`, "", `− b: ""`},
		"list":          {`{"o":["a.example","b.example"]}`, `{"o":["a.example","c.example"]}`, "− o: b.example", "+ o: c.example", "− o: b.example, + o: c.example"},
		"empty list":    {`{"o":[]}`, `{"o":["a"]}`, "o: []", "o: a", "o: [] → a"},
		"once more":     {`{"o":["a","a"]}`, `{"o":["a","a","a"]}`, "", "+ o: a", "+ o: a"},
		"order":         {`{"o":[{"a":1},{"b":1}]}`, `{"o":[{"b":1},{"a":1}]}`, "", "in another order", "in another order"},
		"no settings":   {`{"a":1}`, ``, "− a: 1", "", "− a: 1"},
		"no JSON":       {`a`, `b`, "a", "b", "a → b"},
		"comma":         {`{"a":"x"}`, `{"a":"y, b: z"}`, "a: x", `a: "y, b: z"`, `a: x → a: "y, b: z"`},
		"secret":        {`{"p":{"password":"hunter2"}}`, `{"p":{"password":"hunter3"}}`, "p.password: ***", "p.password: *** (another value)", "p.password: *** → *** (another value)"},
		"new secret":    {`{"a":1}`, `{"a":1,"signingKey":"hunter2"}`, "", "+ signingKey: ***", "+ signingKey: ***"},
		"and another":   {`{"token":1,"a":1}`, `{"token":2,"a":2}`, "a: 1, token: ***", "a: 2, token: ***", "a: 1, token: *** → a: 2, token: ***"},
		"secret number": {`{"token":72,"a":1}`, `{"token":73,"a":1}`, "token: ***", "token: *** (another value)", "token: *** → *** (another value)"},
		"secret flag":   {`{"secret":false}`, `{"secret":true}`, "secret: false", "secret: true", "secret: false → true"},
		"value of name": {`{"name":"X-Api-Key","value":"hunter2"}`, `{"name":"X-Api-Key","value":"hunter3"}`, "value: ***", "value: *** (another value)", "value: *** → *** (another value)"},
		"part of name":  {`{"authorizedOrigins":"a"}`, `{"authorizedOrigins":"b"}`, "authorizedOrigins: a", "authorizedOrigins: b", "authorizedOrigins: a → b"},
		"in a secret":   {`{"pwd":{"a":["hunter2",1]}}`, `{"pwd":{"a":["hunter2",2]}}`, "− pwd.a: ***", "+ pwd.a: ***", "− pwd.a: ***, + pwd.a: ***"},
		"Value of Name": {`{"Name":"Authorization","Value":"hunter2"}`, `{"Name":"Authorization","Value":"hunter3"}`, "Value: ***", "Value: *** (another value)", "Value: *** → *** (another value)"},
		"in a text":     {`{"b":["X: y","Authorization: Bearer hunter2"]}`, `{"b":["X: y","Password=hunter3;Database=x"]}`, "− b: Authorization: ***", "+ b: Password=***;Database=x", "− b: Authorization: ***, + b: Password=***;Database=x"},
		"texts":         {`{"b":["x"]}`, `{"b":["x","{\"password\":\"hunter2 y\"}","Cookie: a=hunter2","Bearer hunter2hunter2","https://my-token:8443/token:a","bearer of news"]}`, "", `+ b: Bearer ***, + b: Cookie: ***, + b: bearer of news, + b: https://my-token:8443/token:a, + b: "{\"password\":***}"`, `+ b: Bearer ***, + b: Cookie: ***, + b: bearer of news, + b: https://my-token:8443/token:a, + b: "{\"password\":***}"`},
		"empty secret":  {`{"apiKey":""}`, `{"apiKey":"x"}`, `apiKey: ""`, "apiKey: ***", `apiKey: "" → ***`},
		"query":         {`{"to":"https://a.example/x?t=hunter2#end"}`, `{"to":"https://a.example/x?t=hunter3&u=1#end"}`, "to: https://a.example/x?t=***#end", "to: https://a.example/x?t=***&u=***#end", "to: https://a.example/x?t=***#end → https://a.example/x?t=***&u=***#end"},
		"user":          {`{"to":"https://api:hunter2@a.example"}`, `{"to":"https://hunter2@b.example"}`, "to: https://***@a.example", "to: https://***@b.example", "to: https://***@a.example → https://***@b.example"},
		"object":        {`[{"id":1,"token":"hunter2"}]`, `[{"id":2,"token":"hunter2"}]`, `{"id":1,"token":"***"}`, `{"id":2,"token":"***"}`, `{"id":1,"token":"***"} → {"id":2,"token":"***"}`},
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

// Secrets are in no text about an agent that is new, and neither are those in its address.
func TestSecretsOfNewAgent(t *testing.T) {
	t.Parallel()
	earlier := stored(t, object{"agents": object{}})
	added := withAgent(object{"url": "https://u:hunter2@a.example/?key=hunter2", "share_rules_json": `{"password":"hunter2"}`, "collaborators_json": `["https://a.example/?code=hunter2"]`})
	got := assess(t, added, planned(t, added, earlier))
	if message := got.Findings[0].Message; strings.Contains(message, "hunter2") || !strings.Contains(message, "URL https://***@a.example/?key=***") ||
		!strings.Contains(message, "rules password: ***, collaborators https://a.example/?code=***") {
		t.Errorf("got %q", message)
	}
	changed := withAgent(object{"url": "https://u:hunter3@a.example/?key=hunter2", "share_rules_json": `{"password":"hunter2"}`, "collaborators_json": `["https://a.example/?code=hunter2"]`})
	if changes := changesSince(t, recordOf(t, added), changed); len(changes) != 1 || *changes[0].After != "URL https://***@a.example/?key=*** (another value)" {
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

func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"days":30.0,"password":"hunter2","origins":["a.example","b, c"]}`: `days: 30.0, password: ***, origins: a.example, origins: "b, c"`,
		`https://a.example/x?token=hunter2`:                                 `https://a.example/x?token=***`,
		`1?token=hunter2`:                                                   `1?token=***`,
		`a.example`:                                                         `a.example`,
		``:                                                                  ``,
	} {
		if got := audit.Shown(&text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := audit.Shown(nil); got != "" {
		t.Errorf("got %q for nil", got)
	}
}

// What differs in a member's roles is shown, too.
func TestDifferenceOfRoles(t *testing.T) {
	t.Parallel()
	with := func(role string) object {
		return object{"members": list{audittest.Member(role, "Ann", "ann@x.example")}}
	}
	for _, test := range [][4]string{
		{"ADMIN", "GUEST", "ADMIN", "GUEST"}, {`["A","B","C"]`, `["C","D","A"]`, "− B", "+ D"}, {`["A","B"]`, `["A"]`, "− B", ""},
	} {
		changes := changesSince(t, recordOf(t, with(test[0])), with(test[1]))
		if len(changes) != 1 || *changes[0].Before != test[2] || *changes[0].After != test[3] {
			t.Errorf("%v: got %v", test, changes)
		}
	}
}
