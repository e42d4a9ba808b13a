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

// Rules are the built-in rules with their levels. One of them has two.
var Rules = func() []string {
	all := []string{LevelWarning + " " + ruleForeignAgents}
	for rule, level := range levels {
		all = append(all, level+" "+rule)
	}
	return all
}()

// Each name of a rule has a row in the table of levels. The page describes each of them, by a heading or
// in the first cell of a table, in a section about errors or warnings, and about changes or not.
func TestRules(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, _ := os.ReadFile(name)
		return string(text)
	}
	for _, match := range regexp.MustCompile(`(?m)^\t\w+ += "([a-z_]+)"`).FindAllStringSubmatch(read("rules.go")+read("problems.go"), -1) {
		if match[1] != EqualStatistics && levelOf(match[1]) == "" {
			t.Errorf("the table of levels has no row for %s", match[1])
		}
	}
	want, described := map[string]bool{}, map[string]bool{} // whether they are about changes
	for _, rule := range Rules {
		want[rule] = slices.Contains(aboutChanges, strings.Fields(rule)[1])
	}
	section := ""
	for line := range strings.Lines(read("../../templates/guides/when-an-audit-fails.md.tmpl")) {
		if strings.HasPrefix(line, "## ") {
			section = strings.ToLower(line)
		}
		level := LevelError
		if strings.Contains(section, LevelWarning) {
			level = LevelWarning
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, match := range regexp.MustCompile("`([a-z_]+)[`/]").FindAllStringSubmatch(cell, -1) {
			rule := match[1]
			isRule := levelOf(rule) != "" || strings.Contains(rule, "_")
			if (line[0] == '#' || line[0] == '|') && isRule && !slices.Contains(flow.Kinds, rule) {
				described[level+" "+rule] = strings.Contains(section, "change")
			}
		}
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("the page does not describe the rules as they are (-table +page):\n%s", diff)
	}
}
