// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// failure reads an agent and returns the *ResponseError that comes of it.
func failure(t *testing.T, server *service) *convo.ResponseError {
	t.Helper()
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL}))
	var refused *convo.ResponseError
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want a *ResponseError", err)
	}
	return refused
}

func TestErrorEnvelope(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		want   convo.ResponseError
		text   string
	}{
		"400": {
			400, `{"code":"BAD_REQUEST","message":"Invalid input data","issues":[{"message":"a"},{"message":"b"}]}`,
			convo.ResponseError{Code: "BAD_REQUEST", Message: "Invalid input data", Issues: []string{"a", "b"}},
			"read agent: the service returned 400 Bad Request: BAD_REQUEST: Invalid input data: a: b",
		},
		"404": {
			404, `{"message":"Not found","code":"NOT_FOUND","issues":null,"requestId":7}`,
			convo.ResponseError{Code: "NOT_FOUND", Message: "Not found"},
			"read agent: the service returned 404 Not Found: NOT_FOUND: Not found",
		},
		"issues with paths": {
			400, `{"code":"c","message":"m","issues":[{"path":["body","workspaceId",0],"message":"Required"},{"path":"id","message":"Bad"},{"path":[],"message":"Odd"}]}`,
			convo.ResponseError{Code: "c", Message: "m", Issues: []string{"body.workspaceId.0: Required", "Bad", "Odd"}},
			"read agent: the service returned 400 Bad Request: c: m: body.workspaceId.0: Required: Bad: Odd",
		},
		"issues in data": {
			400, `{"code":"c","message":"m","data":{"issues":[{"code":"invalid_type","path":["workspaceId"],"message":"Invalid input"}]}}`,
			convo.ResponseError{Code: "c", Message: "m", Issues: []string{"workspaceId: Invalid input"}},
			"read agent: the service returned 400 Bad Request: c: m: workspaceId: Invalid input",
		},
		"code only": {
			409, `{"code":"CONFLICT"}`, convo.ResponseError{Code: "CONFLICT"},
			"read agent: the service returned 409 Conflict: CONFLICT",
		},
		"message only": {
			409, `{"message":"busy","issues":[{}]}`, convo.ResponseError{Message: "busy"},
			"read agent: the service returned 409 Conflict: busy",
		},
		"a status without a name": {
			599, `{"code":"ODD","message":"odd"}`, convo.ResponseError{Code: "ODD", Message: "odd"},
			"read agent: the service returned 599: ODD: odd",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(test.status, test.body))
			got := failure(t, server)
			test.want.Operation, test.want.Status, test.want.Attempts = "read agent", test.status, 1
			test.want.URL = server.URL + "/v1/agents/agt_1"
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if got.Error() != test.text {
				t.Errorf("got the text %q\nwant %q", got, test.text)
			}
		})
	}
}

func TestErrorBodyThatIsNoEnvelope(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, excerpt string }{
		"HTML":               {"<html>\n  <h1>502 Bad\tGateway</h1>\r\n</html>\n", "502 Bad Gateway"},
		"empty":              {"", ""},
		"white space":        {" \n\t ", ""},
		"cut off":            {`{"co`, ""},
		"a list":             {`[{"code":"c","message":"m"}]`, ""},
		"null":               {`null`, `null`},
		"escape sequences":   {"\x1bcred\x1b(0\x07\x00\u202e\u200b ok\x7f\u009b2J", "cred(0 ok2J"},
		"not UTF-8":          {"caf\xe9 \xff\xfebar", "caf bar"},
		"200 characters":     {strings.Repeat("ü ", 100), strings.TrimSpace(strings.Repeat("ü ", 100))},
		"201 characters":     {strings.Repeat("ü ", 100) + "ab", strings.Repeat("ü ", 99) + "ü…"},
		"cut before a space": {strings.Repeat("ü ", 99) + "üü x", strings.Repeat("ü ", 99) + "üü…"},
		"very long":          {strings.Repeat("<p>no", 300_000), strings.TrimSpace(strings.Repeat("no ", 67)) + "…"},
		"nginx": {
			"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n" +
				strings.Repeat("<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n", 6),
			"502 Bad Gateway 502 Bad Gateway",
		},
		"long white space": {"a" + strings.Repeat(" ", 50_000) + "b", "a b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusNotFound, test.body))
			got := failure(t, server)
			want := &convo.ResponseError{
				Operation: "read agent", URL: server.URL + "/v1/agents/agt_1", Status: 404, Excerpt: test.excerpt, Attempts: 1,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
	for body, want := range map[string]convo.ResponseError{
		`{"code":404,"message":"m"}`:                      {Message: "m"},
		`{"code":"c","message":{}}`:                       {Code: "c"},
		`{"code":"c","issues":["a"]}`:                     {Code: "c"},
		`{"code":"c","issues":{}}`:                        {Code: "c"},
		`{"code":"c","message":["m"]}`:                    {Code: "c"},
		`{"error":"m"}`:                                   {Message: "m"},
		`{"error":"e","message":"m"}`:                     {Message: "m"},
		`{"error":{"a":1},"code":"c"}`:                    {Code: "c"},
		`{"error":{"message":"m"}}`:                       {Message: "m"},
		`{"error":{"message":"m","code":"c","type":"t"}}`: {Code: "c", Message: "m"},
		`{"error":{"message":"m","code":404}}`:            {Message: "m"},
		`{"error":{"message":"e"},"message":"m"}`:         {Message: "m"},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			got := failure(t, startService(t, respond(http.StatusNotFound, body)))
			if got.Code != want.Code || got.Message != want.Message || got.Excerpt != "" || len(got.Issues) > 0 {
				t.Errorf("got %q, %q, %q, %v", got.Code, got.Message, got.Excerpt, got.Issues)
			}
		})
	}
}

