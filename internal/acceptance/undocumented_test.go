// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build acceptance

package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// observation is what the service does in a case that the API leaves undocumented.
type observation struct{ undocumented, assumed, observed, help string }

var observations struct {
	sync.Mutex
	list []observation
}

// observe adds a line to the output. No part of it is a value of the service, except for names of fields, codes, and roles.
func observe(undocumented, assumed, observed, help string) {
	observations.Lock()
	defer observations.Unlock()
	observations.list = append(observations.list, observation{undocumented, assumed, observed, help})
}

// printObservations prints a table for a report of a bug.
func printObservations(code int) {
	observeLimits()
	result := map[bool]string{true: "passed", false: "failed"}[code == 0]
	fmt.Printf("\nAcceptance tests: %s (%s %s, %s/%s). This table contains no secrets, IDs, or names of people.\n\n", result, cliName, cliVersion, runtime.GOOS, runtime.GOARCH)
	fmt.Print("| Undocumented | The provider assumes | This service | What helps |\n|---|---|---|---|\n")
	for _, line := range observations.list {
		fmt.Printf("| %s | %s | %s | %s |\n", line.undocumented, line.assumed, line.observed, line.help)
	}
	fmt.Println()
}

// response is a response to a request without retries, which is not sent by the provider.
type response struct {
	status int
	header http.Header
	text   []byte
	body   map[string]any
}

// client follows no redirects, so that the token goes nowhere else.
var client = http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func send(t *testing.T, method, path string, query url.Values, token, body string) response {
	t.Helper()
	target := strings.TrimSuffix(configured.baseURL, "/") + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal("CONVO_BASE_URL is not a URL")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	received, err := client.Do(request)
	if err != nil {
		t.Fatalf("the service did not respond: %v", errors.Unwrap(err)) // without the URL, which has IDs
	}
	defer func() { _ = received.Body.Close() }()
	r := response{status: received.StatusCode, header: received.Header}
	if r.text, err = io.ReadAll(received.Body); err != nil {
		t.Fatal("a response ended early")
	}
	_ = json.Unmarshal(r.text, &r.body) // An error can be HTML.
	return r
}

func get(t *testing.T, path string, query url.Values) response {
	t.Helper()
	return send(t, http.MethodGet, path, query, configured.token, "")
}

// firstAgent returns the ID of a listed agent, which is published if the list says so of any.
func firstAgent(t *testing.T) string {
	t.Helper()
	list := get(t, "/v1/agents", configured.agentQuery)
	for _, agent := range append(agentsThat(list, true), elements(list, "agents")...) {
		if id, ok := agent["id"].(string); ok {
			return id
		}
	}
	t.Fatalf("the list of agents has status %d and %d agents, but the tests need one: if the service requires a query, set CONVO_TEST_AGENT_QUERY, "+
		"such as workspaceId=ws_1", list.status, len(elements(list, "agents")))
	return ""
}

// agentsThat returns the agents that the list says are published, or not.
func agentsThat(list response, published bool) []map[string]any {
	return slices.DeleteFunc(elements(list, "agents"), func(agent map[string]any) bool { return agent["isPublished"] != published })
}

