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

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// call is one operation with its arguments.
type call struct {
	operation string // for errors: "read agent"
	method    string
	path      string // escaped, appended to the base URL
	query     url.Values
	body      []byte
}

// get sends a read with a path of the given segments.
func (c *Client) get(ctx context.Context, operation string, query url.Values, segments ...string) (*Response, error) {
	path, err := joinPath(segments...)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, call{operation: operation, method: http.MethodGet, path: path, query: query})
}

// do sends a call until it succeeds, fails permanently or has no retries left,
// and returns the response. All requests of the provider use it. Its errors
// wrap a *ResponseError or a *TransportError, and the context's error if the
// context ended a wait.
func (c *Client) do(ctx context.Context, call call) (*Response, error) {
	ctx = c.secrets.mask(ctx)
	turn := &turn{operation: call.operation}
	var tries tries
	var last error
	for attempt := 1; ; attempt++ {
		if err := c.admit(ctx, call, turn); err != nil {
			return nil, c.gaveUp(call, last, attempt-1, err)
		}
		response, err := c.attempt(ctx, call, attempt)
		refusal := c.limiter.release(turn, outcomeOf(err), retryAfterOf(err) > 0)
		if err == nil {
			return response, nil
		}
		last = err
		wait, again := c.retry.next(call.method, &tries, err, refusal)
		if !again || ctx.Err() != nil {
			if outcomeOf(err) == outcomeRefused {
				c.limiter.giveUp(turn)
			}
			return nil, withAttempts(err, attempt)
		}
		fields := c.logFields(call)
		fields["attempt"], fields["wait_ms"] = attempt, wait.Milliseconds()
		tflog.Debug(ctx, "Waiting before a retry", fields)
		turn.notBefore = time.Now().Add(wait)
	}
}

// gaveUp returns the error of a call whose wait was ended by the context. It
// contains the error of the last attempt, if any, because that is more
// specific.
func (c *Client) gaveUp(call call, last error, attempts int, cause error) error {
	if last == nil {
		return c.transportError(call, cause)
	}
	return fmt.Errorf("%w; not retried: %w", withAttempts(last, attempts), cause)
}

// admit waits until the limits permit the call. The wait does not count toward
// the request timeout.
func (c *Client) admit(ctx context.Context, call call, turn *turn) error {
	start := time.Now()
	limits, err := c.limiter.admit(ctx, turn)
	if limits.learned {
		fields := c.logFields(call)
		fields["waited_ms"], fields["max_in_flight"] = time.Since(start).Milliseconds(), limits.inFlight
		if limits.perSecond > 0 {
			fields["requests_per_second"] = math.Round(limits.perSecond*100) / 100
		}
		tflog.Debug(ctx, "Waited because of rate limits", fields)
	}
	return err
}

// logFields returns the fields that every log entry about a call has. A secret
// in the path can be escaped, which the mask of the log does not cover.
func (c *Client) logFields(op call) map[string]any {
	return map[string]any{"method": op.method, "path": c.secrets.redact(op.path)}
}

// attempt sends a call once and logs the result.
func (c *Client) attempt(ctx context.Context, op call, attempt int) (*Response, error) {
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
	tflog.Debug(ctx, "Sent a request", fields)
	return response, err
}

// roundTrip sends one request and reads the complete response. It adds details
// of the response to the log fields.
func (c *Client) roundTrip(ctx context.Context, op call, fields map[string]any) (*Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.requestTimeout, &timeoutError{c.requestTimeout})
	defer cancel()

	var connected, responded atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { connected.Store(true) },
		GotFirstResponseByte: func() { responded.Store(true) },
	})
	transport := c.connections.forMethod(op.method)
	failed := func(err error) error {
		e := c.transportError(op, cause(ctx, err))
		e.NotSent = e.Reason == ReasonNeedsTLS || !connected.Load()
		if e.Reason == ReasonTimeout {
			c.connections.abandon(transport)
		}
		return e
	}
	request, err := c.newRequest(traced, op)
	if err != nil {
		return nil, failed(err)
	}
	response, err := (&http.Client{Transport: transport, CheckRedirect: checkRedirect}).Do(request)
	if err != nil {
		if connected.Load() && c.needTLS(ctx, request) {
			err = errNeedsTLS
		}
		return nil, failed(explain(err, responded.Load()))
	}
	defer func() { _ = response.Body.Close() }()
	fields["status"] = response.StatusCode
	id := c.secrets.quote(requestID(response.Header), maxExcerpt)
	if id != "" {
		fields["request_id"] = id
	}

	if response.StatusCode != http.StatusOK {
		e := newError(op.operation, response, readErrorBody(response), c.secrets)
		if e.Status == http.StatusBadRequest && e.Code == "" && c.needTLS(ctx, request) {
			return nil, failed(errNeedsTLS)
		}
		c.spoken.Store(true)
		e.URL, e.RequestID = c.url(op), id
		return nil, e
	}
	c.spoken.Store(true)
	body, err := readBody(response, maxBody)
	if err != nil {
		return nil, failed(err)
	}
	return &Response{Body: body, URL: c.url(op), RequestID: id, HasNext: hasNext(response.Header)}, nil
}

func (c *Client) newRequest(ctx context.Context, op call) (*http.Request, error) {
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

// needTLS reports whether a request without a response, or with a 400 that is
// not the service's own, was sent to a port that expects TLS. It does not check
// this if the service has sent a response before.
func (c *Client) needTLS(ctx context.Context, request *http.Request) bool {
	return !c.spoken.Load() && c.connections.needTLS(ctx, request.URL)
}

// url returns the URL of a call for messages. It omits the query, because its
// values are the user's.
func (c *Client) url(op call) string { return c.secrets.redact(c.baseURL + op.path) }

// transportError wraps the reason for a missing response. By default, nothing
// was sent.
func (c *Client) transportError(op call, err error) *TransportError {
	return &TransportError{
		Operation: op.operation, URL: c.url(op), NotSent: true,
		Reason: reasonFor(err), Err: c.secrets.quoteError(err),
	}
}

// cause returns the reason for the end of the client's context instead of the
// error of net/http. It ignores the cause of the caller's context, which can be
// the error of another request.
func cause(ctx context.Context, err error) error {
	var timeout *timeoutError
	if errors.As(context.Cause(ctx), &timeout) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return timeout
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
