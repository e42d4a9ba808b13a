// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand replaces the expressions in a value of GitHub Actions.
func expand(t *testing.T, text string, values map[string]any) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(strings.ReplaceAll(text, "\n", " "), func(match string) string {
		return fmt.Sprint(evaluate(t, match[3:len(match)-2], values))
	})
}

var token = regexp.MustCompile(`'[^']*'|"[^"]*"|\$?[A-Za-z_][A-Za-z0-9_.-]*(\(\))?|\|\||&&|==|!=|[()!]`)

// evaluate evaluates an expression of GitHub Actions or a rule of GitLab. What has no
// value is empty.
func evaluate(t *testing.T, text string, values map[string]any) any {
	t.Helper()
	tokens := token.FindAllString(text, -1)
	next := func(wanted string) bool {
		found := len(tokens) > 0 && tokens[0] == wanted
		if found {
			tokens = tokens[1:]
		}
		return found
	}
	var either func() any
	value := func() any {
		if next("(") {
			inner := either()
			next(")")
			return inner
		}
		if len(tokens) == 0 {
			t.Fatalf("%q ends too early", text)
		}
		token := tokens[0]
		tokens = tokens[1:]
		switch value, ok := values[token]; {
		case strings.ContainsAny(token[:1], `'"`):
			return token[1 : len(token)-1]
		case ok:
			return value
		}
		return ""
	}
	comparison := func() any {
		left := value()
		switch {
		case next("=="):
			return fmt.Sprint(left) == fmt.Sprint(value())
		case next("!="):
			return fmt.Sprint(left) != fmt.Sprint(value())
		}
		return left
	}
	both := func() any {
		left := comparison()
		for next("&&") {
			if right := comparison(); truthy(left) {
				left = right
			}
		}
		return left
	}
	either = func() any {
		left := both()
		for next("||") {
			if right := both(); !truthy(left) {
				left = right
			}
		}
		return left
	}
	result := either()
	if len(tokens) > 0 {
		t.Fatalf("unable to evaluate %q from %q", text, tokens)
	}
	return result
}

func truthy(value any) bool { return value != "" && value != false }
