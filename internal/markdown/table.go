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
	Noun     string   // for the rows: "findings"
	Columns  []string // titles; those that begin with a colon are aligned right
	MaxBytes int      // of all rows that are shown
	Omitted  int      // rows that were not added

	rows []row
}

type row struct{ group, text string }

// Add adds a row of Markdown. The group is empty if the table has none.
func (t *Table) Add(group string, cells ...string) {
	t.rows = append(t.rows, row{group, line(cells)})
}

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// IsEmpty reports whether the table has no rows.
func (t *Table) IsEmpty() bool { return len(t.rows) == 0 }

// String returns the table, and a sentence if it does not show all rows.
func (t *Table) String() string {
	var b strings.Builder
	var titles []string
	rule := "|"
	for _, column := range t.Columns {
		title, isRight := strings.CutPrefix(column, ":")
		titles = append(titles, title)
		if isRight {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	b.WriteString(line(titles) + rule + "\n")
	shown := t.shown()
	for _, i := range shown {
		b.WriteString(t.rows[i].text)
	}
	if all := len(t.rows) + t.Omitted; len(shown) < all {
		fmt.Fprintf(&b, "\nThe table shows %d of %d %s.\n", len(shown), all, t.Noun)
	}
	return b.String()
}

// shown returns the positions of the rows that are shown: the first one of each group, then the
// second one of each, and so on, until the table is full.
func (t *Table) shown() []int {
	order := make([]int, len(t.rows))
	turns := make([]int, len(t.rows))
	count := map[string]int{}
	for i, row := range t.rows {
		order[i], turns[i] = i, count[row.group]
		count[row.group]++
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(turns[x], turns[y]) })
	size := 0
	for n, i := range order {
		size += len(t.rows[i].text)
		if n == MaxRows || n > 0 && size > t.MaxBytes {
			order = order[:n]
			break
		}
	}
	slices.Sort(order)
	return order
}
