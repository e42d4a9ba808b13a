// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestSignsOfMore(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		`"nextCursor":"abc"`:                      "the field nextCursor",
		`"next_page":2`:                           "the field next_page",
		`"nextToken":1,"NEXT-PAGE-TOKEN":1`:       "the field NEXT-PAGE-TOKEN, the field nextToken",
		`"cursor":{"after":null,"next":"x"}`:      "the field cursor.next",
		`"cursor":"b"`:                            "the field cursor",
		`"hasMore":true`:                          "the field hasMore",
		`"hasNextPage":true`:                      "the field hasNextPage",
		`"total":2`:                               "the field total",
		`"count":1.5e0`:                           "the field count",
		`"meta":{"totalCount":250,"page":1}`:      "the field meta.totalCount",
		`"meta":{"currentPage":1,"totalPages":2}`: "the field meta.totalPages",
		`"b":{"next":1},"a":{"next":1,"total":2}`: "the field a.next, the field a.total, the field b.next",
		// A name comes from the service, and is shown like its other texts.
		`"` + testToken + `":{"next":1}`:                          "the field ***.next",
		`"hasMore":false,"hasNext":"true"`:                        "",
		`"nextPageToken":"","nextToken":null,"nextPage":false`:    "",
		`"next":0,"paging":{}`:                                    "",
		`"total":1,"count":0,"total_pages":1,"totalCount":"many"`: "",
		`"total":"2","count":null,"totalPages":[2],"meta":[]`:     "",
		`"nextBillingAt":"2027-01-01","page":1,"requestId":"abc"`: "",
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			response := newClient(t, convo.Config{BaseURL: "http://127.0.0.1"}).ResponseWith(`{"agents":[{"id":"a"}],` + fields + "}")
			var body struct {
				Agents []struct{}                `json:"agents"`
				Rest   map[string]jsontext.Value `json:",embed"`
			}
			if err := response.Decode(&body); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(response.SignsOfMore(len(body.Agents), body.Rest), ", "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestHasNext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		links []string
		want  bool
	}{
		"none":               {nil, false},
		"quoted":             {[]string{`<https://svc.example/v1/agents?page=2>; rel="next"`}, true},
		"not quoted":         {[]string{`<?page=2>;rel=next`}, true},
		"upper case, spaces": {[]string{` <?page=2> ; REL = "NEXT" `}, true},
		"several relations":  {[]string{`<?page=2>; rel="last  next"`}, true},
		"several links":      {[]string{`<?page=1>; rel="prev", <?page=2>; rel="next"`}, true},
		"several headers":    {[]string{`<?page=1>; rel=prev`, `<?page=2>; rel=next`}, true},
		"other parameters":   {[]string{`<?page=2>; title="a, b; c"; rel=next; type=x`}, true},
		"tabs":               {[]string{"<?page=2>;\trel\t=\t\"last\tnext\""}, true},
		"mixed case":         {[]string{`<?page=2>; Rel=Next`}, true},
		"without a value":    {[]string{`<?page=2>; crossorigin; rel=next; nopush`}, true},
		"special characters": {[]string{`<?page=2>; title="<b"; rel="next"`}, true},
		"after a comma":      {[]string{`<?page=1,2>; rel=first,<?page=2>;rel=next,<?page=9>;rel=last`}, true},
		"part of a name":     {[]string{`<?page=2>; xrel=next; rev=next; rel-x=next`}, false},
		"a title":            {[]string{`<?page=2>; title="next"; rel=prev`}, false},
		"empty":              {[]string{"", "<", `<>; rel=""`}, false},
		"another relation":   {[]string{`<?page=2>; rel="prev"`}, false},
		"part of a relation": {[]string{`<?page=2>; rel="next-archive"`}, false},
		"in the URL":         {[]string{`<?rel=next;rel="next">; rel=self`}, false},
		"in another URL":     {[]string{`<?page=1>; rel=prev, <?a;rel=next;b>; rel=last`}, false},
		"no relation":        {[]string{`<?page=2>`}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Link"] = test.links
				_, _ = io.WriteString(w, "{}")
			}))
			response, err := newClient(t, convo.Config{BaseURL: server.URL}).Agents(testContext(t), nil)
			if err != nil || response.HasNext() != test.want {
				t.Errorf("got %+v, %v; want %t", response, err, test.want)
			}
		})
	}
}
