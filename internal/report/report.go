// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report compares an audit with the record of an earlier one, and writes
// the report of an audit in Markdown. It accepts any names: none of them changes
// the structure of the report.
package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Errors of the arguments, which they do not quote.
var (
	ErrAudit  = errors.New("this is not the JSON text of an audit")
	ErrLevel  = errors.New(`the level of each finding must be "error" or "warning"`)
	ErrRecord = errors.New("this is not a record")
)

// unknown is the text for what was not read.
const unknown = "unknown"

// Change is a difference between two records. Before and After are nil for what
// did not exist.
type Change struct {
	What   string  `tfsdk:"what"`
	ID     string  `tfsdk:"id"`
	Name   string  `tfsdk:"name"`
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
}

// Comparison is the record of an audit and its differences from an earlier one.
type Comparison struct {
	// Record is JSON text for the next comparison.
	Record string `tfsdk:"record"`
	// Changes are nil if there is no earlier record of the workspace.
	Changes []Change `tfsdk:"changes"`
}

// Compare compares an audit, which is the JSON text of the result of
// convo_workspace_audit, with the record of an earlier audit. This is nil if there
// is none.
func Compare(auditText string, previous *string) (*Comparison, error) {
	a, err := parseAudit(auditText)
	if err != nil {
		return nil, err
	}
	before := &record{}
	if previous != nil {
		if before, err = parseRecord(*previous); err != nil {
			return nil, err
		}
	}
	if id, earlier := value(a.Workspace.ID), value(before.WorkspaceID); id != "" && earlier != "" && id != earlier {
		before, previous = &record{}, nil // The record is of another workspace.
	}
	current := newRecord(a, before)
	encoded, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	comparison := &Comparison{Record: string(encoded)}
	if previous != nil {
		comparison.Changes = changes(before, current, a.Workspace.Name)
	}
	return comparison, nil
}

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

// New returns the report of an audit, which is the JSON text of the result of
// convo_workspace_audit. The changes are nil if there is no earlier record of the
// workspace.
func New(auditText string, findings []Finding, changes []Change) (*Report, error) {
	a, err := parseAudit(auditText)
	if err != nil {
		return nil, err
	}
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
