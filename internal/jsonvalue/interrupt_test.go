// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// ending is a context that ends when it has been asked often enough.
type ending struct {
	context.Context
	asked, limit int
}

func (e *ending) Err() error {
	if e.asked++; e.asked > e.limit {
		return context.Canceled
	}
	return nil
}

const never = 1 << 30

// asked returns the number of times that a decoder checks its context.
func asked(t *testing.T, decoder *jsonvalue.Decoder, document string) int {
	t.Helper()
	ctx := &ending{Context: t.Context(), limit: never}
	if _, _, err := decoder.Decode(ctx, []byte(document)); err != nil {
		t.Fatal(err)
	}
	return ctx.asked
}

// Wherever decoding is when its context ends, it ends too, without another look
// at the context.
func TestDecodeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	const n = 1000
	numbered := func(format string) string {
		var elements []string
		for i := range n {
			elements = append(elements, fmt.Sprintf(format, i*7919%n))
		}
		return strings.Join(elements, ",")
	}
	sorted := jsonvalue.Options{SortBy: map[string][]string{"notes": {"text"}}}
	// Each value is a step of each pass through the document, and so is each
	// comparison. A look at the context is due every 256 steps.
	tests := map[string]struct {
		options  jsonvalue.Options
		document string
		steps    int
	}{
		"what no attribute takes": {document: `{"more":[` + numbered("%d") + `]}`, steps: n},
		"a typed list":            {document: `{"tags":[` + numbered(`"%d"`) + `]}`, steps: 2 * n},
		"a list of objects":       {document: `{"notes":[` + numbered(`{"x":%d}`) + `]}`, steps: 5 * n},
		"an array as JSON":        {document: `{"nodes":[` + numbered("%d") + `]}`, steps: 2 * n},
		"an object as JSON":       {document: `{"nodes":{` + numbered(`"%d":1`) + `}}`, steps: 2*n + 8*n},
		"sorting by key":          {options: sorted, document: `{"notes":[` + numbered(`{"text":"%d"}`) + `]}`, steps: 5*n + 8*n},
		"sorting by text":         {options: sorted, document: `{"notes":[` + numbered(`{"x":%d}`) + `]}`, steps: 5*n + 2*n + 8*n},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decoder := decoderOf(t, thing, test.options)
			looks := asked(t, decoder, test.document)
			if least := test.steps / 256; looks < least {
				t.Errorf("looked at the context %d times, want at least %d", looks, least)
			}
			for limit := range looks {
				ctx := &ending{Context: t.Context(), limit: limit}
				if _, _, err := decoder.Decode(ctx, []byte(test.document)); !errors.Is(err, context.Canceled) || ctx.asked != limit+1 {
					t.Fatalf("got %v after %d looks, want the context's error after %d", err, ctx.asked, limit+1)
				}
			}
		})
	}
}

// A context that has ended before ends even the shortest work.
func TestDecodeAfterTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := decoderOf(t, thing, jsonvalue.Options{}).Decode(ctx, []byte(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// An array that is only counted is passed over step by step, too.
func TestCountingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	decoder := decoderOf(t, objectOf(types{"nodes_count": tftypes.Number}), jsonvalue.Options{})
	if looks := asked(t, decoder, `{"nodes":[`+strings.Repeat("1,", 2559)+`1]}`); looks < 20 {
		t.Errorf("looked at the context %d times", looks)
	}
}

// Elements without anything to sort by are compared by their text, which is
// made once for each of them.
func TestSortingTakesEachTextOnce(t *testing.T) {
	t.Parallel()
	const n = 5000
	var elements []string
	for i := range n {
		elements = append(elements, fmt.Sprintf(`{"a":1,"b":2,"c":3,"d":4,"x":%d}`, i*7919%n))
	}
	decoder := decoderOf(t, thing, jsonvalue.Options{SortBy: map[string][]string{"notes": {"text"}}})
	// Three passes of seven steps, and about log2(n) comparisons.
	most := n * (3*7 + 16) / 256
	if looks := asked(t, decoder, `{"notes":[`+strings.Join(elements, ",")+`]}`); looks > most {
		t.Errorf("looked at the context %d times, want at most %d", looks, most)
	}
}
