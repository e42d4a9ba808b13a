// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// operation is one operation with its arguments.
type operation struct {
	name    string // for errors: "read agent"
	method  string
	path    string // escaped, appended to the base URL
	query   url.Values
	body    []byte
	attempt int // number of the current attempt, and 0 before the first one
}

// get sends a read with a path of the given segments. The parameters are sent
// unchanged.
func (c *Client) get(ctx context.Context, name string, parameters map[string]string, segments ...string) (*Response, error) {
	path, err := joinPath(segments...)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for parameter, value := range parameters {
		query.Set(parameter, value)
	}
	return c.do(ctx, operation{name: name, method: http.MethodGet, path: path, query: query})
}

// read sends a read, and decodes the response, which it closes, into the struct to which
// body points.
func (c *Client) read(ctx context.Context, body any, name string, parameters map[string]string, segments ...string) (*Response, error) {
	response, err := c.get(ctx, name, parameters, segments...)
	if err != nil {
		return nil, err
	}
	defer response.Close()
	return response, response.Decode(body)
}

// do sends an operation until it succeeds, fails permanently or has no retries
// left, and returns the response. All requests use it. Its errors wrap a
// *ResponseError or a *TransportError, and the context's error if the context
// ended a wait.
func (c *Client) do(ctx context.Context, op operation) (*Response, error) {
	request := &pacing.Request{Operation: op.name}
	var last error
	for {
		if err := c.pacer.Acquire(ctx, request); err != nil {
			if last != nil {
				// The last attempt's error is more specific than the context's.
				return nil, fmt.Errorf("%w; not retried: %w", last, err)
			}
			return nil, c.transportError(op, err, false)
		}
		op.attempt++
		sent := time.Now()
		response, err := c.sendOnce(ctx, op)
		wait, retry := c.pacer.Release(request, c.resultOf(op.method, err))
		c.log(ctx, op, response, err, map[string]any{
			"attempt": op.attempt, "duration_ms": time.Since(sent).Milliseconds(), "retry": retry, "wait_ms": wait.Milliseconds(),
		})
		if !retry {
			return response, err
		}
		last = err
	}
}

// resultOf returns the meaning of an attempt's error for the pacer. A failure is
// retryable if it can be temporary and the request can be sent again safely: a
// 429 has no effect, whatever the method, but after any other failure, a POST may
// have taken effect unless no byte of it was sent. A 503 counts as throttled only
// with a Retry-After header.
func (c *Client) resultOf(method string, err error) pacing.Result {
	isRead := method == http.MethodGet
	if transport, ok := errors.AsType[*TransportError](err); ok {
		temporary := c.retriesLost && slices.Contains([]Reason{ReasonConnection, ReasonTimeout, ReasonIncomplete, ReasonProxy}, transport.Reason)
		return pacing.Result{Outcome: pacing.Failed, Retryable: temporary && (isRead || transport.NotSent)}
	}
	response, ok := errors.AsType[*ResponseError](err)
	if !ok {
		return pacing.Result{Outcome: pacing.Admitted}
	}
	wait := response.RetryAfter
	switch status := response.Status; {
	case status == http.StatusTooManyRequests:
		return pacing.Result{Outcome: pacing.Throttled, Retryable: true, RetryAfter: wait}
	case status == http.StatusServiceUnavailable && wait > 0:
		return pacing.Result{Outcome: pacing.Throttled, Retryable: isRead, RetryAfter: wait}
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return pacing.Result{Outcome: pacing.Admitted, Retryable: isRead, RetryAfter: wait}
	case status < http.StatusInternalServerError:
		return pacing.Result{Outcome: pacing.Admitted}
	default:
		return pacing.Result{Outcome: pacing.Failed, Retryable: isRead && response.Temporary(), RetryAfter: wait}
	}
}

// sendOnce sends an operation once, within the request timeout.
func (c *Client) sendOnce(ctx context.Context, op operation) (*Response, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timeout := time.AfterFunc(c.config.RequestTimeout, func() {
		cancel(&reasonError{ReasonTimeout, fmt.Sprintf("no complete response within %s", c.config.RequestTimeout)})
	})
	defer timeout.Stop()
	var connected atomic.Bool // Without a connection, nothing was sent.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	response, err := c.exchange(httptrace.WithClientTrace(limited, trace), op, timeout)
	if err == nil || errors.As(err, new(*ResponseError)) {
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

// exchange sends a request and reads the response. Its errors are those of net/http,
// or a *ResponseError. It resets the timer of the timeout.
func (c *Client) exchange(ctx context.Context, op operation, timeout *time.Timer) (*Response, error) {
	request, err := c.newRequest(ctx, op)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: c.updates, CheckRedirect: op.checkRedirect}
	if op.method == http.MethodGet {
		client.Transport = c.reads
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, c.responseError(op, response, readErrorBody(response))
	}
	body, release, err := c.readBody(ctx, response, timeout)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		release()
		empty := c.responseError(op, response, nil)
		empty.Err = ErrEmpty
		return nil, empty
	}
	return &Response{
		Body: body, URL: c.url(op), RequestID: c.requestID(response.Header),
		operation: op.name, header: response.Header, release: release, redactor: c.redactor,
	}, nil
}

// newRequest returns the HTTP request of an operation.
func (c *Client) newRequest(ctx context.Context, op operation) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, op.method, c.baseURL+op.path, bytes.NewReader(op.body))
	if err != nil {
		return nil, err
	}
	request.URL.RawQuery = op.query.Encode()
	request.Header = c.header.Clone()
	if op.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

// url returns the URL of an operation for messages. It omits the query, because
// its values are the user's.
func (c *Client) url(op operation) string { return c.redactor.Mask(c.baseURL + op.path) }

// log adds an entry about an attempt to the log, without texts of the response.
func (c *Client) log(ctx context.Context, op operation, response *Response, err error, fields map[string]any) {
	fields["method"], fields["path"] = op.method, c.redactor.Mask(op.path)
	var refused *ResponseError
	var failure *TransportError
	switch {
	case response != nil:
		fields["status"], fields["request_id"] = http.StatusOK, response.RequestID
	case errors.As(err, &refused):
		fields["status"], fields["request_id"] = refused.Status, refused.RequestID
	case errors.As(err, &failure):
		fields["error"] = failure.Err.Error()
	}
	c.config.Log(ctx, "Sent a request", fields)
}
