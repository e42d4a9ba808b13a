// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package report writes the report of an audit in Markdown, and compares the
// audit with the record of an earlier one. It accepts any names: none of them
// changes the structure of the report.
package report

import (
	"encoding/json"
	"errors"
)

// Errors of New. They do not quote the arguments.
var (
	ErrAudit  = errors.New("this is not the JSON text of an audit")
	ErrLevel  = errors.New(`the level of each finding must be "error" or "warning"`)
	ErrRecord = errors.New("this is not a record")
)

// Finding is a result of a rule. Its level is error or warning.
type Finding struct {
	Level, Rule, Message string
}

// Change is a difference between two records. Before and After are nil for what
// did not exist.
type Change struct {
	What   string  `tfsdk:"what"`
	ID     string  `tfsdk:"id"`
	Before *string `tfsdk:"before"`
	After  *string `tfsdk:"after"`
}

// Report is the result of an audit.
type Report struct {
	// Markdown is the report, which ends with a line break.
	Markdown string `tfsdk:"markdown"`
	// Record is JSON text for the next report.
	Record string `tfsdk:"record"`
	// Changes are sorted: those of the workspace, of members, and of agents.
	Changes []Change `tfsdk:"changes"`
	// Errors and Warnings are the messages of the findings, each on one line.
	Errors   []string `tfsdk:"errors"`
	Warnings []string `tfsdk:"warnings"`
}

// unknown is the state of an agent of which nothing was read.
const unknown = "unknown"

// New returns the report of an audit, which is the JSON text of the result of
// convo_workspace_audit. Previous is the record of an earlier report, or nil.
func New(auditText string, findings []Finding, previous *string) (*Report, error) {
	a, err := parseAudit(auditText)
	if err != nil {
		return nil, err
	}
	report := &Report{Changes: []Change{}, Errors: []string{}, Warnings: []string{}}
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
	before := &record{}
	comparison := "There is no earlier record."
	if previous != nil {
		if before, err = parseRecord(*previous); err != nil {
			return nil, err
		}
		comparison = "There are no changes."
	}
	if id, earlier := value(a.Workspace.ID), value(before.WorkspaceID); id != "" && earlier != "" && id != earlier {
		before, previous = &record{}, nil
		comparison = "The earlier record is of another workspace."
	}
	current := newRecord(a, before)
	if previous != nil {
		report.Changes = changes(before, current)
	}
	encoded, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	report.Record = string(encoded)
	report.Markdown = report.write(a, findings, comparison)
	return report, nil
}
