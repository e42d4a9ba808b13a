// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"fmt"
	"io"
	"net/http"
)

// Limits on the body of a response. A decoded value takes up to 100 times the memory of
// its JSON text, and compression makes many equal values a short response. Therefore,
// the size alone is no limit.
const (
	maxBody      = 64 << 20 // bytes of a 200
	maxErrorBody = 1 << 20  // bytes of any other response
	maxValues    = 2_000_000
	maxElements  = 100_000 // of one array, or members of one object
)

// readBody reads the complete body of a 200.
func readBody(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		// The error of net/http can quote the body.
		return nil, &reasonError{ReasonIncomplete, fmt.Sprintf("the response ended prematurely, after %d bytes", len(body))}
	}
	if len(body) > maxBody {
		return nil, tooLarge("the response is larger than 64 MiB")
	}
	return body, checkValues(body)
}

// checkValues fails if a JSON text contains more values than the limits allow. It counts
// an empty array or object as one value more.
func checkValues(text []byte) error {
	values := 0
	var open []int // elements or members of the open arrays and objects, up to now
	for i := 0; i < len(text); i++ {
		last := len(open) - 1
		switch text[i] {
		case '"':
			i = endOfString(text, i)
		case '[', '{':
			open = append(open, 1)
			values++
		case ']', '}':
			open = open[:max(0, last)]
		case ',':
			if last < 0 {
				continue // This is not JSON.
			}
			values++
			open[last]++
			if open[last] > maxElements {
				return tooLarge("the response contains an array or object with more than 100,000 elements")
			}
		}
		if values > maxValues {
			return tooLarge("the response contains more than 2,000,000 values")
		}
	}
	return nil
}

// endOfString returns the position of the quotation mark that closes the string at start,
// or the end of the text.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

func tooLarge(text string) error { return &reasonError{ReasonTooLarge, text} }