// elements returns the objects in a list of a response.
func elements(r response, key string) []map[string]any {
	var objects []map[string]any
	list, _ := r.body[key].([]any)
	for _, element := range list {
		if object, ok := element.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// TestUndocumentedBehavior sends requests of its own, because the provider hides what differs.
func TestUndocumentedBehavior(t *testing.T) {
	t.Parallel()
	const nullValues = "\"Null Values\" on the provider's page"
	workspacePath := "/v1/workspaces/" + url.PathEscape(configured.workspaceID)
	workspace, members := get(t, workspacePath, nil), get(t, workspacePath+"/members", nil)
	list, agentPath := get(t, "/v1/agents", configured.agentQuery), "/v1/agents/"+url.PathEscape(firstAgent(t))
	agent := get(t, agentPath, nil)

	observeStatistics(t, agentPath, list)
	unqualified := listed(get(t, "/v1/agents", nil)) + " without a query"
	if len(configured.agentQuery) > 0 {
		unqualified += "; " + listed(list) + " with CONVO_TEST_AGENT_QUERY"
	}
	observe("Query for the list of agents", "none required", unqualified,
		"`query` of `convo_agents`, `agent_query` of an audit")
	for _, read := range []struct {
		key string
		response
	}{{"workspace", workspace}, {"members", members}, {"agents", list}, {"agent", agent}} {
		observe("Fields of `"+read.key+"`", "documented types; missing is null", fieldsOf(t, read.key, read.response), nullValues)
	}
	observe("Undocumented fields of a definition", "none needed", counted(undocumented(t, "agent", agent), "none"), "`include_definition_json` of `convo_agent`")
	observe("Order of the agents", "none; sorted by ID", order(elements(list, "agents"), func(a map[string]any) string { return fmt.Sprint(a["id"]) }), "Nothing to do")
	observe("Order of the members", "none; sorted by email address", order(elements(members, "members"), func(m map[string]any) string {
		user, _ := m["user"].(map[string]any)
		return fmt.Sprint(user["email"])
	}), "Nothing to do")
	observe("Signs of further pages", "none; one page is read", counted(slices.Concat(beside("members", members), beside("agents", list)), "none"), "`query` of `convo_agents`")
	var roles []string
	for _, member := range elements(members, "members") {
		roles = append(roles, word(member["role"], constant))
	}
	observe("Roles of members", "`ADMIN`, and others", counted(roles, "none"), "Compare only with these")
	observe("Access of the token's owner", "`guest`, `read`, or `write`", word(agent.body["currentUserMode"], constant), "`current_user_mode` of `convo_agent`")
	observe("Format of times", "none", counted(timesIn(list.body), "no times"), "\"List Stale Agents\" on the page of `convo_agents`")
	observe("Published in the list and the definition", "can differ", published(list, agent), "\"Find a Value\" on the page of `convo_agent`")

	const wrong = "convo-testacc-absent"
	observe("Wrong agent ID", "404", refusal(get(t, "/v1/agents/"+wrong, nil)), "The error of the provider")
	observe("Wrong workspace ID", "404", refusal(get(t, "/v1/workspaces/"+wrong, nil)), "The error of the provider")
	observe("Wrong token for a workspace", "401", refusal(send(t, http.MethodGet, workspacePath, nil, wrong, "")), "\"Access\" in \"Undocumented API Behavior\"")
	observe("Wrong token for an agent", "401, or 404", refusal(send(t, http.MethodGet, agentPath, nil, wrong, "")), "\"Access\" in \"Undocumented API Behavior\"")
	observe("Two reads of a definition", "the same text", difference("agent", agent, get(t, agentPath, nil)), "`definition_hash` of `convo_workspace_audit`")
	observe("Two reads of a workspace", "the same values", difference("workspace", workspace, get(t, workspacePath, nil)), "Do not compare these fields")
	observe("Two reads of the list", "the same elements", difference("agents", list, get(t, "/v1/agents", configured.agentQuery)), "Nothing to do")

	if configured.sessionID != "" {
		update := func(session, body string) string {
			return refusal(send(t, http.MethodPost, "/v1/sessions/"+url.PathEscape(session)+"/updateAgent", nil, configured.token, body))
		}
		observe("Session update with the `agentId` of no agent", "rejected", update(configured.sessionID, `{"agentId":"`+wrong+`"}`), "`payload` of `convo_session_agent`, if this is 200")
		observe("Session update of no session", "400", update(wrong, "{}"), "Check `session_id`")
	}
}

// observeStatistics observes the period's parameter, its default, and drafts.
func observeStatistics(t *testing.T, agentPath string, list response) {
	t.Helper()
	const parameter = "timeFilter"
	path := "/analytics/stats"
	invalid := get(t, agentPath+path, url.Values{parameter: {"convo-testacc-absent"}})
	counters := map[string]any{}
	for _, period := range []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"} {
		counters[period] = get(t, agentPath+path, url.Values{parameter: {period}}).body["stats"]
	}
	did := "accepts an invalid period, and all periods have the same statistics"
	switch {
	case invalid.status != http.StatusOK:
		did = "rejects an invalid period: " + refusal(invalid)
	case !reflect.DeepEqual(counters["today"], counters["allTime"]):
		did = "accepts an invalid period, but the statistics of periods differ"
	}
	observe("Query parameter for the period", "`"+parameter+"`", did, "`stats_period_parameter` in the provider block")
	var equal []string
	without := get(t, agentPath+path, nil)
	for _, period := range slices.Sorted(maps.Keys(counters)) {
		if without.status == http.StatusOK && reflect.DeepEqual(counters[period], without.body["stats"]) {
			equal = append(equal, period)
		}
	}
	observe("Statistics without a period", "unknown", "those of "+counted(equal, "no period"), "`period` of `convo_agent_stats`")
	drafts := agentsThat(list, false)
	did = "no draft is listed"
	if len(drafts) > 0 {
		did = refusal(get(t, "/v1/agents/"+url.PathEscape(fmt.Sprint(drafts[0]["id"]))+path, nil))
	}
	observe("Statistics of a draft", "404", did, "An audit, in which they are null")
}

// observeLimits observes how the service limits requests.
func observeLimits() {
	log, err := os.ReadFile(requests)
	if err != nil {
		return
	}
	sent, refused := bytes.Count(log, []byte("Sent a request")), bytes.Count(log, []byte("status=429"))
	observe("Rate limits", "unknown", fmt.Sprintf("%d of the provider's %d requests had status 429", refused, sent), "`max_requests_per_second` in the provider block")
}

// listed describes the response to a list of agents.
func listed(r response) string {
	if r.status != http.StatusOK {
		return refusal(r)
	}
	return fmt.Sprintf("%d agents", len(elements(r, "agents")))
}

// refusal describes an error by its status, its code, and the place of its issues.
func refusal(r response) string {
	text := fmt.Sprint(r.status)
	if code, ok := r.body["code"]; ok {
		text += " " + word(code, constant)
	}
	data, _ := r.body["data"].(map[string]any)
	switch {
	case r.status == http.StatusOK:
	case data["issues"] != nil:
		text += ", issues in `data.issues`"
	case r.body["issues"] == nil:
		text += ", no issues"
	}
	return text
}

// constant and fieldName match what cannot be the name of a person.
var (
	constant  = regexp.MustCompile(`^([A-Z_]{1,40}|guest|read|write)$`)
	fieldName = regexp.MustCompile(`^[a-z][A-Za-z_]{0,39}$`)
)

// word returns a value that has a form, and nothing of any other value.
func word(value any, form *regexp.Regexp) string {
	text, isText := value.(string)
	switch {
	case value == nil:
		return "null"
	case isText && form.MatchString(text):
		return "`" + text + "`"
	}
	return "another value"
}

// counted lists different values with their numbers.
func counted(values []string, none string) string {
	counts := map[string]int{}
	for _, value := range values {
		counts[value]++
	}
	var texts []string
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if counts[value] > 1 {
			value = fmt.Sprintf("%s (%d times)", value, counts[value])
		}
		texts = append(texts, value)
	}
	if len(texts) == 0 {
		return none
	}
	return strings.Join(texts, ", ")
}

