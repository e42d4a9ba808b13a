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

// operation is one operation with its arguments.
type operation struct {
	name       string // for errors: "read agent"
	method     string
	segments   []string // of the path, not escaped
	path       string   // of the segments, escaped
	parameters map[string]string
	body       []byte
	attempt    int // number of the current attempt, and 0 before the first one
}

// get returns a read with a path of the given segments. The parameters are sent unchanged.
func get(name string, parameters map[string]string, segments ...string) operation {
	return operation{name: name, method: http.MethodGet, segments: segments, parameters: parameters}
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
	request := &pacing.Request{Operation: op.name}
	var last error
	for {
		if err := c.pacer.Acquire(ctx, request); err != nil {
			if last == nil {
				last = c.transportError(op, err, false)
			}
			return nil, last // The last attempt's error is more specific than the context's.
		}
		op.attempt++
		sent := time.Now()
		response, err := c.sendOnce(ctx, op)
		duration := time.Since(sent)
		wait, isRetried := c.pacer.Release(request, resultOf(err, op.method == http.MethodGet))
		if c.config.Log != nil {
			fields := c.logFields(op, response, err)
			fields["duration_ms"] = duration.Milliseconds()
			fields["retry"] = isRetried
			fields["wait_ms"] = wait.Milliseconds()
			c.config.Log(ctx, "Sent a request", fields)
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
		"method":  op.method,
		"path":    c.redactor.Mask(op.path),
		"attempt": op.attempt,
	}
	if response != nil {
		fields["status"] = response.status
		fields["request_id"] = response.requestID()
	} else {
		fields["error"] = errors.Unwrap(err).Error() // without the operation
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
		isTemporary := transport.Reason <= lastTemporary
		return pacing.Result{Outcome: pacing.Disconnected, Retryable: isTemporary && (isRead || transport.NotSent)}
	}
	if response, ok := errors.AsType[*ResponseError](err); ok {
		return pacing.Result{
			Outcome:    outcomeOf(response),
			Retryable:  response.Throttled() || isRead && response.ServiceFailed(),
			RetryAfter: response.RetryAfter,
		}
	}
	return pacing.Result{Outcome: pacing.Admitted}
}

func outcomeOf(e *ResponseError) pacing.Outcome {
	switch {
	case e.Throttled(), e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0:
		return pacing.Throttled
	case e.Status >= http.StatusBadGateway && e.Status <= http.StatusGatewayTimeout:
		return pacing.Unavailable
	case e.Status >= http.StatusInternalServerError:
		return pacing.Failed
	}
	return pacing.Admitted
}

// sendOnce sends an operation once, within the request timeout. It also returns a
// response that is an error.
func (c *Client) sendOnce(ctx context.Context, op operation) (*Response, error) {
	tooLate := &reasonError{ReasonTimeout, fmt.Sprintf("no complete response within %s", c.config.RequestTimeout)}
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
	transport := c.reads
	if op.method == http.MethodPost {
		transport = c.updates
	}
	response, err := transport.RoundTrip(request) // follows no redirects, and keeps no cookies
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if location, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		return nil, redirected(location)
	}
	result := &Response{client: c, operation: op, status: response.StatusCode, header: response.Header}
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
	request, err := http.NewRequestWithContext(ctx, op.method, c.baseURL.String()+op.path, bytes.NewReader(op.body))
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
