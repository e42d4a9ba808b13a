// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// Row is a group of findings that are equal except for what they concern.
type Row struct {
	Finding            // the first of them
	Keys      []string // of each
	Concerned []string // names with IDs
}

// Rows merges equal findings. Those about changes stay apart, because each key is needed.
func (a *Assessment) Rows() []*Row {
	var rows []*Row
	known := map[Finding]*Row{}
	for _, f := range a.Findings {
		group := f
		group.ID, group.Name = "", ""
		if f.ID != "" && !f.IsChange {
			group.Key = ""
		}
		row := known[group]
		if row == nil {
			row = &Row{Finding: f}
			known[group] = row
			rows = append(rows, row)
		}
		row.Keys = append(row.Keys, f.Key)
		if f.ID != "" {
			row.Concerned = append(row.Concerned, title(f.Name, f.ID))
		}
	}
	for _, row := range rows {
		row.Concerned = slices.Compact(row.Concerned) // The agents are sorted.
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

// ShownKeys are the keys of a row that are shown. Without a record, no key can be used.
func (a *Assessment) ShownKeys(row *Row) []string {
	if !a.HasRecord {
		return []string{keyPart(row.Rule)}
	}
	return oneline.First(row.Keys, maxKeys)
}

// Lines returns the findings of a level for a log. Each key has a line of its own, before
// indented lines with what was found, which no name can break, and with how long the key accepts it.
// All errors have at most maxErrorBytes with an empty line between them. The last one says how many
// keys are left out.
func (a *Assessment) Lines(level string) []string {
	rows := slices.DeleteFunc(a.Rows(), func(row *Row) bool { return row.Level != level })
	lines := []string{}
	unneeded, limit, share, size := "", maxWarnings, maxMessage, 0
	if level == LevelError && len(rows) > 0 {
		if len(a.Unneeded) > 0 {
			unneeded = "\n  " + oneline.Log("These keys in accepted match no finding: "+strings.Join(oneline.First(a.Unneeded, maxKeys), ", "), maxUnneeded)
		}
		// Each message has its share of two thirds. The rest is for the keys.
		limit, share = maxErrors, max(200, min(maxMessage, maxErrorBytes*2/3/len(rows)))
		size = len(unneeded) + len("and 1000000 more keys in the report")
	}
	for i, row := range rows {
		line := a.line(row, share)
		size += len(line) + len("\n\n")
		if i == limit || level == LevelError && size > maxErrorBytes {
			lines = append(lines, a.more(rows[i:]))
			break
		}
		lines = append(lines, line)
	}
	if unneeded != "" {
		lines[len(lines)-1] += unneeded
	}
	return lines
}

// line is a row in a log, with a message of limited length.
func (a *Assessment) line(row *Row, limit int) string {
	message := row.Message
	if len(row.Concerned) > 0 {
		message = strings.Join(oneline.First(row.Concerned, maxNames), ", ") + ": " + message
	}
	line := strings.Join(a.ShownKeys(row), "\n") + "\n  " + oneline.Log(message, limit)
	if a.HasRecord && row.Level == LevelError {
		line += "\n  The key accepts this " + row.Lasts() + "."
	}
	return line
}

// more counts the keys of rows that are left out.
func (a *Assessment) more(rows []*Row) string {
	count, noun := 0, ""
	for _, row := range rows {
		count += len(row.Keys)
	}
	if a.HasRecord && rows[0].Level == LevelError {
		noun = " keys"
	}
	return fmt.Sprintf("and %d more%s in the report", count, noun)
}

// Lasts says how long a key accepts the findings of a row.
func (r *Row) Lasts() string {
	if r.IsOnce() {
		return "once"
	}
	return "as long as it is in accepted"
}
