// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

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
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, match := range regexp.MustCompile(`(?m)^\t\w+ += "([a-z_]+)"`).FindAllStringSubmatch(read("rules.go")+read("problems.go"), -1) {
		if name := match[1]; name != EqualStatistics && ruleNamed(name) == (builtIn{}) {
			t.Errorf("the table of rules has no row for %s", name)
		}
	}

	const page = "../../templates/guides/when-an-audit-fails.md.tmpl"
	var described []builtIn
	section := ""
	for line := range strings.Lines(read(page)) {
		if strings.HasPrefix(line, "## ") {
			section = strings.ToLower(line)
		}
		if line[0] != '#' && line[0] != '|' {
			continue
		}
		cell, _, _ := strings.Cut(line[1:], "|")
		for _, match := range regexp.MustCompile("`([a-z_]+)[`/]").FindAllStringSubmatch(cell, -1) {
			r := builtIn{match[1], LevelError, strings.Contains(section, "change")}
			if strings.Contains(section, "warning") {
				r.level = LevelWarning
			}
			described = append(described, r)
			if strings.Contains(r.name, "_") && !slices.Contains(rules, r) && !slices.Contains(flow.Kinds, r.name) {
				t.Errorf("the page describes %+v, which is no rule", r)
			}
		}
	}
	for _, r := range rules {
		if !slices.Contains(described, r) {
			t.Errorf("%s does not describe %+v", page, r)
		}
	}
}
