// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestWrongPeriods(t *testing.T) {
	t.Parallel()
	const must = "A period must be one of today, last7Days, last30Days, monthToDate, lastMonth, yearToDate, allTime."
	p := newProtocol(t)
	for period, want := range map[string]string{
		"last30days":            `"last30days" is not a valid period. Did you mean "last30Days"? ` + must,
		"last_7_days":           `"last_7_days" is not a valid period. Did you mean "last7Days"? ` + must,
		"last-7 days":           `"last-7 days" is not a valid period. Did you mean "last7Days"? ` + must,
		"last3Days":             `"last3Days" is not a valid period. Did you mean "last7Days"? ` + must, // As near to last30Days.
		"TODAY":                 `"TODAY" is not a valid period. Did you mean "today"? ` + must,
		"toady":                 `"toady" is not a valid period. ` + must, // Two replaced of five.
		"tday":                  `"tday" is not a valid period. Did you mean "today"? ` + must,
		"lastMonths":            `"lastMonths" is not a valid period. Did you mean "lastMonth"? ` + must,
		"30Days":                `"30Days" is not a valid period. ` + must,
		"thToDate":              `"thToDate" is not a valid period. Did you mean "monthToDate"? ` + must, // Three inserted of eleven.
		"lastM":                 `"lastM" is not a valid period. ` + must,                                // Four of nine.
		"monthFromDate":         `"monthFromDate" is not a valid period. Did you mean "monthToDate"? ` + must,
		"llTime":                `"llTime" is not a valid period. Did you mean "allTime"? ` + must,
		"allTümes":              `"allTümes" is not a valid period. Did you mean "allTime"? ` + must,
		"forever":               `"forever" is not a valid period. ` + must,
		"":                      `"" is not a valid period. ` + must,
		strings.Repeat("x", 60): `"` + strings.Repeat("x", 50) + `" is not a valid period. ` + must,
	} {
		requireExactly(t, p.validateData("convo_agent_stats", object{"agent_id": "a", "period": period}),
			"[AttributeName(\"period\")] Invalid value for period\n"+want)
		requireExactly(t, p.validateData("convo_workspace_audit", object{"workspace_id": "w", "stats_periods": list{"today", period}}),
			"[AttributeName(\"stats_periods\")] Invalid value for stats_periods\n"+want)
	}
}

func TestValidPeriods(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	all := list{"today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"}
	for _, period := range append(list{nil, unknown}, all...) {
		requireExactly(t, p.validateData("convo_agent_stats", object{"agent_id": "a", "period": period}))
	}
	for _, periods := range []any{nil, unknown, list{}, append(list{unknown}, all...)} {
		requireExactly(t, p.validateData("convo_workspace_audit", object{"workspace_id": "w", "stats_periods": periods}))
	}
}
