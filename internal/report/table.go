// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxRows is the maximum number of rows of a table, and maxBytes usually that of
// bytes, so that the report fits into a comment on GitHub (64 KiB).
const (
	maxRows  = 100
	maxBytes = 8000
)

// table has one group for each row. If the table does not show all of them, it
// shows rows of each group in turn, and how many. Columns that begin with a colon
// are aligned right.
type table struct {
	noun     string
	columns  []string
	groups   []string
	maxBytes int
}

func (d *document) table(t table, row func(int) []string) {
	header, rule := "|", "|"
	for _, column := range t.columns {
		name, right := strings.CutPrefix(column, ":")
		header += " " + name + " |"
		if right {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	d.text.WriteString(header + "\n" + rule + "\n")
	rows, size := map[int]string{}, 0
	for _, i := range inTurn(t.groups) {
		text := "| " + strings.Join(row(i), " | ") + " |\n"
		size += len(text)
		if len(rows) == maxRows || len(rows) > 0 && size > t.maxBytes {
			break
		}
		rows[i] = text
	}
	shown := slices.Sorted(maps.Keys(rows))
	for _, i := range shown {
		d.text.WriteString(rows[i])
	}
	if len(shown) < len(t.groups) {
		fmt.Fprintf(&d.text, "\nThe table shows %d of %d %s%s.\n", len(shown), len(t.groups), t.noun, t.counts(shown))
	}
}

// counts says how many rows of each group the table shows, if there are several.
func (t table) counts(rows []int) string {
	shown, total := map[string]int{}, map[string]int{}
	for _, i := range rows {
		shown[t.groups[i]]++
	}
	for _, group := range t.groups {
		total[group]++
	}
	if len(total) == 1 {
		return ""
	}
	var counts []string
	for _, group := range slices.Sorted(maps.Keys(total)) {
		counts = append(counts, fmt.Sprintf("%s %d of %d", group, shown[group], total[group]))
	}
	return ": " + markdownList(counts)
}

// inTurn returns the positions of all elements: the first of each group, then the
// second of each, and so on.
func inTurn(groups []string) []int {
	order, turns, count := make([]int, len(groups)), make([]int, len(groups)), map[string]int{}
	for i, group := range groups {
		order[i], turns[i] = i, count[group]
		count[group]++
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(turns[x], turns[y]) })
	return order
}