func TestErrorEnvelopeIsCleanedAndBounded(t *testing.T) {
	t.Parallel()
	var issues strings.Builder
	for range 30 {
		issues.WriteString(`,{}`) // An issue without a text is not counted.
	}
	for i := range 21 {
		fmt.Fprintf(&issues, `,{"message":"issue\u001b[2J\n%d"}`, i+1)
	}
	body := `{"code":"BAD\u001b[31m","message":"` + strings.Repeat("é", 1500) + `","issues":[` + issues.String()[1:] + `]}`
	got := failure(t, startService(t, respond(http.StatusBadRequest, body)))

	if got.Code != "BAD[31m" {
		t.Errorf("got the code %q", got.Code)
	}
	if want := strings.Repeat("é", 1000) + "…"; got.Message != want {
		t.Errorf("got a message of %d characters", utf8.RuneCountInString(got.Message))
	}
	if len(got.Issues) != 21 || got.Issues[0] != "issue[2J 1" || got.Issues[20] != "issue[2J 21" {
		t.Errorf("got the issues %q", got.Issues)
	}
	if i := strings.IndexFunc(got.Error(), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("the text has a character that cannot be printed: %q", got.Error()[i:])
	}
}

func TestEveryOtherStatusIsAnError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{201, 202, 203, 204, 206, 300, 304, 305, 402, 405, 418, 422, 451} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				if status != http.StatusNoContent && status != http.StatusNotModified {
					_, _ = io.WriteString(w, `{"code":"C","message":"success"}`)
				}
			}))
			for name, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
				err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(3)}))
				var refused *convo.ResponseError
				if !errors.As(err, &refused) || refused.Status != status || refused.Attempts != 1 {
					t.Errorf("%s: got %v, want a *ResponseError with the status %d after one attempt", name, err, status)
				}
			}
			server.expectRequests(t, 2)
		})
	}
}

func TestRedirectWithoutTargetIsAnError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		if got := failure(t, startService(t, respond(status, ""))); got.Status != status {
			t.Errorf("got the status %d, want %d", got.Status, status)
		}
	}
}

func TestBrokenErrorBodyIsStillQuoted(t *testing.T) {
	t.Parallel()
	got := failure(t, startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "access to ")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})))
	if got.Status != 403 || got.Excerpt != "access to" {
		t.Errorf("got %d %q, want 403 with what arrived", got.Status, got.Excerpt)
	}
}

func TestInvalidResponse(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1", Token: "secret-token"})
	tests := map[string]struct{ body, code, message, excerpt string }{
		"envelope":     {`{"code":"FORBIDDEN","message":"no secret-token","issues":[]}`, "FORBIDDEN", "no ***", ""},
		"other object": {` {"agent":{"exposure":{"access":{"share":{"token":"s"}}}}}`, "", "", ""},
		"HTML":         {"<html>\n<title>Log in, secret-token</title>", "", "", "Log in, ***"},
		"empty":        {"", "", "", ""},
		"one long tag": {"<" + strings.Repeat(" ", 1<<20) + ">text", "", "", "<"}, // Only the first MiB is read.
		"long":         {strings.Repeat("a ", 100_000), "", "", strings.Repeat("a ", 99) + "a…"},
	}
	for name, test := range tests {
		got := client.InvalidResponse(test.body)
		if got.Status != 200 || got.Code != test.code || got.Message != test.message || got.Excerpt != test.excerpt {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
