// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// operation is one operation with its arguments.
type operation struct {
	name   string // for errors: "read agent"
	method string
	path   string // escaped, appended to the base URL
	query  url.Values
	body   []byte
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

// do sends an operation until it succeeds, fails permanently or has no retries
// left, and returns the response. All requests use it. Its errors wrap a
// *ResponseError or a *TransportError, and the context's error if the context
// ended a wait.
func (c *Client) do(ctx context.Context, op operation) (*Response, error) {
	paced := &pacing.Request{Operation: op.name}
	var last error
	for attempt := 1; ; attempt++ {
		start := time.Now()
		limits, err := c.pacer.Acquire(ctx, paced)
		if limits != nil {
			fields := map[string]any{"waited_ms": time.Since(start).Milliseconds(), "max_in_flight": limits.InFlight}
			if limits.PerSecond > 0 {
				fields["requests_per_second"] = math.Round(limits.PerSecond*100) / 100
			}
			c.log(ctx, op, "Waited because of rate limits", fields)
		}
		switch {
		case err != nil && last == nil:
			return nil, c.transportError(op, err, false)
		case err != nil:
			// The last attempt's error is more specific than the context's.
			return nil, fmt.Errorf("%w; not retried: %w", last, err)
		}
		response, err := c.attempt(ctx, op, attempt)
		result := resultOf(op.method, err)
		result.Retryable = result.Retryable && ctx.Err() == nil
		wait, retry := c.pacer.Release(paced, result)
		if !retry {
			return response, err
		}
		c.log(ctx, op, "Waiting before a retry", map[string]any{"attempt": attempt, "wait_ms": wait.Milliseconds()})
		last = err
	}
}

// attempt sends an operation once and logs the result.
func (c *Client) attempt(ctx context.Context, op operation, attempt int) (*Response, error) {
	start := time.Now()
	status, header, body, failure := c.roundTrip(ctx, op)
	fields := map[string]any{"attempt": attempt, "duration_ms": time.Since(start).Milliseconds()}
	if status != 0 {
		fields["status"] = status
	}
	id := c.secrets.quote(requestID(header), maxExcerpt)
	if id != "" {
		fields["request_id"] = id
	}
	if failure != nil {
		fields["error"] = failure.Err.Error()
	}
	c.log(ctx, op, "Sent a request", fields)
	switch {
	case failure != nil:
		failure.Attempts = attempt
		return nil, failure
	case status != http.StatusOK:
		e := &ResponseError{
			Operation: op.name, URL: c.url(op), RequestID: id, Status: status, Attempts: attempt,
			RetryAfter: parseRetryAfter(header.Get("Retry-After"), time.Now()),
		}
		e.read(body, c.secrets)
		return nil, e
	}
	return &Response{Body: body, URL: c.url(op), RequestID: id, HasNext: hasNext(header)}, nil
}

// roundTrip sends one request and reads the response. The status is 0 if there is
// none, and an incomplete body is an error.
func (c *Client) roundTrip(caller context.Context, op operation) (status int, header http.Header, body []byte, failure *TransportError) {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	limit := c.config.RequestTimeout
	ctx, stop := context.WithTimeoutCause(ctx, limit, &reasonError{ReasonTimeout, fmt.Sprintf("no complete response within %s", limit)})
	defer stop()

	var newConnections atomic.Int32
	var connected, responded atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			connected.Store(true)
			if !info.Reused && newConnections.Add(1) > maxNewConnections {
				cancel(errRefusedStreams)
			}
		},
		GotFirstResponseByte: func() { responded.Store(true) },
	})
	transport := c.transports.forMethod(op.method)
	failed := func(err error, responded bool) *TransportError {
		switch {
		case caller.Err() != nil:
			err = caller.Err() // Not its cause, which can be the error of another request.
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		}
		e := c.transportError(op, err, responded)
		e.NotSent = !connected.Load() || errors.Is(err, errRefusedStreams)
		if e.Reason == ReasonTimeout || errors.Is(err, errRefusedStreams) {
			c.transports.discard(transport)
		}
		return e
	}

	request, err := http.NewRequestWithContext(traced, op.method, c.baseURL+op.path, bytes.NewReader(op.body))
	if err != nil {
		return 0, nil, nil, failed(err, false)
	}
	request.URL.RawQuery = op.query.Encode()
	request.Header = c.header.Clone()
	if op.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Transport: transport, CheckRedirect: checkRedirect}).Do(request)
	if err != nil {
		return 0, nil, nil, failed(err, responded.Load())
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = readBody(response); err != nil {
		failure = failed(err, false)
	}
	return response.StatusCode, response.Header, body, failure
}

// url returns the URL of an operation for messages. It omits the query, because
// its values are the user's.
func (c *Client) url(op operation) string { return c.secrets.redact(c.baseURL + op.path) }

// transportError wraps the reason for a missing response. By default, nothing
// was sent.
func (c *Client) transportError(op operation, err error, responded bool) *TransportError {
	reason, err := classify(err, responded)
	return &TransportError{Operation: op.name, URL: c.url(op), NotSent: true, Reason: reason, Err: c.secrets.quoteError(err)}
}

// log adds an entry about an operation to the log.
func (c *Client) log(ctx context.Context, op operation, message string, fields map[string]any) {
	fields["method"], fields["path"] = op.method, c.secrets.redact(op.path)
	c.config.Log(ctx, message, fields)
}
