// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/redact"
)

const token = "token-4f1d9c"

var lowerCase = regexp.MustCompile("%..")

func TestText(t *testing.T) {
	t.Parallel()
	redactor := redact.New(token, map[string]string{"X-Key": "two  spaces"}, nil)
	for text, want := range map[string]string{
		"you sent two  spaces":                   "you sent ***",
		"\t ok\x1b[2J\n " + token:                "ok[2J ***",
		"a token-4\x00f1d9c b":                   "a *** b",
		"\ufffd\xff\u202eok":                     "ok",
		strings.Repeat("ü", 20):                  strings.Repeat("ü", 20),
		strings.Repeat("ü", 21):                  strings.Repeat("ü", 20) + "…",
		strings.Repeat("ü", 15) + token + "more": strings.Repeat("ü", 15) + "***mo…",
	} {
		if got := redactor.Text(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestEncodings has the token, a header and a proxy's credentials as gateways, error
// pages and logs can echo them.
func TestEncodings(t *testing.T) {
	t.Parallel()
	// The token's Base64 has both of the characters that differ in URLs.
	const token, header, user, password = `???~~~ab+/=&"<d' é🚀`, "eyJhbGci.eyJzdWIi-_0", "user", "p@ss/word+1"
	redactor := redact.New(token, map[string]string{"X-Key": header}, &url.URL{User: url.UserPassword(user, password)})
	for name, encode := range map[string]func(string) string{
		"plain":           func(s string) string { return s },
		"Base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"Base64 for URLs": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"query":           url.QueryEscape,
		"path":            url.PathEscape,
		"JSON":            func(s string) string { b, _ := json.Marshal(s); return strings.Trim(string(b), `"`) },
		"JSON without HTML escapes": func(s string) string {
			b, _ := json.Marshal(s)
			return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<").Replace(strings.Trim(string(b), `"`))
		},
		"JSON with escaped slashes": func(s string) string {
			b, _ := json.Marshal(s)
			return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", "/", `\/`).Replace(strings.Trim(string(b), `"`))
		},
		"lower-case query": func(s string) string { return lowerCase.ReplaceAllStringFunc(url.QueryEscape(s), strings.ToLower) },
		"lower-case path":  func(s string) string { return lowerCase.ReplaceAllStringFunc(url.PathEscape(s), strings.ToLower) },
	} {
		for _, secret := range []string{token, "Bearer " + token, header, password, user + ":" + password} {
			got := redactor.Mask("you sent " + encode(secret) + " here")
			if got = strings.ReplaceAll(strings.ReplaceAll(got, "=", ""), "Bearer ", ""); got != "you sent *** here" {
				t.Errorf("%s of %q: got %q", name, secret, got)
			}
		}
	}
}

// TestHeaders holds that a header such as "1" does not make errors illegible.
func TestHeaders(t *testing.T) {
	t.Parallel()
	redactor := redact.New(token, map[string]string{
		"X-One": "1", "X-Empty": "", "X-Team": "orders1", "X-Long": "ordering", "X-Api-Key": "abcd", "X-Short-Token": "123",
		"Cookie": "id=9", "X-Forward": "Basic dXNlcg==", "X-Signature": "sig7",
	}, &url.URL{User: url.UserPassword("user", "pass")})
	for text, want := range map[string]string{
		"step 1 of 123": "step 1 of 123", "the orders1 team": "the orders1 team", "the ordering team": "the *** team",
		"key abcd": "key ***", "id=9": "***", "Basic": "Basic", "you sent dXNlcg==": "you sent ***", "sig7": "***", "the pass": "the ***",
	} {
		if got := redactor.Mask(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestSecretInsideAnother: masking the shorter one first would leave the rest of
// the longer one.
func TestSecretInsideAnother(t *testing.T) {
	t.Parallel()
	redactor := redact.New(token, map[string]string{"X-Key": token + "-and-more"}, nil)
	if got, want := redactor.Mask(token+"-and-more, "+token), "***, ***"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
