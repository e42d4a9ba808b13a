// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// Every read returns what a person expects of the reference service, as a data
// source and as an ephemeral resource, with exactly the requests that it needs.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, test := range readCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			p := configured(t, s, test.provider())
			if diff := cmp.Diff(test.want, p.mustRead(test.source, test.config)); diff != "" {
				t.Errorf("unexpected state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.requests, s.sent()); diff != "" {
				t.Errorf("unexpected requests (-want +got):\n%s", diff)
			}
			opened, diagnostics := p.open(test.source, test.config)
			requireNoErrors(t, diagnostics)
			if diff := cmp.Diff(test.want, opened); diff != "" {
				t.Errorf("unexpected result of the ephemeral resource (-want +got):\n%s", diff)
			}
		})
	}
}

// A response without a required field fails and names every such field.
func TestReadsRejectIncompleteResponses(t *testing.T) {
	t.Parallel()
	for _, test := range readCases() {
		for response, want := range test.incomplete {
			t.Run(test.name+"/"+response, func(t *testing.T) {
				t.Parallel()
				_, diagnostics := configured(t, responding(t, response)).read(test.source, test.config)
				d := requireError(t, diagnostics, append(want, "Unable to "+test.task, test.about, "200 OK", "does not match the documented API")...)
				if got := strings.Count(d.Detail, "  - "); got != len(want) {
					t.Errorf("got %d problems, want %d:\n%s", got, len(want), d.Detail)
				}
			})
		}
	}
}

// Another implementation of the naming and null rules, over documents that
// nobody wrote an expectation for.
func TestAgentsAgreeWithTheService(t *testing.T) {
	t.Parallel()
	seed := devserver.ManyAgents(40)
	seed.Agents = append(seed.Agents, devserver.DefaultSeed().Agents...)
	p := configured(t, startService(t, devserver.WithSeed(seed)))
	attributes := p.schema.DataSourceSchemas["convo_agent"].ValueType().(tftypes.Object).AttributeTypes
	for _, argument := range []string{"agent_id", "include_definition_json", "definition_json", "current_user_mode"} {
		delete(attributes, argument)
	}
	for _, agent := range seed.Agents {
		state := p.mustRead("convo_agent", object{"agent_id": agent.ID, "include_definition_json": true})
		agree(t, agent.ID, attributes, parse(t, agent.Definition), state)
		want := parse(t, agent.Definition)
		withoutShareToken(want)
		if diff := cmp.Diff(want, parse(t, []byte(state["definition_json"].(string)))); diff != "" {
			t.Errorf("%s: definition_json differs (-want +got):\n%s", agent.ID, diff)
		}
	}
}

// withoutShareToken sets the share token of a definition to null.
func withoutShareToken(definition any) {
	for _, key := range []string{"exposure", "access", "share"} {
		fields, _ := definition.(map[string]any)
		definition = fields[key]
	}
	if share, ok := definition.(map[string]any); ok && share["token"] != nil {
		share["token"] = nil
	}
}

