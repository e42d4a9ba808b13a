// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// failure reads an agent and returns the error that comes of it.
func failure(t *testing.T, baseURL string) *convo.Error {
	t.Helper()
	return asError(t, readAgent(testContext(t), newClient(t, convo.Config{BaseURL: baseURL})))
}

func TestErrorEnvelope(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]convo.Error{
		`{"code":"BAD_REQUEST","message":"Invalid","issues":[{"message":"a"},{"message":"b"},{}]}`: {
			Code: "BAD_REQUEST", Message: "Invalid", Issues: []string{"a", "b"},
		},
		`{"message":"Not found","code":"NOT_FOUND","issues":null,"requestId":7}`: {Code: "NOT_FOUND", Message: "Not found"},
		`{"code":"c","issues":[{"path":["body","id",0],"message":"Required"},{"path":"id","message":"Bad"}]}`: {
			Code: "c", Issues: []string{"body.id.0: Required", "Bad"},
		},
		`{"code":"c","data":{"issues":[{"code":"invalid_type","path":["workspaceId"],"message":"Invalid input"}]}}`: {
			Code: "c", Issues: []string{"workspaceId: Invalid input"},
		},
		`{"code":404,"message":"m"}`:  {Message: "m", Reason: convo.ReasonNotTheService},
		`{"code":"c","issues":["a"]}`: {Code: "c"},
		`{"code":"BAD\u001b[31m","message":"` + strings.Repeat("é", 1500) + `","issues":[{"message":"a\u001b[2J\nb"}]}`: {
			Code: "BAD[31m", Message: strings.Repeat("é", 1000) + "…", Issues: []string{"a[2J b"},
		},
	} {
		server := startService(t, respond(http.StatusBadRequest, body))
		got := failure(t, server.URL)
		want.Status, want.HadNoEffect, want.Attempts, want.URL = 400, true, 1, server.URL+"/v1/agents/agt_1"
		if want.Reason == 0 {
			want.Reason = convo.ReasonRejected
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s: error (-want +got):\n%s", body, diff)
		}
		if text := got.Error(); text != "the service returned 400 Bad Request" {
			t.Errorf("got the text %q", text)
		}
	}
}

func TestErrorBodyThatIsNoEnvelope(t *testing.T) {
	t.Parallel()
	for body, excerpt := range map[string]string{
		"": "", `[{"code":"c"}]`: "",
		"\x1bcred\x1b(0\x07\x00\u202e\u200b ok\x7f\u009b2J": "cred(0 ok2J",
		strings.Repeat("ü ", 100) + "ab":                    strings.Repeat("ü ", 99) + "ü…",
		"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n" +
			strings.Repeat("<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n", 6): "502 Bad Gateway 502 Bad Gateway",
	} {
		got := failure(t, startService(t, respond(http.StatusNotFound, body)).URL)
		if got.Excerpt != excerpt || got.Code+got.Message != "" {
			t.Errorf("%.100q: got %+v", body, got)
		}
	}
}

func TestEveryOtherStatusIsAnError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{204, 302, 402, 599} {
		server := startService(t, respond(status, ""))
		for name, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL}))
			if e := asError(t, err); e.Status != status || e.HadNoEffect != (status == 402) {
				t.Errorf("%s: got %v, want an error with the status %d", name, err, status)
			}
		}
	}
}

func TestBrokenErrorBodyIsStillQuoted(t *testing.T) {
	t.Parallel()
	got := failure(t, startService(t, cutOff(http.StatusForbidden, "access to ")).URL)
	if got.Status != 403 || got.Excerpt != "access to" {
		t.Errorf("got %d %q, want 403 with what arrived", got.Status, got.Excerpt)
	}
}

// TestInvalidResponse: a 200 can be an error of the service, or a page of a gateway. Nothing of a definition is shown, in
// whatever form a gateway gives it, and no secret is cut in two.
func TestInvalidResponse(t *testing.T) {
	t.Parallel()
	client := newClient(t, convo.Config{BaseURL: "http://127.0.0.1", Token: "secret-token", Headers: map[string]string{"X-Key": "first[second<third>"}})
	const definition = `{"agent":{"exposure":{"access":{"share":{"token":"share-token"}}}}}`
	for body, want := range map[string]convo.Error{
		`{"code":"FORBIDDEN","message":"no secret-token","issues":[]}`:                        {Code: "FORBIDDEN", Message: "no ***"},
		"<html>\n<title>Log in, secret-token</title>":                                         {Excerpt: "Log in, ***"},
		"<" + strings.Repeat(" ", 1<<21) + ">text":                                            {Excerpt: "text"},
		"<p>the key first&#91;second&lt;third&gt; is invalid":                                 {Excerpt: "the key *** is invalid"},
		")]}',\n" + definition:                                                                {Excerpt: ")]}',"},
		"<html><title>Log in</title><script>var a = " + definition + "</script><p>Please</p>": {Excerpt: "Log in Please"},
		"<p>502" + strings.Repeat("<script>var a = 1;", 50_000):                               {Excerpt: "502"},
		"<p>Error in &#123;" + definition[1:]:                                                 {Excerpt: "Error in"},
	} {
		got := client.InvalidResponse(body)
		if got.Status != 200 || got.Code != want.Code || got.Message != want.Message || got.Excerpt != want.Excerpt {
			t.Errorf("%.100s: got %+v", body, got)
		}
	}
}
