// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Nobody adds, renames, or removes an attribute without an entry in the changelog: the
// test compares all attributes with testdata/attributes.txt, and -update fails without the
// entry. Ephemeral resources have the attributes of their data sources.
func TestAttributes(t *testing.T) {
	t.Parallel()
	var got []string
	for _, served := range servedTypes(t) {
		if served.kind != "functions" && served.kind != "ephemeral-resources" {
			got = slices.AppendSeq(got, maps.Keys(served.attributes()))
		}
	}
	slices.Sort(got)
	file := filepath.Join("testdata", "attributes.txt")
	listed := strings.Fields(readText(t, file))
	report := func(change string, paths, others []string) {
		for _, path := range paths {
			parent, name := path[:strings.LastIndex(path, ".")], path[strings.LastIndex(path, ".")+1:]
			isPart := slices.Contains(paths, parent) && !slices.Contains(others, parent)
			if slices.Contains(others, path) || isPart || *update && isInChangelog(t, path) {
				continue
			}
			t.Errorf("%s is %s. Add an entry to CHANGELOG.md that contains `%s` and %s, or introduces the type, and run "+
				"go test ./internal/provider -run TestAttributes -update (step 4 of Add an Attribute in ADDING.md)",
				path, change, name, strings.Split(path, ".")[1])
		}
	}
	report("new", got, listed)
	report("removed", listed, got)
	if *update && !t.Failed() {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// isInChangelog reports whether an unreleased entry introduces an attribute's type, or
// contains the names of both.
func isInChangelog(t *testing.T, path string) bool {
	t.Helper()
	_, unreleased, _ := strings.Cut(readText(t, "../../CHANGELOG.md"), "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	names := strings.Split(path, ".")
	namesType := regexp.MustCompile(`\b` + names[1] + `\b`)
	return slices.ContainsFunc(strings.Split(unreleased, "\n* "), func(entry string) bool {
		return namesType.MatchString(entry) && (strings.HasPrefix(entry, "**New ") || strings.Contains(entry, "`"+names[len(names)-1]+"`"))
	})
}

// The pages of the documentation have been generated from these schemas. A page refers to
// other pages for the attributes that it has in common with them. Those of graph_findings
// are the return value of the function.
func TestPagesShowTheAttributes(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	// The link of a write-only attribute has parentheses, too.
	line := regexp.MustCompile("(?m)^- `(\\w+)` \\((?:[^()]|\\([^)]*\\))*\\) (.*?)( \\(see \\[below.*)?$")
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../docs/index.md") {
		for _, match := range line.FindAllStringSubmatch(readText(t, page), -1) {
			shown[match[1]+" "+match[2]] = true
		}
	}
	findings := readText(t, "../../docs/functions/graph_findings.md")
	for _, served := range servedTypes(t) {
		for path, attribute := range served.attributes() {
			if strings.Contains(path, ".graph_findings.") && strings.Contains(findings, "`"+attribute.Name+"`") {
				continue
			}
			if served.kind != "functions" && !shown[attribute.Name+" "+attribute.Description] {
				t.Errorf("%s is not in docs, or its description is not. Run make generate (step 4 of Add an Attribute in ADDING.md)", path)
			}
		}
	}
}
