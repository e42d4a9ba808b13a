// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/benchtest"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// Many small objects, as in the list of agents.
func BenchmarkDecodeList(b *testing.B) {
	var items []string
	for i := range 10_000 {
		items = append(items, fmt.Sprintf(`{"id":"item-%d","name":"Customer survey %d","icon":null,"description":"",`+
			`"url":"https://convo.example/items/%d","isPublished":%t,"publishedAt":"2026-01-02T03:04:05.678Z","ownerId":"own-%d",`+
			`"tags":["sales","europe"],"createdAt":"2025-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z","version":%d}`,
			i, i, i, i%2 == 0, i%7, i%9))
	}
	type item struct {
		ID          *string    `json:"id"`
		Name        *string    `json:"name"`
		Icon        *string    `json:"icon"`
		Description *string    `json:"description"`
		URL         *string    `json:"url"`
		IsPublished *bool      `json:"isPublished"`
		PublishedAt *string    `json:"publishedAt"`
		OwnerID     *string    `json:"ownerId"`
		Tags        []*string  `json:"tags"`
		CreatedAt   *string    `json:"createdAt"`
		UpdatedAt   *string    `json:"updatedAt"`
		Version     *big.Float `json:"version"`
	}
	benchmark[struct {
		Items []item `json:"items"`
	}](b, `{"items":[`+strings.Join(items, ",")+`]}`, 1.6)
}

// benchmark compares decoding with encoding/json, which decodes into any.
func benchmark[T any](b *testing.B, document string, limit float64) {
	b.Helper()
	decode := func() {
		if err := jsonvalue.Decode([]byte(document), new(T)); err != nil {
			b.Fatal(err)
		}
	}
	floor := func() {
		var value any
		if err := json.Unmarshal([]byte(document), &value); err != nil {
			b.Fatal(err)
		}
	}
	benchtest.Compare(b, decode, floor, limit)
}
