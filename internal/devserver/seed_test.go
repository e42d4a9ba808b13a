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
