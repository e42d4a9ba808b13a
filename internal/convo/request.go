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
	request := &pacing.Request{Operation: op.name, OnLimitWait: func(limits pacing.Limits, wait time.Duration) {
		c.logLimitWait(ctx, op, limits, wait)
	}}
	var last error
	for attempt := 1; ; attempt++ {
		switch err := c.pacer.Acquire(ctx, request); {
		case err != nil && last == nil:
			return nil, c.transportError(op, err, false)
		case err != nil:
			// The last attempt's error is more specific than the context's.
			return nil, fmt.Errorf("%w; not retried: %w", last, err)
		}
		response, err := c.attempt(ctx, op, attempt)
		result := resultOf(op.method, err)
		result.Retryable = result.Retryable && ctx.Err() == nil
		wait, retry := c.pacer.Release(request, result)
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
	raw, failure := c.roundTrip(ctx, op)
	fields := map[string]any{"attempt": attempt, "duration_ms": time.Since(start).Milliseconds()}
	if raw.status != 0 {
		fields["status"] = raw.status
	}
	id := c.secrets.quote(requestID(raw.header), maxExcerpt)
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
	case raw.status != http.StatusOK:
		e := &ResponseError{
			Operation: op.name, URL: c.url(op), RequestID: id, Status: raw.status, Attempts: attempt,
			RetryAfter: parseRetryAfter(raw.header.Get("Retry-After"), time.Now()),
		}
		e.read(raw.body, c.secrets)
		return nil, e
	}
	return &Response{Body: raw.body, URL: c.url(op), RequestID: id, HasNext: hasNext(raw.header)}, nil
}

// roundTrip sends one request within the request timeout, and determines the
// reason if there is no complete response.
func (c *Client) roundTrip(caller context.Context, op operation) (rawResponse, *TransportError) {
	ctx, abort := context.WithCancelCause(caller)
	defer abort(nil)
	limit := c.config.RequestTimeout
	ctx, stop := context.WithTimeoutCause(ctx, limit, &reasonError{ReasonTimeout, fmt.Sprintf("no complete response within %s", limit)})
	defer stop()

	trace := &attemptTrace{abort: abort}
	transport := c.transports.forMethod(op.method)
	raw, err := c.send(httptrace.WithClientTrace(ctx, trace.clientTrace()), transport, op)
	switch {
	case err == nil:
		return raw, nil
	case caller.Err() != nil:
		err = caller.Err() // Not its cause, which can be the error of another request.
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	failure := c.transportError(op, err, trace.responded.Load() && raw.status == 0)
	refused := errors.Is(err, errRefusedStreams)
	failure.NotSent = refused || !trace.connected.Load()
	if refused || failure.Reason == ReasonTimeout {
		c.transports.discard(transport)
	}
	return raw, failure
}

// rawResponse is a response as received. The status is 0 if there is none.
type rawResponse struct {
	status int
	header http.Header
	body   []byte
}

// send sends one request and reads the response. If the body is incomplete, it
// returns what was received and an error.
func (c *Client) send(ctx context.Context, transport *http.Transport, op operation) (rawResponse, error) {
	request, err := http.NewRequestWithContext(ctx, op.method, c.baseURL+op.path, bytes.NewReader(op.body))
	if err != nil {
		return rawResponse{}, err
	}
	request.URL.RawQuery = op.query.Encode()
	request.Header = c.header.Clone()
	if op.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Transport: transport, CheckRedirect: checkRedirect}).Do(request)
	if err != nil {
		return rawResponse{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := readBody(response)
	return rawResponse{response.StatusCode, response.Header, body}, err
}

// attemptTrace observes the connections that net/http uses for one attempt.
type attemptTrace struct {
	abort          context.CancelCauseFunc // ends the attempt
	newConnections atomic.Int32
	connected      atomic.Bool // at least once
	responded      atomic.Bool // at least one byte
}

func (t *attemptTrace) clientTrace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			t.connected.Store(true)
			if !info.Reused && t.newConnections.Add(1) > maxNewConnections {
				t.abort(errRefusedStreams)
			}
		},
		GotFirstResponseByte: func() { t.responded.Store(true) },
	}
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

// logLimitWait logs a wait for the limits that the pacer has learned.
func (c *Client) logLimitWait(ctx context.Context, op operation, limits pacing.Limits, wait time.Duration) {
	fields := map[string]any{"waited_ms": wait.Milliseconds(), "max_in_flight": limits.InFlight}
	if limits.PerSecond > 0 {
		fields["requests_per_second"] = math.Round(limits.PerSecond*100) / 100
	}
	c.log(ctx, op, "Waited because of rate limits", fields)
}
