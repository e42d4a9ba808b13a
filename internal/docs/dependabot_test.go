// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Dependabot updates each tool, in whose modules it must be named, and no lock file of npm names a
// host, so that npm uses the registry that is configured.
func TestDependabot(t *testing.T) {
	t.Parallel()
	config := readFile(t, root+"/.github/dependabot.yml")
	for _, test := range []struct{ named, files, inFile string }{
		{`dependency-name: (\S+)`, "go.mod", `(?m)^tool (\S+?)(?:/cmd/\S+)?$`},
		{`ecosystem: npm\s+directories: \[/(.*)\]`, "package-lock.json", ""},
	} {
		var named, want []string
		for _, match := range regexp.MustCompile(test.named).FindAllStringSubmatch(config, -1) {
			named = append(named, match[1])
		}
		files, _ := filepath.Glob(root + "/internal/tools/*/" + test.files)
		for _, file := range files {
			text := readFile(t, file)
			if strings.Contains(text, `"resolved"`) {
				t.Errorf("%s names hosts. Write it with npm install --omit-lockfile-registry-resolved", file)
			}
			name := "internal/tools/" + filepath.Base(filepath.Dir(file))
			if test.inFile != "" {
				name = regexp.MustCompile(test.inFile).FindStringSubmatch(text)[1]
			}
			want = append(want, name)
		}
		slices.Sort(named)
		slices.Sort(want)
		if diff := cmp.Diff(want, named); diff != "" || len(want) == 0 {
			t.Errorf("dependabot.yml does not name what is in %s (-want +got):\n%s", test.files, diff)
		}
	}
}
