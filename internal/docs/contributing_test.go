// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The finished files of the recipe in CONTRIBUTING compile where its steps put them. An
// overlay adds them to the packages without changing a file.
func TestContributingCompiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	replaced := map[string]string{}
	for file, content := range map[string]string{
		"internal/convo/webhooks.go":                     readFile(t, "testdata/webhooks.go"),
		"internal/provider/webhooks_data_source.go":      readFile(t, "testdata/webhooks_data_source.go") + "\nvar _ = NewWebhooksDataSource\n",
		"internal/provider/webhooks_data_source_test.go": readFile(t, "testdata/webhooks_data_source_test.go"),
	} {
		path, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		replaced[path] = filepath.Join(dir, filepath.Base(file))
		writeFile(t, replaced[path], content)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "overlay.json"), string(overlay))
	// vet compiles without linking.
	vet := exec.CommandContext(t.Context(), "go", "vet", "-overlay", filepath.Join(dir, "overlay.json"), "./internal/provider")
	vet.Dir = root
	if output, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
