// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package acceptance

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Sections that help.
const (
	accessSection = "\"Permissions\" in \"Troubleshooting\""
	missingValues = "\"Missing Values\" in \"Terms and Missing Values\""
)

var (
	timestamp = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ][\d:.]+[-+Z\d:]*`)
	digit     = regexp.MustCompile(`\d`)
)

// observeAgents describes the lists, and who can read which agents and definitions.
func (s *suite) observeAgents() {
	query := number(s.get("/v1/agents", nil)) + " without a query"
	if len(s.agentQuery) > 0 {
		query += "; " + number(s.list) + " with CONVO_TEST_AGENT_QUERY"
	}
	s.observe("Query for the list of agents", "none required", query,
		"`query` of `convo_agents`, `agent_query` of an audit")
	var roles, times []string
	list, _ := s.members.body["members"].([]any)
	for _, m := range list {
		roles = append(roles, word(member(m, "role")))
	}
	s.observeIn(s.members.problem(), "Roles of members", "`ADMIN`, and others", counted(roles, "no members"),
		"Compare only with these")
	for _, text := range timestamp.FindAllString(s.list.text, -1) {
		times = append(times, digit.ReplaceAllString(text, "0"))
	}
	s.observeIn(s.list.problem(), "Format of times", "none", counted(times, "none in ISO 8601"),
		"Compare times only if all of them have one format")
	s.observe("Definition of a published agent", "unknown", s.draftOrPublished(),
		"\"Terms\" in \"Terms and Missing Values\"")
	s.observeIn(s.agent.definition.problem(), "Access of the token's owner", "`guest`, `read`, or `write`",
		word(s.agent.definition.body["currentUserMode"]), "`current_user_mode` of `convo_agent`")
	if s.secondToken != "" {
		again := func(r response) response { return s.again(r, s.secondToken) }
		definition := again(s.agent.definition)
		text := fmt.Sprintf("%s, instead of %s", number(again(s.list)), number(s.list))
		text += "; workspace: " + refusal(again(s.workspace)) + "; members: " + refusal(again(s.members))
		text += "; definition: " + refusal(definition)
		if definition.status == http.StatusOK {
			text += " with the access " + word(definition.body["currentUserMode"])
		}
		s.observe("What CONVO_TEST_SECOND_TOKEN reads", "unknown", text, accessSection)
	}
}

// number describes the response to a list of agents.
func number(r response) string {
	if r.status != http.StatusOK {
		return refusal(r)
	}
	return quantity(len(listed(r)), "agent")
}

// draftOrPublished describes which version the definitions of published agents are. Without
// an edit, only an earlier edit that was not published can tell.
func (s *suite) draftOrPublished() string {
	later := 0
	for _, a := range s.agents {
		published := member(a.definition.body, "agent", "exposure", "schedule", "publishedAt")
		if listed := member(a.summary, "publishedAt"); listed != nil {
			published = listed
		}
		edited := member(a.definition.body, "agent", "timestamps", "updated")
		publishedAt, err := time.Parse(time.RFC3339, fmt.Sprint(published))
		editedAt, editedErr := time.Parse(time.RFC3339, fmt.Sprint(edited))
		if err == nil && editedErr == nil && a.isPublished() != false && editedAt.After(publishedAt) {
			later++
		}
	}
	if later == 0 {
		return "unknown: no definition is known to be newer than the publication"
	}
	return "probably the draft: edited after the publication (" + quantity(later, "definition") + ")"
}

// observeStatistics describes the period's parameter, its default, and drafts.
func (s *suite) observeStatistics() {
	var equal []string
	draft := refusal(s.draft.stats)
	if s.draft.id != "" && s.agent.stats.status != http.StatusOK {
		draft += ", but no statistics could be read"
	}
	s.observe("Statistics of a draft", "404", draft, "The page of `convo_agent_stats`")
	read := func(query url.Values) response {
		r := s.agent.stats
		r.query = query
		return s.again(r, s.token)
	}
	without, invalid := read(nil), read(url.Values{periodParameter: {wrong}})
	counters := map[string]any{}
	for _, period := range []string{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"} {
		counters[period] = read(url.Values{periodParameter: {period}}).body["stats"]
		if reflect.DeepEqual(counters[period], without.body["stats"]) {
			equal = append(equal, period)
		}
	}
	s.observeIn(without.problem(), "Statistics without a period", "unknown", "equal to "+counted(equal, "those of no period"),
		"`period` of `convo_agent_stats`")
	did := "accepts an invalid period, but the statistics of periods differ"
	switch {
	case invalid.status != http.StatusOK:
		did = "rejects an invalid period: " + refusal(invalid)
	case reflect.DeepEqual(counters["today"], counters["allTime"]):
		did = "accepts an invalid period, and all periods have the same statistics"
	}
	s.observeIn(s.agent.stats.problem(), "Query parameter for the period", "`"+periodParameter+"`", did,
		"`stats_period_parameter` in the provider block")
}

// observeErrors describes responses to wrong requests.
func (s *suite) observeErrors() {
	const help = "The provider's error"
	s.observe("Wrong agent ID", "404", refusal(s.get(agentPath(wrong), nil)), help)
	refused := s.get("/v1/workspaces/"+wrong, nil)
	s.observe("Wrong workspace ID", "404", refusal(refused), help)
	issues := "none"
	switch {
	case refused.status == 0:
		issues = refusal(refused)
	case refused.body["issues"] != nil:
		issues = "`issues`"
	case member(refused.body, "data", "issues") != nil:
		issues = "`data.issues`"
	}
	s.observe("Issues in this error", "`issues`", issues, help)
	s.observe("Wrong token for a workspace", "401", refusal(s.again(s.workspace, wrong)), accessSection)
	s.observe("Wrong token for an agent", "401, or 404", refusal(s.again(s.agent.definition, wrong)), accessSection)
	if s.sessionID != "" {
		s.observeIn(s.updated.problem(), "Session update without an agent", "`success`", word(s.updated.body["message"]),
			"The page of `convo_session_agent`")
		s.observe("Session update with the `agentId` of no agent", "rejected", refusal(s.update(s.sessionID, `{"agentId":"`+wrong+`"}`)),
			"`payload` of `convo_session_agent`, if this is 200")
		s.observe("Session update of no session", "400", refusal(s.update(wrong, "{}")), "Check `session_id`")
	}
}

// observeDeviations describes where responses deviate from the API's document, in the document's names.
func (s *suite) observeDeviations() {
	text, none := "", "none"
	if s.workspace.status == 0 {
		none = refusal(s.workspace)
	}
	for _, operation := range slices.Sorted(maps.Keys(s.deviations)) {
		if deviation := s.deviations[operation]; deviation != "" {
			text += "; `" + operation + "`: " + deviation
		}
	}
	s.observe("Deviations from `internal/api/openapi.yaml`", "none needed", cmp.Or(strings.TrimPrefix(text, "; "), none),
		missingValues)
}
