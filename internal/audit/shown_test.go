// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"testing"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// The hashes are the beginnings of SHA-256 of the secrets.
func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"days":30.0,"password":"hunter2","origins":["a.example"]}`:         `{"days":30.0,"origins":["a.example"],"password":"***f52fbd32b2b3b86ff88ef6c4"}`,
		`{"password":"hunter3"}`:                                             `{"password":"***fb8c2e2b85ca81eb4350199f"}`,
		`{"webhook":{"signingKey":["hunter2",1,null],"tokens":{}}}`:          `{"webhook":{"signingKey":["***f52fbd32b2b3b86ff88ef6c4",1,null],"tokens":{}}}`,
		`{"to":"https://a.example/x?token=hunter2&b=<1>#end"}`:               `{"to":"https://a.example/x?token=***f52fbd32b2b3b86ff88ef6c4&b=***3291d38f42e812a4add60eba#end"}`,
		`{"url":"https://a.example/x?","secret":"","apiKey":null,"a":"<b>"}`: `{"url":"https://a.example/x?","secret":"","apiKey":null,"a":"<b>"}`,
		`https://a.example/x?token=hunter2`:                                  `https://a.example/x?token=***f52fbd32b2b3b86ff88ef6c4`,
		`1?token=hunter2`:                                                    `1?token=***f52fbd32b2b3b86ff88ef6c4`,
		`a.example`:                                                          `a.example`,
	} {
		if got := audit.Shown(&text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := audit.Shown(nil); got != "" {
		t.Errorf("got %q for nil", got)
	}
}

// A secret in settings is in no text of a change, but a changed secret is a change.
func TestSecretsInSettingsAreNotShown(t *testing.T) {
	t.Parallel()
	first := recordOf(t, withAgent(object{"security_json": `{"password":"hunter2"}`}))
	changes := changesSince(t, first, withAgent(object{"security_json": `{"password":"hunter3"}`}))
	if len(changes) != 1 || *changes[0].Before != `{"password":"***f52fbd32b2b3b86ff88ef6c4"}` || *changes[0].After != `{"password":"***fb8c2e2b85ca81eb4350199f"}` {
		t.Errorf("got %v", changes)
	}
}
