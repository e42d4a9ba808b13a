// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes Markdown: the report of an audit, and the tables and texts that
// it consists of. It accepts any names: none of them changes the structure of the
// report.
package report

import (
	"fmt"

	"github.com/convo/terraform-provider-convo/internal/audit"
)

// Report is the report of an audit.
type Report struct {
	// Markdown ends with a line break. It contains nothing that changes without a change of
	// the workspace.
	Markdown string `tfsdk:"markdown"`
	// Statistics is Markdown with what changes by itself. It is empty if the audit has no
	// statistics.
	Statistics string `tfsdk:"statistics"`
	// Errors and Warnings are the findings in the same order as in Markdown, each as its
	// keys on lines of their own, and an indented line. Equal findings are one.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
}

// New returns the report of an audit.
func New(a *audit.Assessment) *Report {
	return &Report{Markdown: write(a), Statistics: statistics(a.Audit), Errors: a.Lines(audit.LevelError), Warnings: a.Lines(audit.LevelWarning)}
}

func counted(count int, noun string) string {
	if count != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", count, noun)
}
