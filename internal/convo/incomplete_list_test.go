// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestSignsOfMore(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		// A next page
		`"nextCursor":"abc"`:                    "the field nextCursor",
		`"next_page":2`:                         "the field next_page",
		`"nextToken":1,"NEXT-PAGE-TOKEN":1`:     "the field NEXT-PAGE-TOKEN, the field nextToken",
		`"next":{"href":"/v1/agents?page=2"}`:   "the field next",
		`"next":["a"],"nextLink":true`:          "the field next, the field nextLink",
		`"next_page_url":"/v1/agents?page=2"`:   "the field next_page_url",
		`"@odata.nextLink":"https://a.example"`: "the field @odata.nextLink",
		`"continuationToken":"\u0061"`:          "the field continuationToken",
		`"metadata":{"continue":"abc"}`:         "the field metadata.continue",
		`"LastEvaluatedKey":{"id":"a"}`:         "the field LastEvaluatedKey",
		`"next":0,"nextPage":-1,"nextUrl":"-1"`: "",
		`"nextPageToken":"","nextToken":null,"nextPage":false,"nextCursor":"null","next_url":"False"`: "",
		`"next":[ ],"nextPage":{ },"nextToken":[],"nextCursor":{},"nextLink":" "`:                     "",
		// The position of this page is not the next one.
		`"cursor":"b","endCursor":"c","page":1,"offset":0,"limit":50,"prev":"a","self":"b"`: "",
		`"cursors":{"before":"a","after":"b"}`:                                              "",
		`"nextBillingAt":"2027-01-01","requestId":"abc"`:                                    "",
		// Flags
		`"hasMore":true`:           "the field hasMore",
		`"hasNextPage":true`:       "the field hasNextPage",
		`"hasNext":"True"`:         "the field hasNext",
		`"IsTruncated":true`:       "the field IsTruncated",
		`"hasMore":false,"more":1`: "",
		// Totals, with one element
		`"total":2`:                                   "the field total",
		`"total":"2"`:                                 "the field total",
		`"count":1.5e0`:                               "the field count",
		`"totalPages":2`:                              "the field totalPages",
		`"page":1,"pages":"3"`:                        "the field pages",
		`"page":0,"total_pages":2`:                    "the field total_pages",
		`"page":2,"total_pages":3`:                    "the field total_pages",
		`"@odata.count":2`:                            "the field @odata.count",
		`"total":1,"count":0,"totalCount":"many"`:     "",
		`"total":[2],"count":null,"totalPages":[2]`:   "",
		`"total":{"value":2},"totalItems":true`:       "",
		`"total":-1,"totalPages":-1,"totalSize":"-1"`: "",
		`"page":0,"totalPages":1`:                     "",
		// Objects
		`"meta":{"totalCount":250,"page":1}`:             "the field meta.totalCount",
		`"meta":{"currentPage":1,"totalPages":2}`:        "the field meta.totalPages",
		`"pagination":{"total":"250","count":1}`:         "the field pagination.total",
		`"Page_Info":{"hasNextPage":true}`:               "the field Page_Info.hasNextPage",
		`"_links":{"self":{},"next":{"href":"?page=2"}}`: "the field _links.next",
		`"page":{"number":0,"totalPages":3},"last":true`: "the field page.totalPages",
		`"cursor":{"after":null,"next":"x"}`:             "the field cursor.next",
		`"cursors":{"next":"x"},"a_next":1,"next":1`:     "the field cursors.next, the field next",
		`"meta":{"pagination":{"total":2}}`:              "the field meta.pagination.total",
		`"links":{"next":null},"paging":{},"meta":[]`:    "",
		`"quota":{"total":250},"usage":{"total":250}`:    "",
		`"meta":{"quota":{"total":250}}`:                 "",
		`"a":{"next":1},"data":{"hasMore":true}`:         "",
		`"meta":[{"total":250}],"links":"next"`:          "",
		`"code":"C","message":"m"`:                       "",
		// Errors
		`"code":"C","message":"m","issues":[{"message":"A"}]`:                  "the field issues",
		`"error":{"code":"FORBIDDEN"},"errors":[{}]`:                           "the field error, the field errors",
		`"meta":{"error":"timeout"},"statusCode":503,"partial":true`:           "the field meta.error, the field partial",
		`"status":"ok","code":200,"success":true,"error":"None","errors":"OK"`: "",
		`"code":"0","errors":[],"error":"","message":"success","status":1000`:  "",
		// A name comes from the service, and is shown like its other texts.
		`"next` + strings.Repeat("_", 2000) + `":1`: "the field next" + strings.Repeat("_", 986) + "…",
	} {
		t.Run(fields[:min(len(fields), 100)], func(t *testing.T) {
			t.Parallel()
			requireSigns(t, nil, fields, want)
		})
	}
}

func TestSignsOfMoreInHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"X-Total-Count: 2":                            "the header X-Total-Count",
		"X-Total: 2":                                  "the header X-Total",
		"X-Next-Page: 2":                              "the header X-Next-Page",
		"X-Total-Pages: 2":                            "the header X-Total-Pages",
		"X-Has-More: true":                            "the header X-Has-More",
		"Total-Count: 2":                              "the header Total-Count",
		"X-Ms-Continuation: abc":                      "the header X-Ms-Continuation",
		"X-Page: 1; X-Total-Pages: 2":                 "the header X-Total-Pages",
		"Link: <?page=2>; X-Next-Page: 2":             "the header X-Next-Page",
		`X-Total: 2; X-Next-Page: 2; Link: <?page=2>`: "the header X-Next-Page, the header X-Total",
		"X-Total-Count: 1; X-Total-Pages: 1":          "",
		"X-Next-Page: ; X-Has-More: false":            "",
		"Content-Range: 0-0/*":                        "",
		"X-Ratelimit-Total: 5; X-Request-Count: 100":  "",
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			headers := http.Header{}
			for line := range strings.SplitSeq(header, "; ") {
				name, value, _ := strings.Cut(line, ": ")
				headers.Add(name, value)
			}
			requireSigns(t, headers, `"total":1`, want)
		})
	}
}

// requireSigns requires the signs in a response with one agent and the given headers
// and fields.
func requireSigns(t *testing.T, headers http.Header, fields, want string) {
	t.Helper()
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), headers)
		_, _ = io.WriteString(w, `{"agents":[{"id":"a"}],`+fields+"}")
	}))
	agents, err := newClient(t, convo.Config{BaseURL: server.URL}).Agents(testContext(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(agents.SignsOfMore, ", "); got != want {
		t.Errorf("got %q, want %q", got, want)
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
			response, err := newClient(t, convo.Config{BaseURL: server.URL}).Agent(testContext(t), "agt_1", nil)
			if err != nil || response.HasNext() != test.want {
				t.Errorf("got %+v, %v; want %t", response, err, test.want)
			}
		})
	}
}
