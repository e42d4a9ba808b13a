// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// startControl mounts a service below /api and its control paths at the root.
func startControl(t *testing.T, opts ...devserver.Option) (server *devserver.Server, url string) {
	t.Helper()
	server = devserver.New(append(opts, devserver.WithRecording())...)
	mux := http.NewServeMux()
	mux.Handle("/-/", server.Control())
	mux.Handle("/api/", http.StripPrefix("/api", server))
	httpServer := httptest.NewServer(mux)
	t.Cleanup(httpServer.Close)
	return server, httpServer.URL
}

func TestControlWorkspace(t *testing.T) {
	t.Parallel()
	_, url := startControl(t)
	changed := strings.NewReplacer(`"isPastDue":true`, `"isPastDue":false`, `"slug":"larkspur"`, `"slug":"spur"`).Replace(larkspur)

	got := send(t, "PATCH", url+"/-/workspaces/larkspur", "", `{"isPastDue":false,"slug":"spur"}`)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"isPastDue":false`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for path, status := range map[string]int{"ws_larkspur01": 200, "spur": 200, "larkspur": 404} {
		got := get(t, url+"/api/v1/workspaces/"+path, devserver.TokenRead)
		if got.status != status || status == 200 && !sameJSON(t, got.body, changed) {
			t.Errorf("%s: got %d %s, want %d", path, got.status, got.body, status)
		}
	}
}

func TestControlMembers(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	_, url := startControl(t, devserver.WithSeed(seed))
	_, otherURL := start(t, devserver.WithSeed(seed))
	before := get(t, otherURL+"/v1/workspaces/ws_tidepool02/members", devserver.TokenRead)

	const members = "/-/workspaces/ws_tidepool02/members/"
	expect(t, send(t, "PATCH", url+members+"adaeze@larkspur-bicycles.example", "", `{"role":"GUEST","user":{"image":null}}`), 200,
		`{"role":"GUEST","user":{"email":"adaeze@larkspur-bicycles.example","name":"Adaeze Nwosu"},"workspaceId":"ws_tidepool02"}`)
	expect(t, send(t, "PATCH", url+members+"new@tidepool-studio.example", "", `{"role":"ADMIN"}`), 200,
		`{"role":"ADMIN","user":{"email":"new@tidepool-studio.example"},"workspaceId":"ws_tidepool02"}`)
	expect(t, send(t, "DELETE", url+members+"kai@tidepool-studio.example", "", ""), 200,
		`{"workspaceId":"ws_tidepool02","user":{"email":"kai@tidepool-studio.example"},"role":"MEMBER"}`)

	expect(t, get(t, url+"/api/v1/workspaces/ws_tidepool02/members", devserver.TokenRead), 200,
		`{"members":[{"role":"GUEST","user":{"email":"adaeze@larkspur-bicycles.example","name":"Adaeze Nwosu"},`+
			`"workspaceId":"ws_tidepool02"},`+
			`{"workspaceId":"ws_tidepool02","user":{"name":null,"email":null,"image":null},"role":"MEMBER"},`+
			`{"workspaceId":"ws_tidepool02","user":null,"role":"GUEST"},`+
			`{"workspaceId":null,"user":{"name":"Noa Lind","email":"noa@tidepool-studio.example","image":null},"role":null},`+
			`{"user":{"name":"Front desk"}},`+
			`{"role":"ADMIN","user":{"email":"new@tidepool-studio.example"},"workspaceId":"ws_tidepool02"}]}`)
	if after := get(t, otherURL+"/v1/workspaces/ws_tidepool02/members", devserver.TokenRead); after.body != before.body {
		t.Errorf("the change reached another service with the same seed:\n%s", after.body)
	}
}

func TestControlAgent(t *testing.T) {
	t.Parallel()
	_, url := startControl(t)
	const body = `{"summary":{"name":"Draft","tags":["tag_new"]},"definition":{"profile":{"title":"Draft"},"graph":{"nodes":[1e400]}}}`
	if got := send(t, "PATCH", url+"/-/agents/agt_scratch", "", body); got.status != http.StatusOK {
		t.Errorf("got %d %s", got.status, got.body)
	}

	list := get(t, url+"/api/v1/agents", devserver.TokenGuest)
	const inList = `{"createdAt":"2026-03-18T08:59:59.999Z","description":"","icon":null,"id":"agt_scratch",` +
		`"isPublished":false,"name":"Draft","tags":["tag_new"]}`
	if !strings.Contains(list.body, inList) {
		t.Errorf("the list lacks %s:\n%s", inList, list.body)
	}
	alone := get(t, url+"/api/v1/agents/agt_scratch", devserver.TokenGuest)
	for _, part := range []string{
		`"graph":{"entrypoints":[{"id":"ent_start","type":"start"}],"links":[],"memory":null,"nodes":[1e400]}`,
		`"profile":{"labels":[],"title":"Draft"}`, `"canvas":null`,
	} {
		if !strings.Contains(alone.body, part) {
			t.Errorf("the definition lacks %s:\n%s", part, alone.body)
		}
	}
}

func TestControlRevision(t *testing.T) {
	t.Parallel()
	_, url := startControl(t)
	expect(t, send(t, "POST", url+"/-/agents/agt_returns/revise", "", ""), 200, `{"revision":"43"}`)
	got := get(t, url+"/api/v1/agents/agt_returns", devserver.TokenGuest)
	if !strings.Contains(got.body, `"revision":"43"`) {
		t.Errorf("got %s", got.body)
	}
}

func TestControlCounters(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	_, url := startControl(t, devserver.WithSeed(seed))
	for _, step := range []struct{ agent, body, today, allTime string }{
		{"agt_returns", `{"views":5,"starts":2}`, `{"day":"2026-03-18","views":12,"starts":5,"completed":1}`, statsBody(1535815, 153602, 15368)},
		{"agt_returns", `{"completed":1}`, `{"day":"2026-03-18","views":12,"starts":5,"completed":2}`, statsBody(1535815, 153602, 15369)},
		{"agt_scratch", `{"views":1}`, `{"day":"2026-03-18","views":1,"starts":0,"completed":0}`, statsBody(1, 0, 0)},
	} {
		expect(t, send(t, "POST", url+"/-/agents/"+step.agent+"/count", "", step.body), 200, step.today)
		expect(t, get(t, url+"/api/v1/agents/"+step.agent+"/analytics/stats", devserver.TokenGuest), 200, step.allTime)
	}
	_, otherURL := start(t, devserver.WithSeed(seed))
	expect(t, get(t, otherURL+"/v1/agents/agt_returns/analytics/stats", devserver.TokenGuest), 200, statsBody(1535810, 153600, 15368))
}

func TestControlRefusals(t *testing.T) {
	t.Parallel()
	server, url := startControl(t)
	for _, test := range []struct {
		target, body string
		status       int
	}{
		{"PATCH /-/workspaces/absent", `{}`, 404},
		{"PATCH /-/workspaces/larkspur", `{"slug":7}`, 400},
		{"PATCH /-/workspaces/larkspur", `[]`, 400},
		{"PATCH /-/workspaces/larkspur", `{} {}`, 400},
		{"PATCH /-/workspaces/larkspur", ``, 400},
		{"PATCH /-/workspaces/absent/members/a@b", `{}`, 404},
		{"DELETE /-/workspaces/larkspur/members/a@b", ``, 404},
		{"PATCH /-/agents/absent", `{}`, 404},
		{"PATCH /-/agents/agt_returns", `{"name":"not a part"}`, 400},
		{"PATCH /-/agents/agt_returns", `{"definition":[]}`, 400},
		{"POST /-/agents/absent/revise", ``, 404},
		{"POST /-/agents/absent/count", `{}`, 404},
		{"POST /-/agents/agt_returns/count", `{"views":"1"}`, 400},
		{"GET /-/agents/agt_returns", ``, 405},
		{"GET /-/", ``, 404},
	} {
		method, path, _ := strings.Cut(test.target, " ")
		if got := send(t, method, url+path, "", test.body); got.status != test.status {
			t.Errorf("%s %s: got %d %s, want %d", test.target, test.body, got.status, got.body, test.status)
		}
	}
	if recorded := server.Requests(); len(recorded) > 0 {
		t.Errorf("control requests are recorded: %v", recorded)
	}
	got := get(t, url+"/api/v1/agents/agt_returns", devserver.TokenGuest)
	want := get(t, startURL(t)+"/v1/agents/agt_returns", devserver.TokenGuest)
	if got.body != want.body {
		t.Errorf("a refused change left %s", got.body)
	}
}

func startURL(t *testing.T) string {
	t.Helper()
	_, baseURL := start(t)
	return baseURL
}

func TestControlRefusesOtherMachines(t *testing.T) {
	t.Parallel()
	control := devserver.New().Control()
	for peer, status := range map[string]int{
		"127.0.0.1:50000":        200,
		"127.8.8.8:50000":        200,
		"[::1]:50000":            200,
		"[::ffff:127.0.0.1]:500": 200,
		"192.0.2.1:50000":        403,
		"[2001:db8::1]:50000":    403,
		"0.0.0.0:50000":          403,
		"":                       403,
	} {
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/-/agents/agt_returns/revise", http.NoBody)
		request.RemoteAddr = peer
		if got := serve(control, request); got.Code != status {
			t.Errorf("%q: got %d %s, want %d", peer, got.Code, got.Body, status)
		}
	}
}

// TestControlIsNotPartOfTheService holds that the service itself does not serve the control paths.
func TestControlIsNotPartOfTheService(t *testing.T) {
	t.Parallel()
	_, baseURL := start(t)
	got := send(t, "POST", baseURL+"/-/agents/agt_returns/revise", "Bearer "+devserver.TokenWrite, "")
	expect(t, got, http.StatusNotFound, notFoundBody)
}
