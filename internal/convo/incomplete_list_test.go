// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

func TestDoubt(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		// A next page
		`"nextCursor":"abc"`:                  "the field nextCursor",
		`"next":{"href":"/v1/agents?page=2"}`: "the field next",
		`"next":0,"nextPage":-1,"nextPageToken":"","nextToken":null,"nextLink":false,"nextCursor":{},"nextUrl":[]`: "",
		// The position of this page is not the next one.
		`"cursor":"b","endCursor":"c","page":1,"limit":50,"prev":"a"`: "",
		`"nextBillingAt":"2027-01-01"`:                                "",
		// Flags
		`"hasMore":true`:           "the field hasMore",
		`"has_more":true`:          "the field has_more",
		`"hasMore":false,"more":1`: "",
		`"pageInfo":{"hasNextPage":true,"hasPreviousPage":true}`: "the field pageInfo.hasNextPage",
		`"has_next":false`: "",
		// Totals, with one element
		`"total":2`:      "the field total",
		`"totalCount":2`: "the field totalCount",
		`"total":1,"count":0,"totalCount":"many"`: "",
		// Objects
		`"meta":{"pagination":{"total":2}}`:              "the field meta.pagination.total",
		`"_links":{"self":{},"next":{"href":"?page=2"}}`: "the field _links.next",
		`"links":{"next":null},"quota":{"total":250}`:    "",
		`"next` + strings.Repeat("_", 2000) + `":1`:      "the field next" + strings.Repeat("_", 986) + "…",
	} {
		expectSigns(t, nil, fields, want)
	}
	for header, want := range map[string]string{
		"X-Total-Count: 2":       "the header X-Total-Count",
		"X-Has-More: true":       "the header X-Has-More",
		"X-Total-Count: 1":       "",
		`Link: <a>; rel="first"`: "",
	} {
		name, value, _ := strings.Cut(header, ": ")
		expectSigns(t, http.Header{name: {value}}, `"total":1`, want)
	}
}

// expectSigns expects the signs in a response with one agent and the given headers
// and fields.
func expectSigns(t *testing.T, headers http.Header, fields, want string) {
	t.Helper()
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), headers)
		respond(http.StatusOK, `{"agents":[{"id":"a"}],`+fields+"}")(w, r)
	}))
	agents, err := newClient(t, convo.Config{BaseURL: server.URL}).Agents(testContext(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want != "" {
		want = "The response suggests that there are more elements than it lists (evidence: " + want + ")."
	}
	if agents.Doubt != want {
		t.Errorf("%s, %s: got %q, want %q", headers, fields, agents.Doubt, want)
	}
}

func TestLinkHeader(t *testing.T) {
	t.Parallel()
	for links, want := range map[string]bool{
		`<https://svc.example/v1/agents?page=2>; rel="next"`: true,
		`<?page=2>; rel="last  next"`:                        true,
		`<?page=1>; rel="prev", <?page=2>; rel="next"`:       true,
		`<?page=2>; title="next"; rev=next; rel=prev`:        false,
		`<?page=2>; rel="next-archive"`:                      false,
	} {
		found := ""
		if want {
			found = `the header Link with rel="next"`
		}
		expectSigns(t, http.Header{"Link": {`<?page=1>; rel="first"`, links}}, `"a":1`, found)
	}
}
