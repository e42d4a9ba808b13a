// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

func TestReadSeedErrors(t *testing.T) {
	t.Parallel()
	for file, content := range map[string]string{
		"callers.json":           "",
		"sessions.json":          "{}",
		"workspaces/ws_new.json": `{"workspace":{"id":"ws_new"},"agents":{}}`,
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("seed")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := devserver.ReadSeed(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got the error %v, want one that names the file", file, err)
		}
	}
}

// TestReadSeedWithoutADefinition holds that an agent without its file has an error, and the others have none.
func TestReadSeedWithoutADefinition(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("seed")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "agents", "agt_trade.json")); err != nil {
		t.Fatal(err)
	}
	seed, err := devserver.ReadSeed(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range seed.Agents {
		if missing := agent.Err != nil && strings.Contains(agent.Err.Error(), "agents/agt_trade.json"); missing != (agent.ID == "agt_trade") {
			t.Errorf("%s has the error %v", agent.ID, agent.Err)
		}
	}
}
