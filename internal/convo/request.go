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

// read sends a read with a path of the given segments, and passes the response to use.
// The parameters are sent unchanged.
func (c *Client) read(ctx context.Context, name string, parameters map[string]string, use func(*Response) error, segments ...string) error {
	path, err := joinPath(segments...)
	if err != nil {
		return err
	}
	query := url.Values{}
	for parameter, value := range parameters {
		query.Set(parameter, value)
	}
	return c.do(ctx, operation{name: name, method: http.MethodGet, path: path, query: query}, use)
}

// do sends an operation until it succeeds, fails permanently or has no retries
// left, and passes the response to use, whose error it returns. All requests use it. Its
// own errors wrap a *ResponseError or a *TransportError, and the context's error if the
// context ended a wait.
func (c *Client) do(ctx context.Context, op operation, use func(*Response) error) error {
	request := &pacing.Request{Operation: op.name}
	var last error
	for {
		if err := c.pacer.Acquire(ctx, request); err != nil {
			if last != nil {
				// The last attempt's error is more specific than the context's.
				return fmt.Errorf("%w; not retried: %w", last, err)
			}
			return c.transportError(op, err, false)
		}
		op.attempt++
		sent := time.Now()
		response, err := c.sendOnce(ctx, op)
		duration := time.Since(sent)
		wait, isRetried := c.pacer.Release(request, resultOf(op.method, err))
		if c.config.Log != nil {
			fields := map[string]any{
				"method": op.method, "path": c.redactor.Mask(op.path), "attempt": op.attempt, "duration_ms": duration.Milliseconds(),
				"retry": isRetried, "wait_ms": wait.Milliseconds(),
			}
			if failure, ok := errors.AsType[*TransportError](err); ok {
				fields["error"] = failure.Err.Error()
			} else if refused, ok := errors.AsType[*ResponseError](err); ok {
				fields["status"], fields["request_id"] = refused.Status, refused.RequestID
			} else {
				fields["status"], fields["request_id"] = response.status, response.RequestID
			}
			c.config.Log(ctx, "Sent a request", fields)
		}
		switch {
		case err == nil:
			defer c.release(response.isLarge)
			return use(response)
		case !isRetried:
			return err
		}
		last = err
	}
}

// resultOf returns the meaning of an attempt's error for the pacer. A failure is
// retryable if it can be temporary and the request can be sent again safely: a
// throttled request has no effect, whatever the method, but after any other failure, a
// POST may have taken effect unless no byte of it was sent. A 503 counts as throttled only
// with a Retry-After header.
func resultOf(method string, err error) pacing.Result {
	isRead := method == http.MethodGet
	if transport, ok := errors.AsType[*TransportError](err); ok {
		temporary := slices.Contains([]Reason{ReasonConnection, ReasonTimeout, ReasonIncomplete, ReasonProxy}, transport.Reason)
		return pacing.Result{Outcome: pacing.Disconnected, Retryable: temporary && (isRead || transport.NotSent)}
	}
	response, ok := errors.AsType[*ResponseError](err)
	if !ok {
		return pacing.Result{Outcome: pacing.Admitted}
	}
	result := pacing.Result{Outcome: pacing.Failed, Retryable: isRead && response.ServiceFailed(), RetryAfter: response.RetryAfter}
	switch {
	case response.Throttled():
		result.Outcome, result.Retryable = pacing.Throttled, true
	case response.Status == http.StatusServiceUnavailable && response.RetryAfter > 0:
		result.Outcome = pacing.Throttled
	case response.Status >= http.StatusBadGateway && response.Status <= http.StatusGatewayTimeout:
		result.Outcome = pacing.Unavailable
	case response.Status < http.StatusInternalServerError:
		result.Outcome = pacing.Admitted
	}
	return result
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
	client := http.Client{Transport: c.updates, CheckRedirect: refuseRedirect}
	if op.method == http.MethodGet {
		client.Transport = c.reads
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	result := &Response{
		URL: c.url(op), RequestID: c.requestID(response.Header), status: response.StatusCode,
		operation: op, header: response.Header, redactor: c.redactor,
	}
	if response.StatusCode != http.StatusOK {
		result.Body = readErrorBody(response)
		return nil, result.asError(nil)
	}
	result.Body, result.isLarge, err = c.readBody(ctx, response, timeout)
	if err == nil && len(bytes.TrimSpace(result.Body)) == 0 {
		err = result.asError(ErrEmpty)
	}
	if err != nil {
		c.release(result.isLarge)
		return nil, err
	}
	return result, nil
}

// newRequest returns the HTTP request of an operation.
func (c *Client) newRequest(ctx context.Context, op operation) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, op.method, c.baseURL.String()+op.path, bytes.NewReader(op.body))
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
func (c *Client) url(op operation) string { return c.redactor.Mask(c.baseURL.String() + op.path) }
