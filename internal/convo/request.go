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

// maxNewConnections is the number of new connections that one attempt can use,
// one for each redirect and some more. Without a limit, net/http dials as fast as
// an HTTP/2 server refuses requests (golang/go#52459).
const maxNewConnections = 2 * (maxRedirects + 1)

// operation is one operation with its arguments.
type operation struct {
	name   string // for errors: "read agent"
	method string
	path   string // escaped, appended to the base URL
	query  url.Values
	body   []byte
}

// get sends a read with a path of the given segments.
func (c *Client) get(ctx context.Context, name string, query url.Values, segments ...string) (*Response, error) {
	path, err := joinPath(segments...)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, operation{name: name, method: http.MethodGet, path: path, query: query})
}

// queryOf returns the query for the caller's parameters, which are sent
// unchanged.
func queryOf(parameters map[string]string) url.Values {
	query := url.Values{}
	for name, value := range parameters {
		query.Set(name, value)
	}
	return query
}

// do sends an operation until it succeeds, fails permanently or has no retries
// left, and returns the response. All requests use it. Its errors wrap a
// *ResponseError or a *TransportError, and the context's error if the context
// ended a wait.
func (c *Client) do(ctx context.Context, op operation) (*Response, error) {
	paced := &pacing.Request{Operation: op.name}
	var last error
	for attempt := 1; ; attempt++ {
		if err := c.acquire(ctx, op, paced); err != nil {
			if last == nil {
				return nil, c.transportError(op, err)
			}
			// The last attempt's error is more specific than the context's.
			return nil, fmt.Errorf("%w; not retried: %w", withAttempts(last, attempt-1), err)
		}
		response, err := c.attempt(ctx, op, attempt)
		result := resultOf(op.method, err)
		result.Retryable = result.Retryable && ctx.Err() == nil
		wait, retry := c.pacer.Release(paced, result)
		if !retry {
			return response, withAttempts(err, attempt)
		}
		fields := c.logFields(op)
		fields["attempt"], fields["wait_ms"] = attempt, wait.Milliseconds()
		c.config.Log(ctx, "Waiting before a retry", fields)
		last = err
	}
}

// acquire waits until the operation can be sent. The wait does not count toward
// the request timeout.
func (c *Client) acquire(ctx context.Context, op operation, paced *pacing.Request) error {
	start := time.Now()
	limits, err := c.pacer.Acquire(ctx, paced)
	if limits != nil {
		fields := c.logFields(op)
		fields["waited_ms"], fields["max_in_flight"] = time.Since(start).Milliseconds(), limits.InFlight
		if limits.PerSecond > 0 {
			fields["requests_per_second"] = math.Round(limits.PerSecond*100) / 100
		}
		c.config.Log(ctx, "Waited because of rate limits", fields)
	}
	return err
}

// resultOf classifies the error of an attempt for the pacer. A 503 counts as a
// refusal only with a Retry-After header.
func resultOf(method string, err error) pacing.Result {
	result := pacing.Result{Outcome: pacing.Failed, Retryable: retryable(method, err)}
	var response *ResponseError
	switch {
	case err == nil:
		result.Outcome = pacing.Accepted
	case errors.As(err, &response):
		result.RetryAfter = response.RetryAfter
		switch status := response.Status; {
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && response.RetryAfter > 0:
			result.Outcome = pacing.Refused
		case status < http.StatusInternalServerError:
			result.Outcome = pacing.Accepted
		}
	}
	return result
}

// retryable reports whether a failure can be temporary and the request can be
// sent again safely. A 429 has no effect, whatever the method. After any other
// failure, a POST may have taken effect unless no byte of it was sent.
func retryable(method string, err error) bool {
	var transport *TransportError
	var response *ResponseError
	switch {
	case errors.As(err, &transport):
		temporary := transport.Reason == ReasonConnection || transport.Reason == ReasonTimeout
		return temporary && (method == http.MethodGet || transport.NotSent)
	case errors.As(err, &response):
		switch response.Status {
		case http.StatusTooManyRequests:
			return true
		case http.StatusRequestTimeout, http.StatusTooEarly:
			return method == http.MethodGet
		case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
			return false
		}
		return method == http.MethodGet && response.Status >= http.StatusInternalServerError
	}
	return false
}

// logFields returns the fields that every log entry about an operation has.
func (c *Client) logFields(op operation) map[string]any {
	return map[string]any{"method": op.method, "path": c.secrets.redact(op.path)}
}

// attempt sends an operation once and logs the result.
func (c *Client) attempt(ctx context.Context, op operation, attempt int) (*Response, error) {
	start := time.Now()
	fields := c.logFields(op)
	fields["attempt"] = attempt
	response, err := c.roundTrip(ctx, op, fields)
	fields["duration_ms"] = time.Since(start).Milliseconds()
	var transport *TransportError
	if errors.As(err, &transport) {
		// Not a ResponseError, which quotes the body.
		fields["error"] = transport.Err.Error()
	}
	c.config.Log(ctx, "Sent a request", fields)
	return response, err
}

// roundTrip sends one request and reads the complete response. It adds details
// of the response to the log fields.
func (c *Client) roundTrip(caller context.Context, op operation, fields map[string]any) (*Response, error) {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	ctx, stop := context.WithTimeoutCause(ctx, c.config.RequestTimeout, &timeoutError{c.config.RequestTimeout})
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
	failed := func(err error) error {
		switch {
		case caller.Err() != nil:
			err = caller.Err() // Not its cause, which can be the error of another request.
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		}
		e := c.transportError(op, err)
		e.NotSent = !connected.Load() || errors.Is(err, errRefusedStreams)
		if e.Reason == ReasonTimeout || errors.Is(err, errRefusedStreams) {
			c.transports.discard(transport)
		}
		return e
	}
	request, err := c.newRequest(traced, op)
	if err != nil {
		return nil, failed(err)
	}
	response, err := (&http.Client{Transport: transport, CheckRedirect: checkRedirect}).Do(request)
	if err != nil {
		return nil, failed(reword(err, responded.Load()))
	}
	defer func() { _ = response.Body.Close() }()
	fields["status"] = response.StatusCode
	id := c.secrets.quote(requestID(response.Header), maxExcerpt)
	if id != "" {
		fields["request_id"] = id
	}
	if response.StatusCode != http.StatusOK {
		e := &ResponseError{
			Operation: op.name, URL: c.url(op), RequestID: id, Status: response.StatusCode,
			RetryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
		}
		e.read(readErrorBody(response), c.secrets)
		return nil, e
	}
	body, err := readBody(response)
	if err != nil {
		return nil, failed(err)
	}
	return &Response{Body: body, URL: c.url(op), RequestID: id, HasNext: hasNext(response.Header)}, nil
}

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
func (c *Client) url(op operation) string { return c.secrets.redact(c.baseURL + op.path) }

// transportError wraps the reason for a missing response. By default, nothing
// was sent.
func (c *Client) transportError(op operation, err error) *TransportError {
	return &TransportError{
		Operation: op.name, URL: c.url(op), NotSent: true,
		Reason: reasonFor(err), Err: c.secrets.quoteError(err),
	}
}
