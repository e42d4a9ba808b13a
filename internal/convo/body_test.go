// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

const mebibyte = 1 << 20

// Responses with more values than can be legitimate are refused.
func TestResponsesWithTooManyValues(t *testing.T) {
	t.Parallel()
	const (
		tooManyElements = "read agent: the response contains an array or object with more than 100,000 elements"
		tooManyValues   = "read agent: the response contains more than 2,000,000 values"
	)
	array := func(length int, element string) string {
		return "[" + strings.Repeat(element+",", length-1) + element + "]"
	}
	for name, test := range map[string]struct{ body, want string }{
		"100,000 elements":      {array(100_000, "{}"), ""},
		"100,001 elements":      {array(100_001, "{}"), tooManyElements},
		"100,001 members":       {`{"a":[{` + strings.Repeat(`"a":0,`, 100_000) + `"a":0}]}`, tooManyElements},
		"2,000,000 values":      {array(19, array(99_999, "0")) + array(100_000, "0"), ""},
		"2,000,001 values":      {array(19, array(99_999, "0")) + array(100_000, "0") + "[]", tooManyValues},
		"commas in a string":    {`["` + strings.Repeat(`,[\",{\\\\`, 200_000) + `"]`, ""},
		"a definition of 20 MB": {`{"agent":` + array(60_000, `{"id":"n","title":"`+strings.Repeat("x", 250)+`","items":[{"id":"i","content":"Yes, or no","x":1.5}]}`) + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, respond(http.StatusOK, test.body))
			response, err := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}).Agent(testContext(t), "agt_1", nil)
			if test.want == "" {
				if err != nil || string(response.Body) != test.body {
					t.Errorf("got %v, want the response", err)
				}
				return
			}
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonTooLarge || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			server.expectRequests(t, 1)
		})
	}
}

func TestLargestBody(t *testing.T) {
	t.Parallel()
	const most = 64 * mebibyte
	body := strings.Repeat(" ", most-2) + "{} "
	server := startService(t, inTurn(respond(http.StatusOK, body[:most]), respond(http.StatusOK, body)))
	client := newClient(t, convo.Config{BaseURL: server.URL})
	if err := readAgent(testContext(t), client); err != nil {
		t.Error(err)
	}
	err := readAgent(testContext(t), client)
	transport, ok := errors.AsType[*convo.TransportError](err)
	if !ok || transport.Reason != convo.ReasonTooLarge || transport.Err.Error() != "the response is larger than 64 MiB" {
		t.Errorf("got %v", err)
	}
}

// TestEndlessErrorBody holds that no more of an error is read than is needed:
// the rest would be written until the end of the test.
func TestEndlessErrorBody(t *testing.T) {
	t.Parallel()
	written := make(chan int, 1)
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		total := 0
		for r.Context().Err() == nil {
			n, _ := io.WriteString(w, strings.Repeat("x ", 1<<15))
			total += n
		}
		written <- total
	}))
	if got := failure(t, server); got.Excerpt != strings.Repeat("x ", 99)+"x…" {
		t.Errorf("got the excerpt %q", got.Excerpt)
	}
	if total := <-written; total > 32*mebibyte { // what buffers on the way hold
		t.Errorf("%d bytes of the error were taken", total)
	}
}