// agree compares an object of the service with the attributes made of it.
func agree(t *testing.T, location string, types map[string]tftypes.Type, document any, state object) {
	t.Helper()
	source, _ := document.(map[string]any)
	for name, typ := range types {
		words := strings.Split(strings.TrimSuffix(name, "_json"), "_")
		key := words[0]
		for _, word := range words[1:] {
			key += strings.ToUpper(word[:1]) + word[1:]
		}
		here := location + "." + key
		want, got := source[key], state[name]
		switch {
		case want == nil || got == nil:
			if want != nil || got != nil {
				t.Errorf("%s: got %v, want %v", here, got, want)
			}
		case strings.HasSuffix(name, "_json"):
			if diff := cmp.Diff(want, parse(t, []byte(got.(string)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", here, diff)
			}
		default:
			agreeValue(t, here, typ, want, got)
		}
	}
}

func agreeValue(t *testing.T, location string, typ tftypes.Type, want, got any) {
	t.Helper()
	if want == nil || got == nil { // an element that is null
		if want != nil || got != nil {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
		return
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		agree(t, location, typ.AttributeTypes, want, got.(object))
	case tftypes.List:
		elements := want.([]any)
		if len(elements) != len(got.(list)) {
			t.Errorf("%s: got %d elements, want %d", location, len(got.(list)), len(elements))
			return
		}
		for i := range elements {
			agreeValue(t, fmt.Sprintf("%s[%d]", location, i), typ.ElementType, elements[i], got.(list)[i])
		}
	default:
		if text, ok := want.(json.Number); ok && typ.Is(tftypes.Number) {
			float, _, err := big.ParseFloat(text.String(), 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			want = number(float.Text('f', -1))
		}
		if want != got {
			t.Errorf("%s: got %v, want %v", location, got, want)
		}
	}
}

func parse(t *testing.T, document []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Unknown fields and enum values, and any JSON where a string is expected.
func TestReadsTakeMoreThanTheAPINames(t *testing.T) {
	t.Parallel()
	p := configured(t, responding(t, `{
		"agent": {"brandNew": {"x": [1]}, "profile": {"title": 12, "more": null}, "canvas": {"annotations": [{"color": "mauve"}]},
			"graph": {"memory": [{"value": {"b": 2, "a": [1.0]}}, {"value": false}]}},
		"currentUserMode": "owner", "extra": 1
	}`))
	state := p.mustRead("convo_agent", object{"agent_id": "a"})
	if state["current_user_mode"] != "owner" {
		t.Errorf("got the mode %v", state["current_user_mode"])
	}
	if title := state["profile"].(object)["title"]; title != "12" {
		t.Errorf("got the title %v", title)
	}
	if color := state["canvas"].(object)["annotations"].(list)[0].(object)["color"]; color != "mauve" {
		t.Errorf("got the color %v", color)
	}
	var values list
	for _, variable := range state["graph"].(object)["memory"].(list) {
		values = append(values, variable.(object)["value"])
	}
	if diff := cmp.Diff(list{`{"a":[1.0],"b":2}`, "false"}, values); diff != "" {
		t.Errorf("unexpected values (-want +got):\n%s", diff)
	}
}

// A list that is not whole causes a warning, and one that is whole does not.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`"nextCursor":"abc"`:                           "the field nextCursor",
		`"next_page":2`:                                "the field next_page",
		`"next":"https://service.example/?page=2"`:     "the field next",
		`"cursor":{"after":null,"next":"x"}`:           "the field cursor.next",
		`"hasMore":true`:                               "the field hasMore",
		`"has-next-page":true`:                         "the field has-next-page",
		`"isTruncated":true`:                           "the field isTruncated",
		`"total":2`:                                    "the field total",
		`"meta":{"totalCount":250,"page":1}`:           "the field meta.totalCount",
		`"pagination":{"nextPageToken":"t"},"count":9`: "the field count, the field pagination.nextPageToken",
		`"meta":{"currentPage":1,"totalPages":2}`:      "the field meta.totalPages",
		`"lastPage":3,"page_count":1`:                  "the field lastPage",
		`"total_pages":1`:                              "",
		`"` + devserver.TokenWrite + `":{"next":1}`:    "the field ***.next",
		`"\u001b[2J":{"next":1}`:                       "the field [2J.next",
		`"n":{"next":1,"next_0_page":1,"next_1_page":1,"next_2_page":1,"next_3_page":1}`:                 "the field n.next, the field n.next_0_page, the field n.next_1_page, the field n.next_2_page, the field n.next_3_page",
		`"n":{"next":1,"next_0_page":1,"next_1_page":1,"next_2_page":1,"next_3_page":1,"next_4_page":1}`: "the field n.next, the field n.next_0_page, the field n.next_1_page, the field n.next_2_page, the field n.next_3_page, and 1 more",
		`"next` + strings.Repeat("x", 90) + `token":1`:                                                   "the field next" + strings.Repeat("x", 56),
		`"totalItems":2,"totalResults":2`:                                                                "the field totalItems, the field totalResults",
		`"count":1,"totalCount":1,"totalItems":1`:                                                        "",
		`"pageCount":2`: "the field pageCount",
		`"hasNext":true,"more":true,"truncated":true`:                            "the field hasNext, the field more, the field truncated",
		`"hasNext":"true","more":1,"truncated":null`:                             "",
		`"continuationToken":"a","cursor":"b","endCursor":"c"`:                   "the field continuationToken, the field cursor, the field endCursor",
		`"nextKey":1,"nextLink":1,"nextMarker":1,"nextOffset":1,"nextUri":1`:     "the field nextKey, the field nextLink, the field nextMarker, the field nextOffset, the field nextUri",
		`"nextToken":1,"nextUrl":1`:                                              "the field nextToken, the field nextUrl",
		`"nextPageNumber":2`:                                                     "the field nextPageNumber",
		`"continuationToken":"","nextLink":null,"nextOffset":0,"nextPage":false`: "",
		`"continuationTokens":1,"showNextPage":true,"startCursor":"a"`:           "",
		`"nextBillingAt":"2027-01-01"`:                                           "",
		`"nextCursor":null`:                                                      "",
		`"next":{},"paging":{}`:                                                  "",
		`"nextPageToken":""`:                                                     "",
		`"hasMore":false`:                                                        "",
		`"total":1`:                                                              "",
		`"total":"many"`:                                                         "",
		`"page":1,"limit":50,"requestId":"abc"`:                                  "",
		`"meta":{"deep":{"nextPage":2}}`:                                         "",
	}
	for fields, want := range tests {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			for source, body := range map[string]string{"convo_agents": `{"agents":[{"id":"a"}],`, "convo_members": `{"members":[{"role":"ADMIN"}],`} {
				config := object{}
				if source == "convo_members" {
					config = object{"workspace_id": "w"}
				}
				requireIncomplete(t, configured(t, responding(t, body+fields+"}")), source, config, want)
			}
		})
	}
}

// requireIncomplete requires the warning that a list is incomplete, with
// exactly the given signs, or none.
func requireIncomplete(t *testing.T, p *protocol, source string, config object, signs string) {
	t.Helper()
	_, diagnostics := p.read(source, config)
	requireNoErrors(t, diagnostics)
	var got []string
	for _, d := range diagnostics {
		_, rest, _ := strings.Cut(d.Detail, "more elements than it lists (evidence: ")
		found, _, _ := strings.Cut(rest, ").")
		got = append(got, d.Summary+": "+found)
	}
	var want []string
	if signs != "" {
		want = []string{"The list of " + strings.TrimPrefix(source, "convo_") + " may be incomplete: " + signs}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected warnings (-want +got):\n%s", diff)
	}
}

func TestIncompleteListByLinkHeader(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", `<https://service.example/v1/agents?page=2>; rel="next"`)
			_, _ = w.Write([]byte(`{"agents":[]}`))
		})
	}))
	requireIncomplete(t, configured(t, s), "convo_agents", object{}, `the header Link with rel="next"`)
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	s := startService(t)
	agent := object{"agent_id": "agt_returns"}
	workspace := object{"workspace_id": "ws_larkspur01"}
	tests := map[string]struct {
		token     string
		source    string
		config    object
		attribute string
		want      []string
	}{
		"wrong token":      {"wrong-token", "convo_agent", agent, "", []string{"Unable to read agent", "401 Unauthorized", "UNAUTHORIZED", `agent "agt_returns"`, "The token is invalid or has expired"}},
		"no access":        {devserver.TokenNoAccess, "convo_agents", object{}, "", []string{"Unable to read agents", "403 Forbidden", "Insufficient access (FORBIDDEN)"}},
		"guest":            {devserver.TokenGuest, "convo_members", workspace, "", []string{"Unable to read members", "403 Forbidden", "does not have permission"}},
		"no such agent":    {devserver.TokenWrite, "convo_agent", object{"agent_id": "agt_nope"}, "agent_id", []string{"404 Not Found", `agent "agt_nope"`, "Check agent_id"}},
		"no such stats":    {devserver.TokenWrite, "convo_agent_stats", object{"agent_id": "agt_nope"}, "agent_id", []string{"404 Not Found", `agent "agt_nope"`}},
		"no such space":    {devserver.TokenWrite, "convo_workspace", object{"workspace_id": "ws_nope"}, "workspace_id", []string{"404 Not Found", `workspace "ws_nope"`}},
		"no such members":  {devserver.TokenWrite, "convo_members", object{"workspace_id": "ws_nope"}, "workspace_id", []string{"404 Not Found"}},
		"a period unknown": {devserver.TokenWrite, "convo_agent_stats", object{"agent_id": "agt_returns", "period": "fortnight"}, "", []string{"400 Bad Request", "Invalid input data (BAD_REQUEST)", "  - "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics := configured(t, s, object{"token": test.token}).read(test.source, test.config)
			d := requireError(t, diagnostics, test.want...)
			if got := strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), `AttributeName("`), `")`); got != test.attribute {
				t.Errorf("the error is at %q, want %q", got, test.attribute)
			}
			if strings.Contains(d.Detail, d.Summary) {
				t.Errorf("the detail repeats the summary:\n%s", describe(d))
			}
		})
	}
}

