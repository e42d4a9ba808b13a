// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Response is a response whose content the caller decodes.
type Response struct {
	Body      []byte // not empty, but need not be JSON
	client    *Client
	operation operation
	status    int
	header    http.Header
}

// Decode decodes the response into the struct to which body points. It fails with a
// *ResponseError if the response does not conform to the API, or with ErrNoResult if it
// lacks a field that has the tag required.
func (r *Response) Decode(body any) error {
	err := jsonvalue.Decode(r.Body, body)
	if err == nil {
		missing := jsonvalue.Missing(body)
		if len(missing) == 0 {
			return nil
		}
		err = fmt.Errorf("%s: %w", missing[0], ErrNoResult)
	}
	return r.asError(r.client.cleanError(err)) // It can contain keys of the response.
}

// asError returns the response as an error. The body of a 200 can be the error envelope,
// too.
func (r *Response) asError(err error) *ResponseError {
	e := &ResponseError{
		Operation:  r.operation.name,
		URL:        r.client.url(r.operation),
		RequestID:  r.requestID(),
		Status:     r.status,
		RetryAfter: retryAfter(r.header),
		Attempts:   r.operation.attempt,
		Err:        err,
	}
	r.readEnvelope(e)
	return e
}

// requestID returns the ID of the request in the logs of the service or, if it sends
// none, of the most common gateway.
func (r *Response) requestID() string {
	id := cmp.Or(r.header.Get("X-Request-Id"), r.header.Get("Cf-Ray"))
	return r.client.redactor.Clean(id, maxExcerpt)
}

// retryAfter reads a Retry-After header, in seconds, which are rounded up, or as an HTTP
// date; it returns 0 for a missing or invalid header.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); seconds >= 0 && err == nil {
		return time.Duration(math.Ceil(min(seconds, math.MaxUint32))) * time.Second // At most 136 years.
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
