// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Guides is where the guides are, which messages and reports name.
const Guides = "https://github.com/convo/terraform-provider-convo/blob/main/docs/guides"

// Row is a group of findings that are equal except for what they concern.
type Row struct {
	Finding            // the first of them
	Count     int      // of them
	Keys      []string // of them, or the rule if there is no record
	Concerned []string // names with IDs
}

// Rows merges equal findings. Those about changes stay apart, because each key is needed.
func (a *Assessment) Rows() []*Row {
	var rows []*Row
	known := map[Finding]*Row{}
	for _, f := range a.Findings {
		group := f
		group.ID, group.Name = "", ""
		if f.ID != "" && !f.IsOnce {
			group.Key = ""
		}
		row := known[group]
		if row == nil {
			row = &Row{Finding: f}
			known[group] = row
			rows = append(rows, row)
		}
		row.Count++
		row.Keys = append(row.Keys, f.Key)
		if f.ID != "" {
			row.Concerned = append(row.Concerned, title(f.Name, f.ID))
		}
	}
	for _, row := range rows {
		row.Concerned = slices.Compact(row.Concerned) // The agents are sorted.
		// Without a record, nothing can be accepted.
		if !a.HasRecord {
			row.Keys = []string{keyOf(row.Rule)}
		}
	}
	return rows
}

// title is a name with its ID. A long name must not hide the others in a list.
func title(name, id string) string {
	name = oneline.Text(name, maxTitle)
	if name == "" || name == id {
		return id
	}
	return name + " (" + id + ")"
}

// Lines returns the findings of a level for a log. Each key has a line of its own, before
// indented lines with what was found, which no name can break, and with how long the key of an error
// accepts it. With an empty line between them, they have at most maxBytes. Each message has its
// share of two thirds, so that there is room for keys. The last one says how many findings are left
// out, and what to do about errors.
func (a *Assessment) Lines(level string) []string {
	rows := slices.DeleteFunc(a.Rows(), func(row *Row) bool { return row.Level != level })
	limit, end := maxWarnings, ""
	if level == LevelError {
		limit = maxErrors
		if len(a.Unneeded) > 0 {
			end = "\n\n  " + oneline.Log("These keys in accepted match no finding: "+oneline.List(a.Unneeded, maxNames), maxUnneeded)
		}
		end += "\n  What to do: " + Guides + "/when-an-audit-fails.md"
	}
	omitted := 0
	for _, row := range rows {
		omitted += row.Count
	}
	room := maxBytes - len(end) - len("and 1000000 more findings in the report")
	lines := []string{}
	for i, row := range rows {
		line := strings.Join(oneline.First(row.Keys, maxNames), "\n") + "\n  " + row.line(maxBytes*2/3/min(limit, len(rows)))
		if a.HasRecord && level == LevelError {
			line += "\n  The key accepts this " + lasts[row.IsOnce] + "."
		}
		room -= len(line) + len("\n\n")
		if i == limit || room < 0 {
			lines = append(lines, "and "+oneline.Count(omitted, "more finding")+" in the report")
			break
		}
		omitted -= row.Count
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		lines[len(lines)-1] += end
	}
	return lines
}

// line says what was found, in at most so many bytes and an ellipsis.
func (r *Row) line(limit int) string {
	message := r.Message
	if len(r.Concerned) > 0 {
		message = oneline.List(r.Concerned, maxNames) + ": " + message
	}
	limit = min(limit, maxMessage)
	message = oneline.Log(message, limit)
	if len(message) > limit+len("…") { // Its characters have more bytes.
		message = strings.ToValidUTF8(message[:limit], "") + "…"
	}
	return message
}

// lasts says how long a key accepts a finding, if it is once, or not.
var lasts = map[bool]string{true: "once", false: "as long as it is in accepted"}
