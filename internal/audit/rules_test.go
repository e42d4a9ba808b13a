// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/flow"
)

// Rules are the built-in rules with their levels.
var Rules = func() (all []string) {
	for _, r := range rules {
		all = append(all, r.level+" "+r.name)
	}
	return all
}()

// Each name of a rule has a row in the table of rules. The page describes each of them, by a heading or
// in the first cell of a table, in a section about errors or warnings, and about changes or not.
func TestRules(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, _ := os.ReadFile(name)
		return string(text)
	}
	for _, match := range regexp.MustCompile(`(?m)^\t\w+ += "([a-z_]+)"`).FindAllStringSubmatch(read("rules.go")+read("problems.go"), -1) {
		if match[1] != EqualStatistics && ruleNamed(match[1]) == (builtIn{}) {
			t.Errorf("the table of rules has no row for %s", match[1])
		}
	}
	want, described := map[builtIn]bool{}, map[builtIn]bool{}
	for _, r := range rules {
		want[r] = true
	}
	section := ""
	for line := range strings.Lines(read("../../templates/guides/when-an-audit-fails.md.tmpl")) {
		if strings.HasPrefix(line, "## ") {
			section = strings.ToLower(line)
		}
		r := builtIn{"", LevelError, strings.Contains(section, "change")}
		if strings.Contains(section, LevelWarning) {
			r.level = LevelWarning
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, match := range regexp.MustCompile("`([a-z_]+)[`/]").FindAllStringSubmatch(cell, -1) {
			r.name = match[1]
			isRule := ruleNamed(r.name) != (builtIn{}) || strings.Contains(r.name, "_")
			if (line[0] == '#' || line[0] == '|') && isRule && !slices.Contains(flow.Kinds, r.name) {
				described[r] = true
			}
		}
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("the page does not describe the rules as they are (-table +page):\n%s", diff)
	}
}
