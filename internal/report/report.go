// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes Markdown: the report of an audit, and the tables and texts that
// it consists of. It accepts any names: none of them changes the structure of the
// report.
package report

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// ErrLevel reports a finding with an unknown level.
var ErrLevel = errors.New(`the level of each finding must be "error" or "warning"`)

// Finding is a result of a rule. Its level is error or warning.
type Finding struct {
	Level, Rule, Message string
}

// Report is the report of an audit.
type Report struct {
	// Markdown ends with a line break.
	Markdown string `tfsdk:"markdown"`
	// Errors and Warnings are the messages of the findings in the same order as in
	// the report, each on one line.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
}

// New returns the report of an audit. The changes are nil if there is no earlier record
// of the workspace.
func New(a *audit.Audit, findings []Finding, changes []audit.Change) (*Report, error) {
	report := &Report{Errors: []string{}, Warnings: []string{}}
	findings = inOrder(findings)
	for _, f := range findings {
		switch f.Level {
		case "error":
			report.Errors = append(report.Errors, plain(f.Message, maxText))
		case "warning":
			report.Warnings = append(report.Warnings, plain(f.Message, maxText))
		default:
			return nil, ErrLevel
		}
	}
	report.Markdown = report.write(a, findings, changes)
	return report, nil
}

// inOrder returns the findings about the workspace first, which can be the cause of
// others, and then the errors.
func inOrder(findings []Finding) []Finding {
	isFirst := func(f Finding) bool { return strings.HasPrefix(f.Rule, "workspace") }
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(x, y Finding) int {
		switch {
		case isFirst(x) && isFirst(y):
			return cmp.Compare(x.Rule, y.Rule)
		case isFirst(x):
			return -1
		case isFirst(y):
			return 1
		}
		return cmp.Compare(x.Level, y.Level)
	})
	return findings
}
