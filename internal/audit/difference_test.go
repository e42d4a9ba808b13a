// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
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
		"number":       {`{"maxUses":30,"a":1}`, `{"maxUses":31,"a":1}`, "maxUses: 30", "maxUses: 31", "maxUses: 30 → maxUses: 31"},
		"new, changed": {`{"b":1}`, `{"a":1,"b":2}`, "− b: 1", "+ a: 1, + b: 2", "− b: 1, + a: 1, + b: 2"},
		"list":         {`{"origins":["a.example","b.example"]}`, `{"origins":["a.example","c.example"]}`, "origins: b.example", "origins: c.example", "origins: b.example → origins: c.example"},
		"empty list":   {`{"o":[]}`, `{"o":["admin"]}`, "o: []", "o: admin", "o: [] → o: admin"},
		"order":        {`{"rules":["deny *.evil.example","allow *"]}`, `{"rules":["allow *","deny *.evil.example"]}`, "", "in another order", "in another order"},
		"no JSON":      {`hunter2`, `b`, "***", "*** (another value)", "*** → *** (another value)"},
		"secret":       {`{"p":{"accessCode":"hunter2"}}`, `{"p":{"accessCode":"hunter3"}}`, "p.accessCode: ***", "p.accessCode: *** (another value)", "p.accessCode: *** → p.accessCode: *** (another value)"},
		"path of URL":  {`{"hook":"https://h.example/T0/hunter2"}`, `{"hook":"https://h.example/T0/hunter3"}`, "hook: h.example", "hook: h.example (another value)", "hook: h.example → hook: h.example (another value)"},
		"object":       {`[{"id":1,"x":"hunter2"}]`, `[{"id":2,"x":"hunter2"}]`, `{"id":1,"x":"***"}`, `{"id":2,"x":"***"}`, `{"id":1,"x":"***"} → {"id":2,"x":"***"}`},
	} {
		earlier := stored(t, withAgent(object{"security_json": test.before}))
		changed := withAgent(object{"security_json": test.after})
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
		if strings.Contains(test.after, secret) != strings.Contains(unpacked(t, *planned.Record), secret) {
			t.Errorf("%s: got the record %s", name, unpacked(t, *planned.Record))
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
		`"otp":4711`:                             "otp: ***",
		`"passphrase":4711`:                      "passphrase: ***",
		`"pwd":4711`:                             "pwd: ***",
		`"access":{"accessCode":{"value":4711}}`: "access.accessCode.value: ***",
		`"codes":[4711,4712]`:                    "codes: ***, codes: ***",
		`"a":{"pass":1,"tokens":2}`:              "a.pass: ***, a.tokens: ***",
		`"a":{"apiKey":1,"secret":2}`:            "a.apiKey: ***, a.secret: ***",
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
		`"userId":1234567890123456`:              "userId: ***",
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
	with := func(secret string) object {
		return withAgent(object{"url": "https://u:" + secret + "@a.example/x?key=" + secret + "#end", "domain": secret[6:] + ".example", "share_rules_json": `{"x":"hunter2"}`})
	}
	added := with("hunter2")
	got := assess(t, added, planned(t, added, stored(t, object{"agents": object{}})))
	if message := got.Findings[0].Message; strings.Contains(message, "hunter2") || !strings.Contains(message, "URL https://a.example/x?***, ") || !strings.Contains(message, "rules x: ***, ") {
		t.Errorf("got %q", message)
	}
	if changes := changesSince(t, recordOf(t, added), with("hunter3")); len(changes) != 1 || *changes[0].After != "URL https://a.example/x?*** (another value), domain 3.example" {
		t.Errorf("got %v", changes)
	}
}

// A change of a long list shows what is different, and says what it leaves out.
func TestDifferenceOfLongList(t *testing.T) {
	t.Parallel()
	var before, after list
	var want []string
	for i := range 30 {
		before = append(before, fmt.Sprintf("host-%02d.example", i))
		after = append(after, before[i], fmt.Sprintf("new-%02d.example", i))
		want = append(want, fmt.Sprintf("+ new-%02d.example", i))
	}
	earlier := recordOf(t, withAgent(object{"external_hosts": before}))
	changes := changesSince(t, earlier, withAgent(object{"external_hosts": after}))
	if len(changes) != 1 || *changes[0].Before != "" || *changes[0].After != strings.Join(want[:20], ", ")+", and 10 more" {
		t.Errorf("got %v", changes)
	}
}
