// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package benchtest is for benchmarks that fail.
package benchtest

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Compare runs a function and its floor in turn, after a first run of each that
// does not count. The floor is the least that any implementation does. Compare
// reports the ratio of the shortest times of both, because other programs can only
// lengthen a run, and fails the benchmark if the ratio is above the limit.
func Compare(b *testing.B, run, floor func(), limit float64) {
	b.Helper()
	run()
	floor()
	var runs, floors []float64
	for b.Loop() {
		floors = append(floors, milliseconds(floor))
		runs = append(runs, milliseconds(run))
	}
	shortest, shortestFloor := slices.Min(runs), slices.Min(floors)
	ratio := shortest / shortestFloor
	b.ReportMetric(0, "ns/op") // The sum of both sides is meaningless.
	b.ReportMetric(shortestFloor, "floor-ms")
	b.ReportMetric(shortest, "run-ms")
	b.ReportMetric(ratio, "times-floor")
	b.ReportMetric(limit, "times-floor-allowed")
	if ratio > limit {
		b.Errorf("took %.2f times as long as the floor (%.1f ms and %.1f ms), but at most %.2f times is allowed. Run it again with BENCHTIME=100x. "+
			"If it fails again, make the code faster, or raise the limit and say why in its comment.",
			ratio, shortest, shortestFloor, limit)
	}
}

// milliseconds returns how long a run takes.
func milliseconds(run func()) float64 {
	// What the other side left is not to be swept at this one's cost.
	runtime.GC()
	start := time.Now()
	run()
	return time.Since(start).Seconds() * 1000
}
