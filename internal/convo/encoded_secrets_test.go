// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

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
		"base64 in a query":  func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
		"query":              url.QueryEscape,
		"path":               url.PathEscape,
		"lower case URL": func(s string) string {
			return regexp.MustCompile("%[0-9A-F]{2}").ReplaceAllStringFunc(url.QueryEscape(s), strings.ToLower)
		},
		"HTML":              html.EscapeString,
		"HTML template":     template.HTMLEscapeString,
		"HTML, hexadecimal": func(s string) string { return numbered(s, "&#x%X;") },
		"HTML, zeros":       func(s string) string { return numbered(s, "&#0%d;") },
		"HTML, named":       strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", "'", "&apos;").Replace,
		"JSON":              quoted,
		"JSON in JSON":      func(s string) string { return quoted(quoted(s)) },
		"JSON in ASCII": func(s string) string {
			return regexp.MustCompile("[^ -~]").ReplaceAllStringFunc(quoted(s), func(r string) string {
				escaped := ""
				for _, unit := range utf16.Encode([]rune(r)) {
					escaped += fmt.Sprintf(`\u%04x`, unit)
				}
				return escaped
			})
		},
		"JSON, slash escaped": func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
	}
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprintf(w, "<p>%s and %s</p>", encode(token), encode(header))
			}))
			ctx, collected := logged(t)
			client := newClient(t, convo.Config{BaseURL: server.URL, Token: token, Headers: map[string]string{"X-Key": header}})
			_, err := client.Agent(ctx, header)
			if err == nil || strings.NewReplacer("=", "", "%3D", "").Replace(err.Error()) !=
				`read agent: the service returned 403 Forbidden: "<p>*** and ***</p>"` {
				t.Errorf("got %v", err)
			}
			raw, _ := collected.lines(t)
			if strings.Contains(raw, header) {
				t.Errorf("the log tells the header: %s", raw)
			}
		})
	}
}

// numbered writes everything but letters and digits by its number.
func numbered(text, format string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("abdeyJhbGcieyJzdWIi0", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, format, r)
		}
	}
	return b.String()
}

// TestCredentialsWithoutTheirScheme: a header's value can be echoed in parts,
// and in base64 the middle of a longer text.
func TestCredentialsWithoutTheirScheme(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{
		BaseURL: "http://127.0.0.1", Headers: map[string]string{"X-Forward": "Basic bWU6c2VjcmV0"},
	})
	for text, want := range map[string]string{
		"Basic bWU6c2VjcmV0":    "***",
		"you sent bWU6c2VjcmV0": "you sent ***",
		"Basic":                 "Basic",
	} {
		if got := client.Quote(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
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
		"markup of a definition":   {`<b>x</b>","token":"share-token"`, `<b>x</b>","token`},
		"end, after markup":        {`<b>x</b>"}, share-token`, `<b>x</b>"`},
		"end of a list in markup":  {`<b>x</b>"] share-token`, `<b>x</b>"`},
		"page with attributes":     {`<html lang="en" class="a">`, `<html lang="en" class="a">`},
		"end of a list":            {`share-token"]`, ""},
		"base64":                   {base64.StdEncoding.EncodeToString([]byte(definition)), ""},
		"base64 in text":           {"body: " + base64.StdEncoding.EncodeToString([]byte(definition)), ""},
		"page":                     {"<html><title>Log in</title><script>var a = " + definition, "<html><title>Log in</title><script>var a ="},
		"page with a list":         {"<p>Error in [" + definition, "<p>Error in"},
		"XML":                      {"<?xml version='1.0'?><Code>AccessDenied</Code>", "<?xml version='1.0'?><Code>AccessDenied</Code>"},
		"page after a mark":        {"\uFEFF <p>Log in</p>", "<p>Log in</p>"},
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
