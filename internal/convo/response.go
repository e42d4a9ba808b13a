// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/redact"
)

// Response is a 200.
type Response struct {
	Body      []byte // not empty, but need not be JSON
	URL       string // without the query
	RequestID string // identifies the request in the service's logs; or ""
	header    http.Header
	redactor  *redact.Redactor // of the client
}

// Decode decodes the response into the struct to which body points. It fails with a
// *ResponseError if the response does not conform to the API, or lacks a field that has
// the tag required.
func (r *Response) Decode(body any) error {
	err := jsonvalue.Decode(r.Body, body)
	if err == nil {
		missing := jsonvalue.Missing(body, "json")
		if len(missing) == 0 {
			return nil
		}
		err = fmt.Errorf("%s: required, but null or missing", missing[0])
	}
	// The body can be the error envelope, in spite of the status.
	e := &ResponseError{Status: http.StatusOK, URL: r.URL, RequestID: r.RequestID, Err: err}
	e.readEnvelope(r.Body[:min(len(r.Body), maxErrorBody)], r.redactor)
	return e
}

// Clean prepares a text of the response for display or storage as one line. It masks
// secrets, removes unprintable characters, and returns at most 1,000 characters.
func (r *Response) Clean(text string) string { return r.redactor.Clean(text, maxText) }

// Limits on reading the body of a 200 and of an error, in bytes.
const maxBody, maxErrorBody = 64 << 20, 1 << 20

// readBody reads the complete body of a 200, and as much as arrives of any other,
// because that can contain the reason. After a 101, the body is the connection
// itself, which has no timeout.
func readBody(response *http.Response) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil
	}
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		// The error of net/http can quote the body.
		return nil, &reasonError{ReasonIncomplete, fmt.Sprintf("the response ended prematurely, after %d bytes", len(body))}
	case len(body) > maxBody:
		return nil, &reasonError{ReasonTooLarge, fmt.Sprintf("the response is larger than %d MiB", maxBody>>20)}
	}
	return body, nil
}

// requestID returns the ID of the request in the logs of the service or, if it sends
// none, of the most common gateway.
func (c *Client) requestID(header http.Header) string {
	return c.redactor.Clean(cmp.Or(header.Get("X-Request-Id"), header.Get("Cf-Ray")), maxExcerpt)
}

// retryAfter reads a Retry-After header, in seconds or as an HTTP date; it
// returns 0 for a missing or invalid header.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	// Of a number with more than 32 bits, which is 136 years, ParseUint returns the maximum.
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date")) // The service's clock can differ from this machine's.
	if err != nil {
		now = time.Now()
	}
	return max(0, date.Sub(now))
}
