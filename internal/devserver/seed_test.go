// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// agentOf returns one agent of the default seed.
func agentOf(t *testing.T, id string) devserver.Agent {
	t.Helper()
	for _, agent := range devserver.DefaultSeed().Agents {
		if agent.ID == id {
			return agent
		}
	}
	t.Fatalf("no agent %q", id)
	return devserver.Agent{}
}

// lookup describes the value at a dotted path of a JSON document: absent, null, or its JSON.
func lookup(t *testing.T, document json.RawMessage, path string) string {
	t.Helper()
	for key := range strings.SplitSeq(path, ".") {
		var next json.RawMessage
		if index, err := strconv.Atoi(key); err == nil {
			var elements []json.RawMessage
			if err := json.Unmarshal(document, &elements); err != nil || index >= len(elements) {
				return "absent"
			}
			next = elements[index]
		} else {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(document, &fields); err != nil {
				return "absent"
			}
			var ok bool
			if next, ok = fields[key]; !ok {
				return "absent"
			}
		}
		document = next
	}
	return string(document)
}

// TestNumbers holds that the seed has numbers that no float64 can hold, and in more than one notation.
func TestNumbers(t *testing.T) {
	t.Parallel()
	definition := agentOf(t, "agt_returns").Definition
	for path, want := range map[string]string{
		"graph.nodes.1.numbers.beyondDouble": "9007199254740993",
		"graph.nodes.1.numbers.huge":         "12345678901234567890123",
		"graph.nodes.1.numbers.small":        "1e-7",
		"graph.nodes.0.graphCoordinates.y":   "1e3",
		"safeguards.riskScore":               "12.75",
	} {
		if got := lookup(t, definition, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestSummariesAgree holds that the list and the definition have the same value where both have one.
func TestSummariesAgree(t *testing.T) {
	t.Parallel()
	seed := devserver.DefaultSeed()
	seed.Agents = append(seed.Agents, devserver.ManyAgents(50).Agents...)
	for _, agent := range seed.Agents {
		for summary, definition := range map[string]string{
			"id":          "ref.key",
			"name":        "profile.title",
			"isPublished": "exposure.state.published",
			"createdAt":   "timestamps.created",
		} {
			inList, inDefinition := lookup(t, agent.Summary, summary), lookup(t, agent.Definition, definition)
			if slices.Contains([]string{"absent", "null"}, inDefinition) {
				continue
			}
			if inList != inDefinition {
				t.Errorf("%s: %s is %s in the list, but %s is %s", agent.ID, summary, inList, definition, inDefinition)
			}
		}
	}
}

func TestReadSeedErrors(t *testing.T) {
	t.Parallel()
	for file, content := range map[string]string{
		"callers.json":                "",
		"sessions.json":               "{}",
		"workspaces/ws_new.json":      `{"workspace":{"id":"ws_new"},"agents":{}}`,
		"agents/agt_returns.json":     `{"ref":`,
		"workspaces/ws_tidepool.json": `{"workspace":{"id":"ws_tidepool"},"agents":[{"id":"agt_missing"}]}`,
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("seed")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		named := file
		if strings.Contains(content, "agt_missing") {
			named = "agents/agt_missing.json"
		}
		if _, err := devserver.ReadSeed(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), named) {
			t.Errorf("%s: got the error %v, want one that names %s", file, err, named)
		}
	}
}
