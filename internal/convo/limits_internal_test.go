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
