// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// Limits on what is read of an answer, in bytes.
const (
	maxAnswer      = 64 << 20
	maxErrorAnswer = 64 << 10
)

// call is one operation with its arguments.
type call struct {
	operation string // for errors: "read agent"
	method    string
	path      string // escaped, appended to the base URL
	query     url.Values
	body      []byte
}

// Response is a 200.
type Response struct {
	// Body is what the service returned, which need not be JSON.
	Body []byte
}

// get sends a read whose path is made of the given segments.
func (c *Client) get(ctx context.Context, operation string, query url.Values, segments ...string) (*Response, error) {
	path, err := joinPath(segments...)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, call{operation: operation, method: http.MethodGet, path: path, query: query})
}

// joinPath escapes every segment, so that an id stays one segment whatever
// characters it has.
func joinPath(segments ...string) (string, error) {
	var path []byte
	for _, segment := range segments {
		if err := CheckID(segment); err != nil {
			return "", err
		}
		path = append(append(path, '/'), url.PathEscape(segment)...)
	}
	return string(path), nil
}

// do sends a call until it succeeds, fails for good or runs out of retries,
// and returns the body of the 200. All HTTP of the provider goes through here.
// Its errors have an *ResponseError or a *TransportError in them, and the context's
// error when that ended a wait.
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
		tflog.Debug(ctx, "Waiting to send the request again", map[string]any{
			"method": call.method, "path": call.path, "attempt": attempt, "wait_ms": wait.Milliseconds(),
		})
		turn.notBefore = time.Now().Add(wait)
	}
}

// gaveUp is the error of a call whose wait was ended by the context. The last
// answer, if there was any, says more than that.
func (c *Client) gaveUp(call call, last error, attempts int, cause error) error {
	if last == nil {
		return c.transportError(call, cause)
	}
	return fmt.Errorf("%w; not sent again: %w", withAttempts(last, attempts), cause)
}

// admit waits until the limits allow to send the call. The wait is no part of
// the request timeout.
func (c *Client) admit(ctx context.Context, call call, turn *turn) error {
	start := time.Now()
	limits, err := c.limiter.admit(ctx, turn)
	if limits.learned {
		fields := map[string]any{
			"method": call.method, "path": call.path, "waited_ms": time.Since(start).Milliseconds(),
			"max_in_flight": limits.inFlight,
		}
		if limits.perSecond > 0 {
			fields["requests_per_second"] = math.Round(limits.perSecond*100) / 100
		}
		tflog.Debug(ctx, "Waited for a limit of the service", fields)
	}
	return err
}

// attempt sends a call once and logs how it went.
func (c *Client) attempt(ctx context.Context, call call, attempt int) (*Response, error) {
	start := time.Now()
	status, response, err := c.roundTrip(ctx, call)
	fields := map[string]any{
		"method": call.method, "path": call.path, "attempt": attempt,
		"duration_ms": time.Since(start).Milliseconds(),
	}
	if status != 0 {
		fields["status"] = status
	}
	var transport *TransportError
	if errors.As(err, &transport) {
		// Not the error of an answer, which quotes the body.
		fields["error"] = transport.Err.Error()
	}
	tflog.Debug(ctx, "Sent a request", fields)
	return response, err
}

// roundTrip is one exchange, from dial to the last byte of the answer.
// The status is 0 when no answer arrived.
func (c *Client) roundTrip(ctx context.Context, call call) (int, *Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.requestTimeout, &timeoutError{c.requestTimeout})
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, call.method, c.baseURL+call.path, bytes.NewReader(call.body))
	if err != nil {
		return 0, nil, c.transportError(call, err)
	}
	request.URL.RawQuery = call.query.Encode()
	request.Header = c.header.Clone()
	if call.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}

	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, c.transportError(call, cause(ctx, err))
	}
	defer func() { _ = response.Body.Close() }()

	if response.StatusCode != http.StatusOK {
		var body []byte
		if response.StatusCode != http.StatusSwitchingProtocols {
			// What arrived of a broken error body still says more than nothing.
			// After a 101 it is the bare connection, which no timeout ends.
			body, _ = io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
		}
		return response.StatusCode, nil, newError(call.operation, response, body, c.secrets)
	}
	body, err := readAnswer(response, maxAnswer)
	if err != nil {
		return response.StatusCode, nil, c.transportError(call, cause(ctx, err))
	}
	return response.StatusCode, &Response{Body: body}, nil
}

// readAnswer reads the body of a 200, which may have at most limit bytes.
func readAnswer(response *http.Response, limit int64) ([]byte, error) {
	var body bytes.Buffer
	if size := response.ContentLength; size > 0 && size <= limit {
		// One more than ReadFrom's own reserve saves it from growing at the end.
		body.Grow(int(size) + bytes.MinRead + 1)
	}
	_, err := body.ReadFrom(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(body.Len()) > limit {
		err = &tooLargeError{limit}
	}
	if err == nil && endsWithConnection(response) && beginsAsJSON(body.Bytes()) && !json.Valid(body.Bytes()) {
		// Nothing but the JSON itself tells that such an answer is cut off.
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the connection was closed in the middle of the answer, after %d bytes", body.Len())
	}
	return body.Bytes(), err
}

// transportError wraps what kept an answer from arriving.
func (c *Client) transportError(call call, err error) error {
	return &TransportError{Operation: call.operation, Reason: reasonFor(err), Err: c.secrets.quoteError(plain(err))}
}

// endsWithConnection says whether nothing but the end of the connection marks
// the end of the body.
func endsWithConnection(response *http.Response) bool {
	return response.ProtoMajor == 1 && response.ContentLength < 0 && len(response.TransferEncoding) == 0 && !response.Uncompressed
}

// cause prefers what ended the context over what net/http made of it. The
// cause of a caller's own context is none of the client's: it can be the error
// of another request.
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

// plain strips the method and URL that net/http puts before its errors, since
// the operation says the same and a URL can carry query values, and puts into
// words what Go says in terms of its own.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return &wordsError{fmt.Sprintf("the host %q cannot be found", dns.Name), err}
	case errors.Is(err, io.EOF):
		return &wordsError{"the connection was closed before an answer arrived", err}
	}
	return err
}

// wordsError says in other words what an error of net/http means.
type wordsError struct {
	words string
	err   error
}

func (e *wordsError) Error() string { return e.words }
func (e *wordsError) Unwrap() error { return e.err }
