// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Dependabot updates each tool, in whose modules it must be named, and no lock file of npm names a
// host, so that npm uses the registry that is configured.
func TestDependabot(t *testing.T) {
	t.Parallel()
	var config struct {
		Updates []struct {
			Ecosystem   string   `json:"package-ecosystem"`
			Directories []string `json:"directories"`
			Allow       []struct {
				Name string `json:"dependency-name"`
			} `json:"allow"`
		} `json:"updates"`
	}
	if err := yaml.Unmarshal([]byte(readFile(t, root+"/.github/dependabot.yml")), &config); err != nil {
		t.Fatal(err)
	}
	var named, packages []string
	for _, update := range config.Updates {
		for _, allowed := range update.Allow {
			if allowed.Name != "" {
				named = append(named, allowed.Name)
			}
		}
		if update.Ecosystem == "npm" {
			packages = append(packages, update.Directories...)
		}
	}
	modules, _ := filepath.Glob(root + "/internal/tools/*/go.mod")
	for _, module := range modules {
		_, after, _ := strings.Cut(readFile(t, module), "\ntool ")
		tool, _, _ := strings.Cut(after, "\n")
		isNamed := func(name string) bool { return strings.HasPrefix(tool+"/", name+"/") }
		if tool == "" || !slices.ContainsFunc(named, isNamed) {
			t.Errorf("dependabot.yml does not name the tool of %s", module)
		}
		named = slices.DeleteFunc(named, isNamed)
	}
	if len(modules) == 0 || len(named) > 0 {
		t.Errorf("%d modules have a tool, and none has %q, which dependabot.yml names", len(modules), named)
	}
	locks, _ := filepath.Glob(root + "/internal/tools/*/package-lock.json")
	for _, lock := range locks {
		if strings.Contains(readFile(t, lock), `"resolved"`) {
			t.Errorf("%s names hosts. Write it with npm install --omit-lockfile-registry-resolved", lock)
		}
		isIts := func(directory string) bool { return filepath.Join(root, directory) == filepath.Dir(lock) }
		if !slices.ContainsFunc(packages, isIts) {
			t.Errorf("dependabot.yml does not name the directory of %s", lock)
		}
		packages = slices.DeleteFunc(packages, isIts)
	}
	if len(locks) == 0 || len(packages) > 0 {
		t.Errorf("%d directories have a package-lock.json, and none of %q", len(locks), packages)
	}
}
