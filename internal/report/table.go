// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxRows is the maximum number of rows that a table shows, and maxBytes that of
// their bytes in most tables, so that all sections fit into the report.
const (
	maxRows  = 100
	maxBytes = 6000
)

// table can have groups of rows, such as one for each rule. If it has too many rows,
// it shows the first ones of each group. Columns that begin with a colon are aligned right.
type table struct {
	noun     string // for the rows: "findings"
	columns  []string
	maxBytes int // of all rows that are shown
	rows     []row
	omitted  int // further rows
}

type row struct{ group, text string }

// add adds a row. The group is empty if the table has none.
func (t *table) add(group string, cells ...string) {
	t.rows = append(t.rows, row{group, "| " + strings.Join(cells, " | ") + " |\n"})
}

func (d *document) table(t table) {
	header, rule := "|", "|"
	for _, column := range t.columns {
		name, right := strings.CutPrefix(column, ":")
		header += " " + name + " |"
		rule += map[bool]string{false: "---|", true: "--:|"}[right]
	}
	d.text.WriteString(header + "\n" + rule + "\n")
	var shown []int
	size := 0
	for _, i := range inTurn(t.rows) {
		size += len(t.rows[i].text)
		if len(shown) == maxRows || len(shown) > 0 && size > t.maxBytes {
			break
		}
		shown = append(shown, i)
	}
	slices.Sort(shown)
	for _, i := range shown {
		d.text.WriteString(t.rows[i].text)
	}
	if all := len(t.rows) + t.omitted; len(shown) < all {
		fmt.Fprintf(&d.text, "\nThe table shows %d of %d %s.\n", len(shown), all, t.noun)
	}
}

// inTurn returns the positions of all rows: the first one of each group, then the
// second one of each, and so on.
func inTurn(rows []row) []int {
	order, turns, count := make([]int, len(rows)), make([]int, len(rows)), map[string]int{}
	for i, row := range rows {
		order[i], turns[i] = i, count[row.group]
		count[row.group]++
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(turns[x], turns[y]) })
	return order
}
