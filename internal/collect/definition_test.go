// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package collect

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/audit"
	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// While a large definition is decoded, small ones are decoded, too, but no other large one.
func TestLargeDefinitionsAreDecodedInTurn(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	large := devserver.LargeAgent("agt_large", 2*largeDefinition)
	large.WorkspaceID = seed.Workspaces[0].ID
	large.Definition = bytes.Replace(large.Definition, []byte(`"labels"`), []byte(`"labels": 1, "other"`), 1)
	seed.Agents = append(seed.Agents, large)
	server := httptest.NewServer(http.StripPrefix("/api", devserver.New(seed)))
	defer server.Close()
	client, err := convo.New(convo.Config{BaseURL: server.URL + "/api", Token: devserver.TokenWrite})
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{client: client, audit: &audit.Audit{}}
	read := func(id string) chan error {
		done := make(chan error, 1)
		go func() {
			done <- c.readDefinition(t.Context(), newAgent(api.AgentSummary{ID: &id}, nil))
		}()
		return done
	}
	c.large.Lock()
	done := read(large.ID)
	if err := <-read("agt_orders"); err != nil {
		t.Error(err)
	}
	select {
	case err := <-done:
		t.Fatalf("another large definition was decoded at the same time (%v)", err)
	case <-time.After(time.Second): // Without the lock, it takes a tenth of that.
	}
	c.large.Unlock()
	if err := <-done; err == nil { // It is not as documented, which only decoding shows.
		t.Error("the large definition was not decoded")
	}
}