// documentedFields returns the types of the documented fields of a response, by path.
func documentedFields(t *testing.T, key string) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../devserver/testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(content)) {
		path, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if first, _, _ := strings.Cut(path, "."); strings.TrimSuffix(first, "[]") == key {
			fields[path] = strings.TrimSuffix(kind, "?")
		}
	}
	return fields
}

// fieldsOf lists the documented fields that are missing, null, or of another type in some element.
func fieldsOf(t *testing.T, key string, r response) string {
	t.Helper()
	if r.status != http.StatusOK {
		return "not read: " + refusal(r)
	}
	var found []string
	fields := documentedFields(t, key)
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		for _, deviation := range deviations(r.body, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), "."), fields[path]) {
			found = append(found, "`"+path+"` "+deviation)
		}
	}
	return counted(found, "as documented, none null")
}

// deviations describes what a field at a path is instead of its type.
func deviations(value any, path []string, kind string) []string {
	if len(path) > 0 && path[0] == "[]" {
		list, isList := value.([]any)
		var found []string
		for _, element := range list {
			found = append(found, deviations(element, path[1:], kind)...)
		}
		if !isList {
			return []string{"is " + kindOf(value)}
		}
		return found
	}
	if len(path) > 0 {
		object, isObject := value.(map[string]any)
		member, exists := object[path[0]]
		switch {
		case !isObject:
			return nil // Its own line says so.
		case !exists:
			return []string{"missing"}
		case len(path) > 1 && path[1] != "[]" && member == nil:
			return []string{"null"}
		}
		return deviations(member, path[1:], kind)
	}
	if got := kindOf(value); got != kind && (kind != "any" || got == "null") {
		return []string{got}
	}
	return nil
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// undocumented returns the fields of an object that are not documented.
func undocumented(t *testing.T, key string, r response) []string {
	t.Helper()
	object, _ := r.body[key].(map[string]any)
	fields := documentedFields(t, key)
	var found []string
	for name := range object {
		prefix := key + "." + name
		if !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(path string) bool { return path == prefix || strings.HasPrefix(path, prefix+".") }) {
			found = append(found, word(name, fieldName))
		}
	}
	return found
}

