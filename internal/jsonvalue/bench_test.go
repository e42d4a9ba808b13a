// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

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
	typ := objectOf(types{"items": listOf(objectOf(types{
		"id": tftypes.String, "name": tftypes.String, "icon": tftypes.String, "description": tftypes.String, "url": tftypes.String,
		"is_published": tftypes.Bool, "published_at": tftypes.String, "owner_id": tftypes.String, "tags": listOf(tftypes.String),
		"created_at": tftypes.String, "updated_at": tftypes.String, "version": tftypes.Number,
	}))})
	benchmark(b, typ, `{"items":[`+strings.Join(items, ",")+`]}`)
}

// One document of 1.5 MB that is taken as JSON text, typed and whole, as a
// large definition is.
func BenchmarkDecodeDefinition(b *testing.B) {
	var nodes []string
	for i := range 4_500 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"node-%d","type":"text","title":"Question %d","graphCoordinates":{"x":%d.5,"y":-%d},`+
			`"items":[{"id":"item-%d","content":"What do you think of \"product %d\"?\nTell us more, in a few words.","isRequired":true,`+
			`"options":{"longAnswer":false,"placeholder":"Type your text","variableId":null}}],"outgoingEdgeId":"edge-%d"}`,
			i, i, i%100, i%77, i, i, i))
	}
	typ := objectOf(types{
		"agent":      objectOf(types{"graph": objectOf(types{"nodes_json": tftypes.String, "nodes#count": tftypes.Number})}),
		"agent_json": tftypes.String,
	})
	benchmark(b, typ, `{"agent":{"graph":{"nodes":[`+strings.Join(nodes, ",")+`]}}}`)
}

// benchmark reports how long decoding takes as a multiple of the time that
// encoding/json takes to decode the document into any.
func benchmark(b *testing.B, typ tftypes.Object, document string) {
	b.Helper()
	decoder, err := jsonvalue.NewDecoder(typ)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	var floor time.Duration
	for b.Loop() {
		if _, _, err := decoder.Decode([]byte(document)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		start := time.Now()
		var value any
		if err := json.Unmarshal([]byte(document), &value); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(floor), "times-any")
}
