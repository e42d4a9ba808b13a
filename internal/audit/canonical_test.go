// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit/audittest"
)

// A value that is only spelled in another way is no change.
func TestOtherSpellingIsNoChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, other any }{
		"security_json":      {`{"a":0.5,"l":["x","y",1],"n":1773300000}`, `{"n":1.7733E9,"l":["y",1.0,"x"],"a":0.50}`, `{"a":0.51,"l":["x","y",1],"n":1773300000}`},
		"share_rules_json":   {`{"days":30}`, `{"days":30.0}`, `{"days":300}`},
		"collaborators_json": {`[{"since":1773300000,"userId":"u"}]`, `[{"since":1.7733E9,"userId":"u"}]`, `[{"since":1.7733E9,"userId":"v"}]`},
		"url":                {"https://bots.example/A", "https://Bots.Example:443/A", "https://bots.example/a"},
		"domain":             {"bots.example", "Bots.EXAMPLE:443", "bots.example:444"},
		"published_at":       {"2026-01-02T03:04:05Z", "2026-01-02T04:04:05.000+01:00", "2026-01-02T04:04:05Z"},
	} {
		earlier := recordOf(t, withAgent(object{name: test.before}))
		if again := compare(t, audittest.JSON(t, withAgent(object{name: test.after})), earlier); len(again.Changes) > 0 || again.Record != earlier {
			t.Errorf("%s: got %v and another record", name, again.Changes)
		}
		if changes := changesSince(t, earlier, withAgent(object{name: test.other})); len(changes) != 1 {
			t.Errorf("%s with another value: got %v", name, changes)
		}
	}
	earlier := recordOf(t, withAgent(object{"public_id": "a", "collaborators_json": `[{"n":1.5,"u":"a"},{"n":20,"u":"b"}]`}))
	if changes := changesSince(t, earlier, withAgent(object{"public_id": "A", "collaborators_json": `[{"n":2e1,"u":"b"},{"n":15e-1,"u":"a"}]`})); len(changes) != 1 {
		t.Errorf("public ID: got %v", changes)
	}
	member := func(email string) object {
		return object{"members": list{object{"role": "ADMIN", "user": object{"name": "Sören", "email": email}}}}
	}
	earlier = recordOf(t, member("soren@a.example"))
	if again := compare(t, audittest.JSON(t, member("Soren@A.Example")), earlier); len(again.Changes) > 0 || again.Record != earlier {
		t.Errorf("email address: got %v and another record", again.Changes)
	}
}
