// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Limits on the body of a response. A decoded value takes up to 100 times the memory of
// its JSON text, and compression makes many equal values a short response. Therefore,
// the size alone is no limit.
const (
	maxBody      = 64 << 20 // bytes of a 200
	maxErrorBody = 1 << 20  // bytes of any other response
	maxValues    = 2_000_000
)

// readBody reads the complete body of a 200.
func readBody(body io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err != nil: // The error of net/http can quote the body.
		return nil, &Error{
			Reason:      ReasonIncomplete,
			Problem:     fmt.Sprintf("the response ended prematurely, after %d bytes", len(content)),
			IsTemporary: true,
		}
	case len(content) > maxBody:
		return nil, &Error{Reason: ReasonInvalid, Problem: "the response is larger than 64 MiB"}
	case countValues(content) > maxValues:
		return nil, &Error{Reason: ReasonInvalid, Problem: "the response contains more than 2,000,000 values"}
	}
	return content, nil
}

// countValues returns the number of values in a JSON text. It counts an empty array or
// object as one value more.
func countValues(text []byte) int {
	count := 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			inString = !inString
		case '\\':
			i++ // the escaped character
		case '[', '{', ',':
			if !inString {
				count++
			}
		}
	}
	return count
}
