// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// A list that may be incomplete causes a warning that names the evidence, and a
// complete one does not.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	for fields, evidence := range map[string]string{
		`"nextCursor":"abc"`:                      "the field nextCursor",
		`"next_page":2`:                           "the field next_page",
		`"nextToken":1,"NEXT-PAGE-TOKEN":1`:       "the field NEXT-PAGE-TOKEN, the field nextToken",
		`"cursor":{"after":null,"next":"x"}`:      "the field cursor.next",
		`"cursor":"b"`:                            "the field cursor",
		`"hasMore":true`:                          "the field hasMore",
		`"hasNextPage":true`:                      "the field hasNextPage",
		`"total":2`:                               "the field total",
		`"count":2`:                               "the field count",
		`"meta":{"totalCount":250,"page":1}`:      "the field meta.totalCount",
		`"meta":{"currentPage":1,"totalPages":2}`: "the field meta.totalPages",
		`"a":{"next":1},"b":{"next":1},"c":{"next":1},"d":{"next":1},"e":{"next":1},"f":{"next":1},"g":{"next":1}`: "the field a.next, " +
			"the field b.next, the field c.next, the field d.next, the field e.next, and 2 more",
		// A name comes from the service, and is shown like its other texts.
		`"` + devserver.TokenWrite + `":{"next":1}`:               "the field ***.next",
		`"hasMore":false,"hasNext":"true"`:                        "",
		`"nextPageToken":"","nextToken":null,"nextPage":false`:    "",
		`"next":0,"paging":{}`:                                    "",
		`"total":1,"count":0,"total_pages":1,"totalCount":"many"`: "",
		`"nextBillingAt":"2027-01-01","page":1,"requestId":"abc"`: "",
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			p := configuredProvider(t, startServiceReturning(t, `{"agents":[{"id":"a"}],"members":[{"role":"ADMIN"}],`+fields+"}"))
			requireIncomplete(t, p, "convo_agents", object{}, "agents", evidence)
			requireIncomplete(t, p, "convo_members", object{"workspace_id": "w"}, "members", evidence)
		})
	}
}

func TestIncompleteListByLinkHeader(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<https://service.example/v1/agents?page=2>; rel="next"`)
		jsonHandler(http.StatusOK, `{"agents":[]}`)(w, r)
	})})
	requireIncomplete(t, configuredProvider(t, s), "convo_agents", object{}, "agents", `the header Link with rel="next"`)
}

// requireIncomplete requires the warning that a list may be incomplete, with
// exactly the given evidence, or no warning for "".
func requireIncomplete(t *testing.T, p *testProvider, source string, config object, noun, evidence string) {
	t.Helper()
	_, diagnostics := p.read(source, config)
	if evidence == "" {
		requireExactly(t, diagnostics)
		return
	}
	requireWarning(t, diagnostics, "[] The list of "+noun+" may be incomplete\n", "(evidence: "+evidence+").")
}
