// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package acceptance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/convo/terraform-provider-convo/internal/apitest"
)

// response is the response to a request that the provider does not send.
type response struct {
	path   string
	query  url.Values
	status int    // 0 for no response
	absent string // why there is no response
	text   string
	body   map[string]any // nil for HTML
}

// client follows no redirects, so that the token goes nowhere else.
var client = http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (s *suite) send(method, token, path string, query url.Values, body string) response {
	r := response{path: path, query: query, absent: "no response"}
	target := strings.TrimSuffix(s.baseURL, "/") + path + "?" + query.Encode()
	request, err := http.NewRequestWithContext(s.Context(), method, strings.TrimSuffix(target, "?"), strings.NewReader(body))
	if err != nil {
		s.Fatal("CONVO_BASE_URL is not a URL")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	received, err := client.Do(request)
	if err != nil {
		return r
	}
	defer func() { _ = received.Body.Close() }()
	text, err := io.ReadAll(received.Body)
	if err != nil {
		return r
	}
	r.status, r.text = received.StatusCode, string(text)
	operation, deviation := apitest.Deviation(request, r.status, text)
	s.deviations[operation] = cmp.Or(s.deviations[operation], deviation)
	_ = json.Unmarshal(text, &r.body)
	return r
}

func (s *suite) get(path string, query url.Values) response {
	return s.send(http.MethodGet, s.token, path, query, "")
}

// again repeats a request with a token, unless there was none.
func (s *suite) again(r response, token string) response {
	if r.path == "" {
		return r
	}
	return s.send(http.MethodGet, token, r.path, r.query, "")
}

func (s *suite) update(sessionID, body string) response {
	return s.send(http.MethodPost, s.token, "/v1/sessions/"+url.PathEscape(sessionID)+"/updateAgent", nil, body)
}

// member returns a value inside of objects, or nil.
func member(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// listed returns the agents of a list.
func listed(r response) []any {
	list, _ := r.body["agents"].([]any)
	return list
}

// agent is an agent that was read.
type agent struct {
	id         string
	summary    any // in the list of agents; nil if that does not contain the agent
	definition response
	stats      response // for all time
}

func agentPath(id string) string { return "/v1/agents/" + url.PathEscape(id) }

const (
	statsPath       = "/analytics/stats"
	periodParameter = "timeFilter"
	wrong           = "convo-testacc-absent" // not an ID, a token, or a period
	maxAgents       = 20                     // to read in search of one with sessions and a draft
	bestWorth       = 3
)

// isPublished returns a boolean, or nil if neither the list nor the definition has the flag.
func (a agent) isPublished() any {
	if flag := member(a.summary, "isPublished"); flag != nil {
		return flag
	}
	return member(a.definition.body, "agent", "exposure", "state", "published")
}

// worth ranks the agent by what the tests can read of it.
func (a agent) worth() int {
	worth := 0
	for _, r := range []response{a.definition, a.stats} {
		if r.status == http.StatusOK {
			worth++
		}
	}
	if starts, _ := member(a.stats.body, "stats", "totalStarts").(float64); starts > 0 {
		worth++
	}
	return worth
}

// readService reads the workspace, and agents until one has sessions and one is a draft.
func (s *suite) readService() {
	path := "/v1/workspaces/" + url.PathEscape(s.workspaceID)
	s.workspace, s.members = s.get(path, nil), s.get(path+"/members", nil)
	s.list = s.get("/v1/agents", s.agentQuery)
	s.updated = response{absent: "no session is set"}
	if s.sessionID != "" {
		s.updated = s.update(s.sessionID, "{}") // The session keeps its agent.
	}
	var candidates []agent
	if s.agentID != "" {
		candidates = append(candidates, agent{id: s.agentID})
	}
	for _, summary := range listed(s.list) {
		switch id, _ := member(summary, "id").(string); id {
		case "":
		case s.agentID:
			candidates[0].summary = summary
		default:
			candidates = append(candidates, agent{id: id, summary: summary})
		}
	}
	none := response{absent: "no agent is listed"}
	if s.list.status != http.StatusOK {
		none.absent = "list of agents: " + refusal(s.list)
	}
	s.agent, s.draft = agent{definition: none, stats: none}, agent{stats: none}
	for _, a := range candidates {
		if s.draft.id != "" && a.isPublished() == false {
			continue // Drafts can be many, and can lack statistics.
		}
		if len(s.agents) == maxAgents || s.draft.id != "" && s.agent.worth() == bestWorth {
			break
		}
		a.definition = s.get(agentPath(a.id), nil)
		a.stats = s.get(agentPath(a.id)+statsPath, url.Values{periodParameter: {"allTime"}})
		s.agents = append(s.agents, a)
		if len(s.agents) == 1 || s.agentID == "" && a.worth() > s.agent.worth() {
			s.agent = a
		}
		if a.isPublished() == false && s.draft.id == "" {
			s.draft = a
		}
	}
	if len(s.agents) > 0 && s.draft.id == "" {
		s.draft.stats.absent = "no draft among the agents that were read"
	}
}

// problem describes a response that is not a success, and is "" for one.
func (r response) problem() string {
	if r.status == http.StatusOK {
		return ""
	}
	return refusal(r)
}

// refusal describes a response by its status and its code.
func refusal(r response) string {
	if r.status == 0 {
		return r.absent
	}
	text := fmt.Sprint(r.status)
	if code, exists := r.body["code"]; exists {
		text += " " + word(code)
	}
	return text
}

// notName matches what cannot be the name of a person.
var notName = regexp.MustCompile(`^([A-Z_]{1,40}|([a-z][A-Za-z_]{0,39}(\[\])?\.?)+)$`)

// word returns a constant, or the name or path of a field, and nothing of any other value.
func word(value any) string {
	text, isText := value.(string)
	switch {
	case value == nil:
		return "null"
	case isText && notName.MatchString(text):
		return "`" + text + "`"
	}
	return "another value"
}

// quantity returns a number with a noun.
func quantity(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// counted lists different texts with their numbers.
func counted(texts []string, none string) string {
	counts := map[string]int{}
	for _, text := range texts {
		counts[text]++
	}
	found := slices.Sorted(maps.Keys(counts))
	for i, text := range found {
		if counts[text] > 1 {
			found[i] = fmt.Sprintf("%s (%d times)", text, counts[text])
		}
	}
	if len(found) == 0 {
		return none
	}
	return strings.Join(found, "; ")
}
