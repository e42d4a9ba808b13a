// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"cmp"
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
	// id is the operationId in the API's document, by which requests are limited together.
	id     string
	method string
	// segments are those of the path, not escaped.
	segments []string
	// path has the segments, escaped.
	path       string
	parameters map[string]string
	body       []byte
	// attempts is the number of attempts so far, including the current one.
	attempts int
}

// get returns a read with a path of the given segments. The parameters are sent unchanged.
func get(id string, parameters map[string]string, segments ...string) operation {
	return operation{
		id:         id,
		method:     http.MethodGet,
		segments:   segments,
		parameters: parameters,
	}
}

// call sends an operation, and decodes the response into body.
func (c *Client) call(ctx context.Context, op operation, body any) (*Response, error) {
	response, err := c.send(ctx, op)
	if err == nil {
		err = response.Decode(body)
	}
	return response, err
}

// send sends an operation until it succeeds, fails permanently or has no retries
// left. All requests use it. Its errors are a *ResponseError, a *TransportError, or, for an
// invalid ID, another one.
func (c *Client) send(ctx context.Context, op operation) (*Response, error) {
	path, err := joinPath(op.segments...)
	if err != nil {
		return nil, err
	}
	op.path = path
	request := &pacing.Request{Operation: op.id}
	var last error
	for {
		if err := c.pacer.Acquire(ctx, request); err != nil {
			if last == nil {
				last = c.transportError(op, err, false)
			}
			return nil, last // The last attempt's error is more specific than the context's.
		}
		op.attempts = request.Attempts
		sent := time.Now()
		response, err := c.sendOnce(ctx, op)
		duration := time.Since(sent)
		wait, isRetried := c.pacer.Release(request, resultOf(err, op.method == http.MethodGet))
		log, message := c.config.Log, "Sent a request"
		if isRetried {
			log, message = c.config.LogRetry, "Waiting before a request is retried"
		}
		if log != nil {
			fields := c.logFields(op, response, err)
			fields["duration_ms"] = duration.Milliseconds()
			fields["retry"] = isRetried
			fields["wait_ms"] = wait.Milliseconds()
			log(ctx, message, fields)
		}
		if !isRetried {
			return response, err
		}
		last = err
	}
}

// logFields returns what is logged of an attempt and its result.
func (c *Client) logFields(op operation, response *Response, err error) map[string]any {
	fields := map[string]any{
		"operation": op.id,
		"method":    op.method,
		"path":      c.redactor.Mask(op.path),
		"attempt":   op.attempts,
	}
	if response != nil {
		fields["status"] = response.status
		fields["request_id"] = response.requestID()
	} else {
		fields["error"] = err.Error()
	}
	return fields
}

// resultOf returns the meaning of an attempt's error for the pacer. A failure is
// retryable if it can be temporary and the request can be sent again safely: a
// throttled request has no effect, whatever the method, but after any other failure, a
// POST may have taken effect unless no byte of it was sent. A 503 counts as throttled only
// with a Retry-After header.
func resultOf(err error, isRead bool) pacing.Result {
	if transport, ok := errors.AsType[*TransportError](err); ok {
		return pacing.Result{Outcome: pacing.Failed, Retryable: transport.isTemporary && (isRead || transport.NotSent)}
	}
	response, ok := errors.AsType[*ResponseError](err)
	if !ok || !response.Throttled() && !response.ServiceFailed() {
		return pacing.Result{Outcome: pacing.Admitted}
	}
	result := pacing.Result{
		Outcome:    pacing.Failed,
		Retryable:  isRead || response.Throttled(),
		RetryAfter: response.RetryAfter,
	}
	if response.Throttled() || response.Status == http.StatusServiceUnavailable && response.RetryAfter > 0 {
		result.Outcome = pacing.Throttled
	}
	return result
}

// sendOnce makes an attempt, within the request timeout. It also returns a response that
// is an error.
func (c *Client) sendOnce(ctx context.Context, op operation) (*Response, error) {
	tooLate := &reasonError{ReasonTimeout, true, fmt.Sprintf("no complete response within %s", c.config.RequestTimeout)}
	limited, cancel := context.WithTimeoutCause(ctx, c.config.RequestTimeout, tooLate)
	defer cancel()
	var connected atomic.Bool // Without a connection, nothing was sent.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	response, err := c.exchange(httptrace.WithClientTrace(limited, trace), op)
	if response != nil {
		return response, err
	}
	if limited.Err() != nil {
		err = cmp.Or(ctx.Err(), context.Cause(limited))
		// Unused connections, including those that are being opened, can be as dead as
		// this one, or keep the server from accepting others. Updates leave none.
		c.reads.CloseIdleConnections()
	}
	return nil, c.transportError(op, err, connected.Load())
}

// exchange sends a request and reads the response. Its error is a *ResponseError together
// with the response, or that of net/http without one.
func (c *Client) exchange(ctx context.Context, op operation) (*Response, error) {
	request, err := c.newRequest(ctx, op)
	if err != nil {
		return nil, err
	}
	client := c.reads
	if op.method == http.MethodPost {
		client = c.updates
	}
	response, err := client.Do(request)
	if response == nil {
		return nil, errors.Unwrap(err) // A *url.Error has the query in its text.
	}
	defer func() { _ = response.Body.Close() }()
	result := &Response{
		client:    c,
		operation: op,
		status:    response.StatusCode,
		header:    response.Header,
	}
	if err != nil || response.StatusCode/100 == 3 { // The body of a redirect can contain the target.
		return result, result.asError(errors.Unwrap(err))
	}
	if response.StatusCode != http.StatusOK {
		// What arrives can contain the reason, even if it is not everything.
		result.Body, _ = io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return result, result.asError(nil)
	}
	if result.Body, err = readBody(response); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(result.Body)) == 0 {
		return result, result.asError(ErrEmpty)
	}
	return result, nil
}

// newRequest returns the HTTP request of an operation.
func (c *Client) newRequest(ctx context.Context, op operation) (*http.Request, error) {
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

// url returns the URL of an operation for messages. It omits the query, because
// its values are the user's.
func (c *Client) url(op operation) string {
	return c.redactor.Mask(c.baseURL.String() + op.path)
}
