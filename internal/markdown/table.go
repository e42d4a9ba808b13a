// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package markdown

import (
	"fmt"
	"strings"
)

// Table is a table of Markdown, which shows the first rows if it has too many.
type Table struct {
	All int // things, also those that are not shown

	text  string
	noun  string
	room  int // for further rows, in bytes
	shown int // things
}

// NewTable returns a table without rows. The noun is for what they show, such as "findings", and
// maxBytes limits all rows that are shown.
func NewTable(noun string, maxBytes int, columns ...string) *Table {
	return &Table{
		text: line(columns) + "|" + strings.Repeat("---|", len(columns)) + "\n",
		noun: noun,
		room: maxBytes,
	}
}

// Add adds a row of Markdown, which shows a number of things. The first row is always shown.
func (t *Table) Add(count int, cells ...string) {
	row := line(cells)
	t.All += count
	t.room -= len(row)
	if t.shown == 0 || t.room >= 0 {
		t.shown += count
		t.text += row
	}
}

func line(cells []string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// String returns the table, and a sentence if it does not show all rows.
func (t *Table) String() string {
	if t.shown == t.All {
		return t.text
	}
	return t.text + fmt.Sprintf("\nThe table shows %d of %d %s.\n", t.shown, t.All, t.noun)
}
