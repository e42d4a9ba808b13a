// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package oneline prepares texts of people and of the service for messages, diagrams,
// and reports.
package oneline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Text returns a text as one line of at most limit characters, followed by an
// ellipsis if it is longer. Control characters and characters that change the text
// direction are removed.
func Text(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r), r == '\u200c', r == '\u200d': // The last two only join letters and emoji.
			return r
		}
		return -1
	}, text)
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > limit {
		return strings.TrimSpace(string(line[:limit])) + "…"
	}
	return string(line)
}

// Separator is an invisible character. It separates characters that only have a meaning
// together. Text removes it from the texts themselves.
const Separator = "\u200b"

// Log returns Text for a log. GitHub Actions executes ::error:: and ##[error] in a log, so
// their characters are separated.
func Log(text string, limit int) string {
	return commands.Replace(commands.Replace(Text(text, limit))) // Twice, because they can overlap.
}

var commands = strings.NewReplacer("::", ":"+Separator+":", "##", "#"+Separator+"#", "#[", "#"+Separator+"[")

// Count returns a number of things, such as "1 agent" or "2 agents".
func Count(number int, noun string) string {
	if number != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}

// List joins the texts that First returns.
func List(texts []string, limit int) string { return strings.Join(First(texts, limit), ", ") }

// First returns the first texts and, if there are more, the number of the others.
func First(texts []string, limit int) []string {
	if more := len(texts) - limit; more > 0 {
		return append(slices.Clone(texts[:limit]), fmt.Sprintf("and %d more", more))
	}
	return texts
}
