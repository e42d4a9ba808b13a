// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Response is a 200.
type Response struct {
	// Body is the response body, which need not be JSON.
	Body []byte
	// URL is the URL of the request, without its query.
	URL string
	// RequestID identifies the request in the service's logs; "" if the response
	// has none.
	RequestID string
	// HasNext reports that a Link header names a next page, so that a list is
	// not complete.
	HasNext bool
}

// Limits on reading the body of a 200 and of an error, in bytes.
const maxBody, maxErrorBody = 64 << 20, 1 << 20

// readBody reads the complete body of a 200, and as much as arrives of any other,
// because that can contain the reason. After a 101, the body is the connection
// itself, which has no timeout.
func readBody(response *http.Response) ([]byte, error) {
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusSwitchingProtocols:
		return nil, nil
	default:
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err == nil && len(body) > maxBody:
		return nil, &reasonError{ReasonTooLarge, fmt.Sprintf("the response is larger than %d MiB", maxBody>>20)}
	case err != nil, isTruncated(response, body):
		// The error of net/http can quote the body.
		return nil, fmt.Errorf("the response ended prematurely, after %d bytes", len(body))
	}
	return body, nil
}

// isTruncated reports whether a body is the beginning of JSON. Only JSON shows
// that, if nothing but the end of the connection marks the end of the body.
func isTruncated(response *http.Response, body []byte) bool {
	if response.ProtoMajor > 1 || response.ContentLength >= 0 || len(response.TransferEncoding) > 0 || response.Uncompressed {
		return false
	}
	body = bytes.TrimSpace(withoutMark(body))
	return len(body) > 0 && (body[0] == '{' || body[0] == '[') && !json.Valid(body)
}

// withoutMark removes a byte order mark, which JSON does not permit.
func withoutMark(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\uFEFF")) }

// requestID returns the ID of the request in the logs of the service or of a
// gateway.
func requestID(header http.Header) string {
	for _, name := range []string{
		"X-Request-Id", "Request-Id", "X-Correlation-Id", "X-Amzn-Requestid", "X-Ms-Request-Id", "X-Trace-Id", "Cf-Ray",
	} {
		if id := header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// nextLink matches a link whose relations include "next", such as
// <https://service.example/v1/agents?page=2>; rel="next last".
var nextLink = regexp.MustCompile(`(?i)>[^<]*;\s*rel\s*=\s*("([^"]*\s)?next(\s[^"]*)?"|next\s*([;,]|$))`)

// hasNext reports whether a Link header refers to a next page.
func hasNext(header http.Header) bool {
	for _, links := range header.Values("Link") {
		if nextLink.MatchString(links) {
			return true
		}
	}
	return false
}

// parseRetryAfter reads a Retry-After header, in seconds or as an HTTP date; it
// returns 0 for a missing or invalid header.
func parseRetryAfter(header string, now time.Time) time.Duration {
	// For a value out of range, ParseUint returns the largest one, which is
	// usable.
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
