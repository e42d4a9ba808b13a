// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	const limit = 1000
	tests := map[string]struct {
		size      int
		announced int64 // -1 for no length
		tooLarge  bool
	}{
		"empty":                     {0, 0, false},
		"at the limit":              {limit, limit, false},
		"at the limit, by pieces":   {limit, -1, false},
		"over the limit":            {limit + 1, limit + 1, true},
		"over the limit, by pieces": {limit + 1, -1, true},
		"far over the limit":        {1000 * limit, -1, true},
		"absurd length":             {limit, 1 << 62, false},
	}
	for name, test := range tests {
		want := strings.Repeat("x", test.size)
		body := strings.NewReader(want)
		response := &http.Response{Body: io.NopCloser(body), ContentLength: test.announced}
		got, err := readBody(response, limit)
		var tooLarge *tooLargeError
		if errors.As(err, &tooLarge) != test.tooLarge || !test.tooLarge && (err != nil || string(got) != want) {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
		if taken := test.size - body.Len(); taken > limit+1 {
			t.Errorf("%s: took %d bytes", name, taken)
		}
	}
}

// TestReserveOfABody holds that an announced length is reserved as the body
// arrives, and then to the byte: a body that grows by doubling takes three times
// its size.
func TestReserveOfABody(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 1000, 256 << 10, 5 << 20, 20 << 20} {
		body := io.NopCloser(io.LimitReader(zeroReader{}, int64(size)))
		got, err := readBody(&http.Response{Body: body, ContentLength: int64(size)}, maxBody)
		if err != nil || len(got) != size || cap(got) > size+8<<10 {
			t.Errorf("%d bytes: got %d in %d, %v", size, len(got), cap(got), err)
		}
	}
}

// zeroReader never ends.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
