// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxRows is the maximum number of rows that a table shows.
const MaxRows = 100

// Table can have groups of rows, such as one for each rule. If it has too many rows,
// it shows the first ones of each group.
type Table struct {
	Omitted int // things that were not added

	head     string
	noun     string
	maxBytes int
	rows     []row
	turns    map[string]int // rows by group
}

type row struct {
	position int // in the table
	turn     int // in the group
	count    int
	text     string
}

// NewTable returns a table without rows. The noun is for what they show, such as "findings", and
// maxBytes limits all rows that are shown.
func NewTable(noun string, maxBytes int, columns ...string) *Table {
	return &Table{
		head:     line(columns) + "|" + strings.Repeat("---|", len(columns)) + "\n",
		noun:     noun,
		maxBytes: maxBytes,
		turns:    map[string]int{},
	}
}

// Add adds a row of Markdown, which shows a number of things. The group is empty if the table has
// none.
func (t *Table) Add(group string, count int, cells ...string) {
	t.rows = append(t.rows, row{len(t.rows), t.turns[group], count, line(cells)})
	t.turns[group]++
}

func line(cells []string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// IsEmpty reports whether the table has no rows.
func (t *Table) IsEmpty() bool {
	return len(t.rows) == 0
}

// String returns the table, and a sentence if it does not show all rows.
func (t *Table) String() string {
	text, shown, all := t.head, 0, t.Omitted
	for _, row := range t.shown() {
		text += row.text
		shown += row.count
	}
	for _, row := range t.rows {
		all += row.count
	}
	if shown < all {
		text += fmt.Sprintf("\nThe table shows %d of %d %s.\n", shown, all, t.noun)
	}
	return text
}

// shown returns the rows that are shown: the first one of each group, then the second one of
// each, and so on, until the table is full.
func (t *Table) shown() []row {
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(x.turn, y.turn) })
	size := 0
	for n, row := range rows {
		size += len(row.text)
		if n == MaxRows || n > 0 && size > t.maxBytes {
			rows = rows[:n]
			break
		}
	}
	slices.SortFunc(rows, func(x, y row) int { return cmp.Compare(x.position, y.position) })
	return rows
}
