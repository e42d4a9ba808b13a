// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestEchoesInOtherEncodings has the token and a header echoed as gateways,
// pages of errors and logs write them.
func TestEchoesInOtherEncodings(t *testing.T) {
	t.Parallel()
	// The base64 form of the token has both of the characters that differ in URLs.
	const token, header = `???~~~ab+/=&"<d' é🚀`, "eyJhbGci.eyJzdWIi-_0"
	quoted := func(text string) string { b, _ := json.Marshal(text); return strings.Trim(string(b), `"`) }
	encodings := map[string]func(string) string{
		"as it is":           func(s string) string { return s },
		"base64":             func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64, no padding": func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
		"base64 of URLs":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
		"query":              url.QueryEscape,
		"path":               url.PathEscape,
		"JSON":               quoted,
	}
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprintf(w, "%s and %s", encode(token), encode(header))
			}))
			client := newClient(t, convo.Config{BaseURL: server.URL, Token: token, Headers: map[string]string{"X-Key": header}})
			_, err := client.Agent(testContext(t), header, nil)
			if err == nil || strings.ReplaceAll(err.Error(), "=", "") != `read agent: the service returned 403 Forbidden: "*** and ***"` {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestSecretInsideBase64: a token can be in the middle of a longer text.
func TestSecretInsideBase64(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1"})
	for _, before := range []string{"", "x", "xy", "xyz"} {
		for _, after := range []string{"", "1", "12", "123"} {
			encoded := base64.StdEncoding.EncodeToString([]byte(before + testToken + after))
			// A character has 6 bits. Those that are the token's alone are masked.
			first, end := (8*len(before)+5)/6, 8*(len(before)+len(testToken))/6
			got := client.Quote(encoded)
			if left := strings.ReplaceAll(got, "***", ""); len(left) > len(encoded)-(end-first) || !strings.Contains(got, "***") {
				t.Errorf("%q, %q: got %s", before, after, got)
			}
		}
	}
}

// TestExcerptHasNothingOfADefinition has definitions where an error or a page
// should be, in the forms that gateways give them.
func TestExcerptHasNothingOfADefinition(t *testing.T) {
	t.Parallel()
	const definition = `{"agent":{"exposure":{"access":{"share":{"token":"share-token"}}}}}`
	bodies := map[string]struct{ body, excerpt string }{
		"prefix against hijacking": {")]}',\n" + definition, ""},
		"event stream":             {"data: " + definition, ""},
		"callback":                 {"callback(" + definition + ")", ""},
		"comment":                  {"// " + definition, ""},
		"text of JSON":             {fmt.Sprintf("%q", definition), ""},
		"list":                     {"1: [\"share-token\"", ""},
		"end of a definition":      {`token":"share-token"}}}}}`, ""},
		"middle of a definition":   {`x", "token": 1, "token":"share-token", "rules`, ""},
		"markup of a definition":   {`<b>x</b>","token":"share-token"`, `x ","token`},
		"end, after markup":        {`<b>x</b>"}, share-token`, `x "`},
		"end of a list in markup":  {`<b>x</b>"] share-token`, `x "`},
		"page with attributes":     {`<html lang="en" class="a">502 &amp; <b>no</b>`, `502 & no`},
		"end of a list":            {`share-token"]`, ""},
		"base64":                   {base64.StdEncoding.EncodeToString([]byte(definition)), ""},
		"base64 in text":           {"body: " + base64.StdEncoding.EncodeToString([]byte(definition)), ""},
		"page":                     {"<html><title>Log in</title><script>var a = " + definition, "Log in"},
		"page with a list":         {"<p>Error in [" + definition, "Error in"},
		"XML":                      {"<?xml version='1.0'?><Code>AccessDenied</Code>", "AccessDenied"},
		"page after a mark":        {"\uFEFF <p>Log in</p>", "Log in"},
		"text":                     {"upstream connect error: reset", "upstream connect error: reset"},
		"word at the limit":        {strings.Repeat("x", 64), strings.Repeat("x", 64)},
		"word over the limit":      {strings.Repeat("x", 65), ""},
	}
	for name, test := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := failure(t, startService(t, respond(http.StatusBadGateway, test.body))); got.Excerpt != test.excerpt || got.Code+got.Message != "" {
				t.Errorf("got %+v, want the excerpt %q", got, test.excerpt)
			}
			client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1"})
			if got := client.ErrorIn(&convo.Response{Body: []byte(test.body)}); got.Excerpt != test.excerpt {
				t.Errorf("got the excerpt %q of a 200, want %q", got.Excerpt, test.excerpt)
			}
		})
	}
}
