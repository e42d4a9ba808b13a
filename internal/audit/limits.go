// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import "github.com/convo/terraform-provider-convo/internal/oneline"

// Limits of texts, in characters unless they say otherwise. The report has limits for its tables.
const (
	// A change has a name, values, and parts of a list or a definition, of which it names the first.
	maxName  = 200
	maxValue = 2000
	maxParts = 20

	// A message names the first objects with titles, and the first keys.
	maxTitle    = 60
	maxNames    = 5
	maxMessage  = 3000
	maxUnneeded = 500

	// A log has errors, and warnings, which each plan repeats. All lines of a level together have maxBytes
	// bytes, so that the errors fit into a comment on GitHub together with the report.
	maxErrors   = 50
	maxWarnings = 3
	maxBytes    = 15_000
)

// shortened returns a text as one line.
func shortened(value *string, limit int) *string {
	if value == nil {
		return nil
	}
	return new(oneline.Text(*value, limit))
}
