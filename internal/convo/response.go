// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Response is a response to one attempt.
type Response struct {
	Body      []byte // not empty, but need not be JSON
	client    *Client
	operation operation
	status    int
	header    http.Header
}

// Decode decodes the response into the struct to which body points. It fails with a
// *ResponseError if the response does not conform to the API. Its Err is ErrNoResult if a
// field that has the tag required is missing.
func (r *Response) Decode(body any) error {
	err := jsonvalue.Decode(r.Body, body)
	if err == nil {
		missing := jsonvalue.Missing(body)
		if len(missing) == 0 {
			return nil
		}
		err = fmt.Errorf("%s: %w", missing[0], ErrNoResult)
	}
	encoding := r.header.Get("Content-Encoding")
	if encoding != "" && errors.Is(err, jsonvalue.ErrNotJSON) {
		err = fmt.Errorf("the header Content-Encoding is %q, which was not requested", encoding)
	}
	return r.asError(r.client.cleanError(err)) // It can contain keys of the response.
}

// asError returns the response as an error. The body of a 200 can be the error envelope,
// too.
func (r *Response) asError(err error) *ResponseError {
	e := &ResponseError{
		URL:         r.client.url(r.operation),
		RequestID:   r.requestID(),
		Status:      r.status,
		RetryAfter:  retryAfter(r.header),
		Attempts:    r.operation.attempts,
		TokenSource: r.client.config.TokenSource,
		Err:         err,
	}
	r.readEnvelope(e)
	return e
}

// requestID returns the ID of the request in the service's logs, or "".
func (r *Response) requestID() string {
	return r.client.redactor.Clean(r.header.Get("X-Request-Id"), maxExcerpt)
}

// retryAfter reads a Retry-After header, in seconds or as an HTTP date. It returns 0 for a
// missing or invalid header.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, _ := http.ParseTime(value) // An invalid one is in the past.
	return max(0, time.Until(date))
}