// An ID that can be sent nowhere is reported at its attribute, also where
// validation has not seen it, and nothing is sent.
func TestIDsAreCheckedBeforeARequest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configured(t, s).read("convo_agent", object{"agent_id": ".."})
	requireExactly(t, diagnostics, "[AttributeName(\"agent_id\")] Unable to read agent\nThe ID of the agent \"..\" is not a valid ID, because it has a special meaning in a URL path.")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// Terraform reads nothing whose arguments are unknown. If it did, no request
// would go to another object.
func TestUnknownArgumentsAreNotRead(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, diagnostics := configured(t, s).read("convo_agents", object{"query": unknown})
	requireExactly(t, diagnostics, "[] Unable to read agents\nThis is a fault of the provider. Please report it: the arguments are not known.")
	if sent := s.sent(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// The ID by which the service's operators find a request follows its URL, in the
// error of a refusal and of a response that does not match the documented API.
func TestRequestIDIsShown(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{http.StatusGone: `{"code":"GONE","message":"It is gone"}`, http.StatusOK: `{}`} {
		s := startService(t, devserver.WithFault(func(*http.Request) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", "req-4711")
				jsonHandler(status, body).ServeHTTP(w, r)
			})
		}))
		_, diagnostics := configured(t, s).read("convo_agent", object{"agent_id": "a"})
		requireError(t, diagnostics, "\n\nURL: "+s.BaseURL+"/v1/agents/a (base URL from the provider block)\nRequest ID: req-4711\n\n")
	}
}

