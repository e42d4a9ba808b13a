// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzErrorEnvelope(f *testing.F) {
	for _, body := range []string{
		"", "null", "[]", "{}", `{"code":"NOT_FOUND","message":"Not found","issues":[]}`,
		`{"code":"BAD_REQUEST","message":"Invalid","issues":[{"message":"a\u001b[2J"},{}]}`,
		`{"code":404}`, `{"code":"c","issues":["a"]}`, `{"code":"c","mess`, "<html>\r\n\x1b[31m\u202e\xff</html>",
		`{"message":"` + strings.Repeat("secret ü ", 300) + `"}`, strings.Repeat("sec\x00ret", 100),
		")]}',\n{\"agent\":{}}", "<p>{\"agent\":{}}", `<b>x</b>","token":"x"}`, "c2VjcmV0", "\uFEFF{\"code\":\"c\"}", "%73ecret",
		`{"code":"c","issues":[` + strings.Repeat(`{"message":"m"},`, 30) + `{}]}`,
	} {
		f.Add(body)
	}
	client, err := New(Config{BaseURL: "http://127.0.0.1", Token: "secret"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		e := client.InvalidResponse(body)
		if e.Excerpt != "" && (e.Code != "" || e.Message != "" || len(e.Issues) > 0) {
			t.Errorf("the body is both quoted and understood: %#v", e)
		}
		if strings.ContainsAny(e.Excerpt, "{[") {
			t.Errorf("the excerpt can be a part of a definition: %q", e.Excerpt)
		}
		// The cut is marked by one more character.
		expectShowable(t, e.Excerpt, 201)
		expectShowable(t, e.Code, 1001)
		expectShowable(t, e.Message, 1001)
		for _, issue := range e.Issues {
			expectShowable(t, issue, 1001)
		}
		expectShowable(t, e.Error(), math.MaxInt)
	})
}

// expectShowable holds that a text can be shown in a terminal.
func expectShowable(t *testing.T, text string, limit int) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > limit {
		t.Errorf("%d characters, want at most %d: %q", n, limit, text)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("has what cannot be printed: %q", text)
	}
	if strings.Contains(text, "secret") {
		t.Errorf("tells the secret: %q", text)
	}
}

// FuzzURL holds that an ID is one segment of the path on the wire, whatever it
// and the base URL contain, and that nothing else of the URL changes.
func FuzzURL(f *testing.F) {
	for _, prefix := range []string{"", "/api/", "/a b", "/\u00fc", `/"{x}|^\`, "/`", "/a%2Fb/", "/%7e", "/..", "/;x=[1]", "//a"} {
		f.Add(prefix, "x/../../v1/workspaces/other?a=b#c%2F")
	}
	f.Fuzz(func(t *testing.T, prefix, id string) {
		client, err := New(Config{BaseURL: "https://svc.example:8443" + prefix, Token: "token"})
		path := joinPath("agents", id)
		if err != nil || path == "" || prefix != "" && prefix[0] != '/' {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, client.baseURL.String()+path, nil)
		if err != nil {
			t.Fatalf("%q, %q: %v", prefix, id, err)
		}
		if request.URL.Host != "svc.example:8443" || request.URL.User != nil || request.URL.Fragment != "" || request.URL.RawQuery != "" {
			t.Errorf("%q, %q: got %s", prefix, id, request.URL)
		}
		// As net/http writes it. A slash before the path would make it a host.
		segments := strings.Split(request.URL.EscapedPath(), "/")
		last, err := url.PathUnescape(segments[len(segments)-1])
		if err != nil || last != id || !slices.Equal(segments[len(segments)-3:len(segments)-1], []string{"v1", "agents"}) {
			t.Errorf("%q, %q: got the segments %q", prefix, id, segments)
		}
		whole, err := url.PathUnescape(strings.TrimRight(prefix, "/"))
		if before := request.URL.Path[:len(request.URL.Path)-len("/v1/agents/"+id)]; err != nil || before != whole {
			t.Errorf("%q, %q: got the prefix %q", prefix, id, before)
		}
	})
}
