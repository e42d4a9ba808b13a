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
	"time"
)

// Limits on the body of a response. A decoded value takes up to 100 times the memory of
// its JSON text, and compression makes many equal values a short response. Therefore,
// the size alone is no limit.
const (
	maxBody      = 64 << 20 // bytes of a 200
	maxErrorBody = 1 << 20  // bytes of any other response
	maxValues    = 2_000_000
	maxElements  = 100_000 // of one array, or members of one object

	// A response with more bytes or values is large. Of these, only one is in memory at
	// a time. A typical definition reaches both at 2 MB.
	largeBody, largeValues = 2 << 20, 125_000
)

// readErrorBody reads as much as arrives of the body of an error, because it can contain
// the reason. After a 101, the body is the connection itself, which has no timeout.
func readErrorBody(response *http.Response) []byte {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	return body
}

// readBody reads the complete body of a 200. If it is large, it takes the place of the
// only large response, also if it fails. The wait for that does not count towards the
// timeout, which begins again after it.
func (c *Client) readBody(ctx context.Context, response *http.Response, timeout *time.Timer) (body []byte, isLarge bool, err error) {
	m := &meter{reserve: func() error {
		timeout.Stop()
		select {
		case c.large <- struct{}{}:
			timeout.Reset(c.config.RequestTimeout)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	// Most responses have too few bytes to reach a limit, and need no meter.
	body, err = io.ReadAll(io.LimitReader(response.Body, maxElements))
	if err == nil && len(body) == maxElements {
		body, err = io.ReadAll(io.TeeReader(io.MultiReader(bytes.NewReader(body), response.Body), m))
	}
	if err != nil && !errors.As(err, new(*reasonError)) {
		// The error of net/http can quote the body.
		err = &reasonError{ReasonIncomplete, fmt.Sprintf("the response ended prematurely, after %d bytes", len(body))}
	}
	return body, m.isLarge, err
}

// release makes the place of a large response free for the next one.
func (c *Client) release(isLarge bool) {
	if isLarge {
		<-c.large
	}
}

// meter counts what the JSON text written to it contains, and fails if that is more
// than the limits allow. It counts an empty array or object as one value more.
type meter struct {
	reserve                   func() error
	isLarge                   bool
	bytes, values             int
	open                      []int // elements or members of the open arrays and objects, up to now
	isInString, isAfterEscape bool
}

func (m *meter) Write(text []byte) (int, error) {
	for _, c := range text {
		switch {
		case m.isAfterEscape:
			m.isAfterEscape = false
		case m.isInString:
			m.isInString = c != '"'
			m.isAfterEscape = c == '\\'
		case c == '"':
			m.isInString = true
		case c == '[', c == '{':
			m.open = append(m.open, 1)
			m.values++
		case len(m.open) == 0:
		case c == ']', c == '}':
			m.open = m.open[:len(m.open)-1]
		case c == ',':
			m.values++
			m.open[len(m.open)-1]++
			if m.open[len(m.open)-1] > maxElements {
				return 0, tooLarge("the response contains an array or object with more than 100,000 elements")
			}
		}
	}
	m.bytes += len(text)
	switch {
	case m.bytes > maxBody:
		return 0, tooLarge("the response is larger than 64 MiB")
	case m.values > maxValues:
		return 0, tooLarge("the response contains more than 2,000,000 values")
	case !m.isLarge && (m.bytes > largeBody || m.values > largeValues):
		if err := m.reserve(); err != nil {
			return 0, err
		}
		m.isLarge = true
	}
	return len(text), nil
}

func tooLarge(text string) error { return &reasonError{ReasonTooLarge, text} }