// What the service says ends in one full stop, however much of its envelope is
// there.
func TestWordsOfTheServiceEndOnce(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"code":"GONE","message":"It is gone."}`: ": It is gone (GONE).\n",
		`{"code":"GONE","message":"It is gone"}`:  ": It is gone (GONE).\n",
		`{"message":"It is gone."}`:               ": It is gone.\n",
		`{"message":"It is gone"}`:                ": It is gone.\n",
		`{"code":"GONE"}`:                         ": GONE.\n",
	} {
		s := startService(t, devserver.WithFault(func(*http.Request) http.Handler { return jsonHandler(http.StatusGone, body) }))
		_, diagnostics := configured(t, s).read("convo_agent", object{"agent_id": "a"})
		requireError(t, diagnostics, `The service returned 410 Gone for agent "a"`+want)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	tests := map[string]struct {
		source string
		config object
		want   []string
	}{
		"empty id":        {"convo_agent", object{"agent_id": ""}, []string{"agent_id", "must not be empty"}},
		"dots":            {"convo_workspace", object{"workspace_id": ".."}, []string{"workspace_id", `".."`}},
		"a dot":           {"convo_members", object{"workspace_id": "."}, []string{"workspace_id", `"."`}},
		"period":          {"convo_agent_stats", object{"agent_id": "a", "period": "last8Days"}, []string{"period", `"last7Days"`, "last8Days"}},
		"empty period":    {"convo_agent_stats", object{"agent_id": "a", "period": ""}, []string{"period"}},
		"null in a query": {"convo_agents", object{"query": object{"a": nil}}, []string{"query"}},
		"unnamed query":   {"convo_agents", object{"query": object{"": "a"}}, []string{"query"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireError(t, p.validateData(test.source, test.config), test.want...)
		})
	}
	for _, period := range []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"} {
		requireNoErrors(t, p.validateData("convo_agent_stats", object{"agent_id": "a", "period": period}))
	}
	requireNoErrors(t, p.validateData("convo_agent_stats", object{"agent_id": unknown, "period": unknown}))
}

// The order of a response is irrelevant if the API does not document one.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()
	s := responding(t, `{"agents":[{"id":"b"},{"id":"c"},{},{"id":"a"}]}`)
	state := configured(t, s).mustRead("convo_agents", object{})
	var ids list
	for _, agent := range state["agents"].(list) {
		ids = append(ids, agent.(object)["id"])
	}
	if !slices.Equal(ids, list{nil, "a", "b", "c"}) {
		t.Errorf("got the order %v", ids)
	}
}
