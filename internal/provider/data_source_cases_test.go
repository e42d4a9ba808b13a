// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import "slices"

// readCase is a read of the development server's data. The tests of errors and
// retries, and the fuzzing, use the cases, too.
type readCase struct {
	name   string
	source string
	config object
	// requests are all requests that the read sends, sorted.
	requests []string
	// want is the state without the arguments, written by hand from the
	// development server's data.
	want object
	// summary and about are how an error names a read that sends a single
	// request, and its object.
	summary, about string
}

// readCases returns the cases of all data sources.
func readCases() []readCase {
	return slices.Concat(
		workspaceCases(),
		membersCases(),
		agentsCases(),
		agentCases(),
		agentStatsCases(),
		workspaceAuditCases(),
	)
}

// casesOfOneRequest returns a case of each data source that sends a single
// request.
func casesOfOneRequest() []readCase {
	cases := slices.DeleteFunc(readCases(), func(c readCase) bool { return len(c.requests) > 1 })
	return slices.CompactFunc(cases, func(a, b readCase) bool { return a.source == b.source })
}
