// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// operation is one operation with its arguments while it is sent.
type operation struct {
	// Request has the operationId in the API's document, and counts the attempts.
	pacing.Request
	method     string
	path       string // escaped, or "" if an ID is invalid
	parameters map[string]string
	body       []byte
}

// get returns a read with a path of the given segments. The parameters are sent unchanged.
func get(id string, parameters map[string]string, segments ...string) *operation {
	return &operation{
		Request:    pacing.Request{Operation: id},
		method:     http.MethodGet,
		path:       joinPath(segments...),
		parameters: parameters,
	}
}

// send makes attempts at an operation until it succeeds, fails permanently or has no retries
// left, and decodes the response into body, unless that is nil. All requests use it. Its errors
// are an *Error or, for an invalid ID, another one.
func (c *Client) send(ctx context.Context, op *operation, body any) (*Response, error) {
	request, err := c.newRequest(ctx, op)
	if err != nil {
		return nil, err
	}
	var last *Error
	for {
		if err := c.pacer.Acquire(ctx, &op.Request); err != nil {
			if last == nil { // Otherwise, it is more specific than the context's error.
				last = c.noResponse(op, err, false)
			}
			return nil, last
		}
		sent := time.Now()
		response, e := c.attempt(op, request)
		fields := c.logFields(op, response, e)
		fields["duration_ms"] = time.Since(sent).Milliseconds()
		wait, isRetried := c.pacer.Release(&op.Request, resultOf(e, op.method == http.MethodGet))
		fields["retry"] = isRetried
		fields["wait_ms"] = wait.Milliseconds()
		log, message := c.config.Log, "Sent a request"
		if isRetried {
			log, message = c.config.LogRetry, "Waiting before a request is retried"
		}
		if log != nil {
			log(ctx, message, fields)
		}
		switch {
		case e == nil && body != nil:
			return response, response.Decode(body)
		case e == nil:
			return response, nil
		case !isRetried:
			return nil, e
		}
		last = e
	}
}

// logFields returns what is logged of an attempt and its result.
func (c *Client) logFields(op *operation, response *Response, e *Error) map[string]any {
	fields := map[string]any{
		"operation": op.Operation,
		"method":    op.method,
		"path":      c.redactor.Mask(op.path),
		"attempt":   op.Attempts,
	}
	if response != nil {
		fields["status"] = response.status
		fields["request_id"] = response.requestID()
	} else {
		fields["error"] = e.Error()
	}
	return fields
}

// resultOf returns the meaning of an attempt's error, which can be nil, for the pacer. A
// temporary failure of a POST is retried only if it had no effect. A 503 counts as throttled
// only with a Retry-After header.
func resultOf(e *Error, isRead bool) pacing.Result {
	if e == nil {
		return pacing.Result{Outcome: pacing.Admitted}
	}
	outcome := pacing.Admitted
	switch {
	case e.Reason == ReasonThrottled, e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0:
		outcome = pacing.Throttled
	case e.Reason == ReasonServiceFailed, e.Status == 0:
		outcome = pacing.Failed
	}
	return pacing.Result{
		Outcome:    outcome,
		Retryable:  e.IsTemporary && (isRead || e.HadNoEffect),
		RetryAfter: e.RetryAfter,
	}
}

// attempt sends the request of an operation once, within the request timeout. A response that
// is an error is returned, too.
func (c *Client) attempt(op *operation, request *http.Request) (*Response, *Error) {
	var connected atomic.Bool // Without a connection, nothing was sent.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), trace))
	request.Body, _ = request.GetBody() // Its bytes are in memory.
	client := c.reads
	if op.method == http.MethodPost {
		client = c.updates
	}
	response, err := client.Do(request)
	if err != nil {
		// A *url.Error has the query in its text.
		return nil, c.noResponse(op, errors.Unwrap(err), connected.Load())
	}
	defer func() { _ = response.Body.Close() }()
	result := &Response{
		client:    c,
		operation: op,
		status:    response.StatusCode,
		header:    response.Header,
	}
	switch {
	case response.StatusCode == http.StatusOK:
		if result.Body, err = readBody(response.Body); err != nil {
			return nil, c.noResponse(op, err, true)
		}
		return result, nil
	case response.StatusCode/100 == 3:
		// The body, and the path and the query of the target, can contain a session's secret.
		if target, err := response.Location(); err == nil {
			return result, result.asError(ReasonRedirect, fmt.Sprintf("the service redirected the request to %s://%s, but redirects are not followed", target.Scheme, target.Host))
		}
	default:
		// What arrives can contain the reason, even if it is not everything.
		result.Body, _ = io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	}
	return result, result.asError(reasonOf(response.StatusCode), "")
}

// newRequest returns the HTTP request of an operation.
func (c *Client) newRequest(ctx context.Context, op *operation) (*http.Request, error) {
	if op.path == "" {
		return nil, errors.New(`the ID must not be empty, ".", or ".."`)
	}
	request, err := http.NewRequestWithContext(
		ctx,
		op.method,
		c.baseURL.String()+op.path,
		bytes.NewReader(op.body),
	)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for parameter, value := range op.parameters {
		query.Set(parameter, value)
	}
	request.URL.RawQuery = query.Encode()
	request.Header = c.header.Clone()
	if op.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}
