// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package redact_test

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/redact"
)

const token = "token-4f1d9c"

func TestClean(t *testing.T) {
	t.Parallel()
	redactor := redact.New(token, map[string]string{"X-Key": "two  spaces"}, nil)
	for text, want := range map[string]string{
		"you sent two  spaces":                   "you sent ***",
		"\t ok\x1b[2J\n " + token:                "ok[2J ***",
		"a token-4\x00f1d9c b":                   "a *** b",
		"\u202eok":                               "ok",
		"page" + strings.Repeat(" \u00a0\n", 90): "page",
		strings.Repeat("ü", 20):                  strings.Repeat("ü", 20),
		strings.Repeat("ü", 21):                  strings.Repeat("ü", 20) + "…",
		strings.Repeat("ü", 15) + token + "more": strings.Repeat("ü", 15) + "***mo…",
	} {
		if got := redactor.Clean(text, 20); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestForms has the token, a header and a proxy's password as services, gateways and
// error pages can echo them.
func TestForms(t *testing.T) {
	t.Parallel()
	// The token's Base64 has both of the characters that differ in URLs.
	const token, header, password = `???~~~ab+/=&"<d' é🚀`, `eyJhbGci."eyJzdWIi  -_0`, "p@ss/word+1"
	redactor := redact.New(token, map[string]string{"X-Key": header}, &url.URL{User: url.UserPassword("user", password)})
	for name, encode := range map[string]func(string) string{
		"plain":                     func(s string) string { return s },
		"query":                     url.QueryEscape,
		"path":                      url.PathEscape,
		"HTML":                      html.EscapeString,
		"JSON":                      func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
		"JSON without HTML escapes": func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) },
		"lower-case query":          func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
		"lower-case path":           func(s string) string { return lowerEscapes(url.PathEscape(s)) },
		"JSON with escaped slashes": func(s string) string { return strings.NewReplacer(`"`, `\"`, "/", `\/`).Replace(s) },
	} {
		for _, secret := range []string{token, header, password} {
			if got := redactor.Mask("you sent " + encode(secret) + " here"); got != "you sent *** here" {
				t.Errorf("%s of %q: got %q", name, secret, got)
			}
		}
	}
}

// A proxy without a password has no secret, and one of spaces masks nothing between letters.
func TestProxyWithoutPassword(t *testing.T) {
	t.Parallel()
	const sent = "the cursor AAAAOg== is invalid" // Og== is Base64 of a colon.
	for _, user := range []*url.Userinfo{nil, url.UserPassword("user", "    ")} {
		if got := redact.New(token, nil, &url.URL{Host: "proxy.example", User: user}).Mask(sent); got != sent {
			t.Errorf("%v: got %q", user, got)
		}
	}
}

// lowerEscapes changes the escapes in a part of a URL to lower case.
func lowerEscapes(s string) string {
	return regexp.MustCompile(`%\w\w`).ReplaceAllStringFunc(s, strings.ToLower)
}

// TestRest holds that only the secret is masked, and that what is documented as not
// masked remains.
func TestRest(t *testing.T) {
	t.Parallel()
	redactor := redact.New("a+b%2Bc&d", map[string]string{"X-Key": "&amp;"}, nil)
	for text, want := range map[string]string{
		"50% of a&b \\ %2 &#; \\u12 é":      "50% of a&b \\ %2 &#; \\u12 é",
		"%61 a%2Bb%252Bc%26d%20&&amp;&#43;": "%61 ***%20&***&#43;",
		"a+b%2Bc&d&#34; rest":               "***&#34; rest",
		"a%252Bb%25252Bc%2526d":             "a%252Bb%25252Bc%2526d",
		"a&#x2b;b%2Bc&d, a+b%2\nBc&d":       "a&#x2b;b%2Bc&d, a+b%2\nBc&d",
	} {
		if got := redactor.Mask(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLongText holds that a text is masked before it is shortened.
func TestLongText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	redactor := redact.New(long, nil, nil)
	if got, want := redactor.Clean(strings.Repeat(long+" ", 2000), 10), "*** *** **…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHeaders holds that a header such as "1" does not make errors illegible, and that a
// name that says that its value is a secret makes shorter values secrets.
func TestHeaders(t *testing.T) {
	t.Parallel()
	redactor := redact.New("Zm9v+mFy/2F6==", map[string]string{
		"X-One": "1", "X-Empty": "", "X-Team": "orders1", "X-Long": "ordering", "X-Api-Key": "abcd", "X-Short-Token": "123",
		"Cookie": "c00k", "X-Password": "pa55", "X-Secret": "s3cr", "X-Token": "t0k3", "X-Forward-Auth": "Basic dXNlcg==",
		"X-Credential": "cr3d", "X-Digest": "d1g3", "X-Session": "s3ss", "X-Signature": "s1gn",
	}, &url.URL{User: url.UserPassword("user", "word")})
	for text, want := range map[string]string{
		"step 1 of 123":                            "step 1 of 123",
		"the orders1 team":                         "the orders1 team",
		"the ordering team":                        "the *** team",
		"key abcd, c00k, pa55, s3cr, t0k3, word":   "key ***, ***, ***, ***, ***, ***",
		"cr3d, d1g3, s3ss, s1gn":                   "***, ***, ***, ***",
		"you sent Basic dXNlcg==, dXNlcg==":        "you sent ***, ***",
		"Basic dXNlcjp3b3Jk":                       "Basic ***", // of the proxy
		`Zm9v\u002BmFy/2F6==, Zm9v&#x2B;mFy/2F6==`: "***, ***",  // as .NET escapes it
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
