// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

const mebibyte = 1 << 20

// readLarge reads a large response, which can take longer than the default timeout with the race
// detector on a busy machine.
func readLarge(t *testing.T, server *apitest.Service) error {
	t.Helper()
	return readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, RequestTimeout: testTimeout, MaxRetries: new(4)}))
}

// expectTooLarge expects an error that says how a response is too large.
func expectTooLarge(t *testing.T, server *apitest.Service, want string) {
	t.Helper()
	err := readLarge(t, server)
	if e := asError(t, err); e.Reason != convo.ReasonInvalid || e.Problem != want {
		t.Errorf("got %v, want %s", err, want)
	}
	expectRequests(t, server, 1)
}

func TestMostValues(t *testing.T) {
	t.Parallel()
	for body, isTooMuch := range map[string]bool{
		`{"a":[` + strings.Repeat("0,", 1_999_998) + "0]}":              false,
		"[" + strings.Repeat("{},", 1_000_000) + "0]":                   true,
		`["\"",` + strings.Repeat("{},", 1_000_000) + "0]":              true,
		`{"a":"` + strings.Repeat(`,[\",{\\\\`, 600_000) + `"}`:         false,
		`{"a":{` + strings.Repeat(`"a":["\\",0],`, 700_000) + `"a":0}}`: true,
	} {
		server := startService(t, respond(http.StatusOK, body))
		if isTooMuch {
			expectTooLarge(t, server, "the response contains more than 2,000,000 values")
		} else if err := readLarge(t, server); err != nil {
			t.Errorf("%.20s: %v", body, err)
		}
	}
}

// TestLargestBody: the size of a compressed body is that of its content.
func TestLargestBody(t *testing.T) {
	t.Parallel()
	const most = 64 * mebibyte
	body := strings.Repeat(" ", most-2) + "{} "
	if err := readLarge(t, startService(t, respond(http.StatusOK, body[:most]))); err != nil {
		t.Error(err)
	}
	const tooLarge = "the response is larger than 64 MiB"
	expectTooLarge(t, startService(t, respond(http.StatusOK, body)), tooLarge)
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, _ = io.WriteString(writer, body)
	_ = writer.Close()
	expectTooLarge(t, startService(t, withHeader("Content-Encoding", "gzip", respond(http.StatusOK, compressed.String()))), tooLarge)
}

// TestEndlessErrorBody holds that no more of an error is read than is needed.
func TestEndlessErrorBody(t *testing.T) {
	t.Parallel()
	const most = 16 * mebibyte // what buffers on the way hold
	taken := make(chan int, 1)
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		total := 0
		for r.Context().Err() == nil && total <= most {
			n, _ := io.WriteString(w, strings.Repeat("x ", 1<<15))
			total += n
		}
		taken <- total
	}))
	if got := failure(t, server.URL); got.Excerpt != strings.Repeat("x ", 99)+"x…" {
		t.Errorf("got the excerpt %q", got.Excerpt)
	}
	if <-taken > most {
		t.Error("the whole body was read")
	}
}