// beside returns the names of what is beside a list, and a Link header.
func beside(key string, r response) []string {
	var found []string
	for name := range r.body {
		if name != key && r.status == http.StatusOK {
			found = append(found, word(name, fieldName))
		}
	}
	if r.header.Get("Link") != "" {
		found = append(found, "a `Link` header")
	}
	return found
}

// order describes the order of a list.
func order(objects []map[string]any, key func(map[string]any) string) string {
	var keys []string
	for _, object := range objects {
		keys = append(keys, key(object))
	}
	switch {
	case len(slices.Compact(slices.Sorted(slices.Values(keys)))) < len(keys):
		return fmt.Sprintf("%d elements, some twice", len(keys))
	case slices.IsSorted(keys):
		return fmt.Sprintf("%d elements, sorted in the same way", len(keys))
	}
	return fmt.Sprintf("%d elements in another order", len(keys))
}

// timesIn returns the shapes of the times in a response.
func timesIn(value any) []string {
	var shapes []string
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			shapes = append(shapes, timesIn(element)...)
		}
	case map[string]any:
		for name, member := range value {
			if text, isText := member.(string); isText && strings.HasSuffix(name, "At") {
				shape := regexp.MustCompile(`[0-9]`).ReplaceAllString(text, "0")
				if !regexp.MustCompile(`^[0T:Z.+ -]+$`).MatchString(shape) {
					shape = "another format"
				}
				shapes = append(shapes, shape)
				continue
			}
			shapes = append(shapes, timesIn(member)...)
		}
	}
	return shapes
}

// published compares the flags of the first published agent.
func published(list, agent response) string {
	definition, _ := agent.body["agent"].(map[string]any)
	exposure, _ := definition["exposure"].(map[string]any)
	state, _ := exposure["state"].(map[string]any)
	switch state["published"] {
	case nil:
		return "no flag in the definition"
	case len(agentsThat(list, true)) > 0:
		return "the same"
	}
	return "different"
}

// difference describes how two reads of the same differ, by the names of fields.
func difference(key string, first, second response) string {
	if first.status != http.StatusOK {
		return "not read: " + refusal(first)
	}
	if bytes.Equal(first.text, second.text) {
		return "the same text"
	}
	before, _ := first.body[key].(map[string]any)
	after, _ := second.body[key].(map[string]any)
	var names []string
	for name := range before {
		if !reflect.DeepEqual(before[name], after[name]) {
			names = append(names, word(name, fieldName))
		}
	}
	if len(names) == 0 && reflect.DeepEqual(first.body, second.body) {
		return "the same values in another text"
	}
	return "different: " + counted(names, "elements or their order")
}
