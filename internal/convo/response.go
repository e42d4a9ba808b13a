// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Response is a 200.
type Response struct {
	Body      []byte // not empty, but need not be JSON
	URL       string // without the query
	RequestID string // identifies the request in the service's logs; or ""
	// HasNext reports that a Link header names a next page, so that a list is
	// not complete.
	HasNext bool
}

// nextLink matches a Link header with a next page, such as
// <https://service.example/v1/agents?page=2>; rel="next last".
var nextLink = regexp.MustCompile(`(?i)>[^<]*;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\s*([;,]|$))`)

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
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		const longest = math.MaxInt64 / uint64(time.Second) // 292 years
		return time.Duration(min(seconds, longest)) * time.Second
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
