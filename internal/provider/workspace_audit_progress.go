// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// progressInterval is the time between two messages about an audit's progress,
// because Terraform shows none for data sources.
const progressInterval = 10 * time.Second

// logProgress logs the progress of an audit until the returned function is
// called.
func (a *workspaceAudit) logProgress(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ticker := time.NewTicker(a.progressInterval)
	last := progress{at: time.Now()}
	var logging sync.WaitGroup
	logging.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				a.mu.Lock()
				next, want := progress{now, a.doneReads}, a.wantReads
				a.mu.Unlock()
				tflog.Info(ctx, next.since(last, want))
				last = next
			}
		}
	})
	return func() {
		ticker.Stop()
		cancel()
		logging.Wait()
	}
}

// progress is the number of reads that were done at a time.
type progress struct {
	at   time.Time
	done int
}

// since describes the progress with the pace since an earlier time.
func (p progress) since(last progress, want int) string {
	pace := float64(p.done-last.done) / p.at.Sub(last.at).Seconds()
	left := "unknown"
	if pace > 0 {
		left = time.Duration(float64(want-p.done) / pace * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("Auditing agents: %d of %d reads done, %.1f per second, time left: %s", p.done, want, pace, left)
}
