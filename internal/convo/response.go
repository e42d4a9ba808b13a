// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
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

// Limits on reading a body, in bytes.
const (
	maxBody      = 64 << 20
	maxErrorBody = 1 << 20
	// minReserve is the memory allocated before any of the body is received, if its
	// length is announced.
	minReserve = 256 << 10
	// unannounced is the same for other bodies. Most definitions fit in it, so that
	// it need not grow.
	unannounced = 16 << 10
)

// readBody reads the body of a 200 with at most limit bytes. It allocates
// memory in proportion to the bytes received, because a Content-Length can be
// false. Within these bounds, Content-Length avoids growing and copying.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	var body bytes.Buffer
	var err error
	limited := io.LimitReader(response.Body, limit+1)
	announced := min(response.ContentLength, limit)
	if announced < 0 {
		body.Grow(unannounced)
	}
	for arrived := int64(0); err == nil && arrived < announced; arrived = int64(body.Len()) {
		piece := min(announced-arrived, max(minReserve, 8*arrived))
		// One byte more than ReadFrom reserves prevents it from growing at the end.
		body.Grow(int(piece) + bytes.MinRead + 1)
		_, err = io.CopyN(&body, limited, piece)
	}
	if err == nil {
		_, err = body.ReadFrom(limited)
	}
	switch {
	case err == nil && int64(body.Len()) > limit:
		return nil, &tooLargeError{limit}
	case err != nil, endsWithConnection(response) && beginsAsJSON(body.Bytes()) && !json.Valid(body.Bytes()):
		// If the end of the connection marks the end of the body, only the JSON shows
		// that the body is truncated. The error of net/http can quote the body.
		return nil, fmt.Errorf("the response ended prematurely, after %d bytes", body.Len())
	}
	return body.Bytes(), nil
}

// readErrorBody reads the body of any other response. It returns the received
// part of an incomplete body, because that can contain the reason. After a 101,
// the body is the connection itself, which has no timeout.
func readErrorBody(response *http.Response) []byte {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	return body
}

// endsWithConnection reports whether only the end of the connection marks the
// end of the body.
func endsWithConnection(response *http.Response) bool {
	return response.ProtoMajor == 1 && response.ContentLength < 0 && len(response.TransferEncoding) == 0 && !response.Uncompressed
}

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

// hasNext reports whether a Link header refers to a next page.
func hasNext(header http.Header) bool {
	for _, links := range header.Values("Link") {
		for links != "" {
			var link string
			link, links = cutUnquoted(links, ',')
			if isNext(link) {
				return true
			}
		}
	}
	return false
}

// isNext reports whether "next" is among the relations of one link, such as
// <https://service.example/v1/agents?page=2>; rel="next last".
func isNext(link string) bool {
	_, parameters := cutUnquoted(link, ';')
	for parameters != "" {
		var parameter string
		parameter, parameters = cutUnquoted(parameters, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "rel") {
			continue
		}
		relations := strings.Fields(strings.Trim(strings.TrimSpace(value), `"`))
		if slices.ContainsFunc(relations, func(relation string) bool { return strings.EqualFold(relation, "next") }) {
			return true
		}
	}
	return false
}

// cutUnquoted cuts text around the first separator outside of quotes and <>.
func cutUnquoted(text string, separator byte) (before, after string) {
	var end byte // end of the quoted part, 0 outside of one
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case end == '"' && c == '\\':
			i++
		case end != 0:
			if c == end {
				end = 0
			}
		case c == '"':
			end = '"'
		case c == '<':
			end = '>'
		case c == separator:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}
